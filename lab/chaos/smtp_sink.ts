/** An SMTP server that misbehaves according to plan. */
import type { Socket } from 'node:net';
import { decodeMail } from '../../test/support/mail.ts';
import type { Book } from './book.ts';
import { chance, choose } from './chance.ts';
import { expectedRecipients, expectedText } from './submission.ts';
import { go, type Way, ways } from './ways.ts';

export function smtpSink(book: Book): (socket: Socket) => void {
  let connections = 0;
  return (socket) => {
    connections += 1;
    const at = (question: number) => chance(book.seed, book.number, -connections, question);
    const beginning = choose(ways['smtp connections'], book.isHealed ? 0 : at(1));
    if (beginning.name !== '') book.count(beginning.name);
    new Dialogue(socket, book, beginning, at(2) < 0.5);
  };
}

/** A connection: replies to a line or a message according to the fault chosen for its mail. */
class Dialogue {
  readonly #socket: Socket;
  readonly #book: Book;
  readonly #beginning: Way;
  readonly #pipelining: boolean;
  #text = '';
  #inMessage = false;
  #recipients: string[] = [];
  #id = Number.NaN;
  #way: Way | undefined;

  constructor(socket: Socket, book: Book, beginning: Way, pipelining: boolean) {
    this.#socket = socket;
    this.#book = book;
    this.#beginning = beginning;
    this.#pipelining = pipelining;
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    socket.on('end', () => socket.end());
    this.#reply('greeting', '220 sink.example ESMTP');
  }

  /** The usual reply. Returns `true` if the connection or the mail has a fault here instead. */
  #reply(at: string, usual: string): boolean {
    const way = [this.#beginning, this.#way].find((one) => one?.at === at);
    if (way && way === this.#way) this.#book.count(way.name);
    const id = this.#id;
    if (way) void go(way, this.#socket, () => this.#book.take(id));
    else this.#socket.write(`${usual}\r\n`);
    return way !== undefined;
  }

  #read(chunk: Buffer): void {
    this.#text += chunk.toString('latin1');
    // Bytes after the end of the last reply are ignored.
    while (this.#socket.writable) {
      if (this.#inMessage && this.#way?.at === 'message') return void this.#reply('message', '');
      const end = this.#inMessage ? '\r\n.\r\n' : '\r\n';
      const at = this.#text.indexOf(end);
      if (at < 0) return;
      const piece = this.#text.slice(0, at);
      this.#text = this.#text.slice(at + end.length);
      if (this.#inMessage) this.#message(piece);
      else this.#command(piece);
    }
  }

  #command(line: string): unknown {
    const verb = line.slice(0, 4).toUpperCase();
    switch (verb) {
      case 'EHLO': {
        const pipelining = this.#pipelining ? '250-PIPELINING\r\n' : '';
        return this.#reply(verb, `250-sink.example\r\n${pipelining}250 8BITMIME`);
      }
      case 'MAIL':
        this.#recipients = [];
        this.#id = Number.NaN;
        this.#way = undefined;
        return this.#reply(verb, '250 2.1.0 fine');
      case 'RCPT':
        return this.#recipient(/<([^<>]*)>/.exec(line)?.[1] ?? '');
      case 'DATA':
        // RFC 2920, 3.1: a client that pipelines commands learns here that no recipient was accepted.
        if (this.#recipients.length === 0) return this.#reply('', '503 5.5.1 no recipients');
        this.#inMessage = !this.#reply(verb, '354 go on');
        return undefined;
      case 'HELO':
      case 'RSET':
      case 'NOOP':
        return this.#reply('', '250 2.0.0 fine');
      case 'QUIT':
        return this.#socket.end('221 2.0.0 bye\r\n');
      default:
        return this.#reply('', '502 5.5.1 what?');
    }
  }

  /** Each address contains the mail's number; the first address determines the fault. */
  #recipient(address: string): void {
    const { seed, number } = this.#book;
    const isFirst = Number.isNaN(this.#id);
    if (isFirst) {
      this.#id = Number(/\+(\d+)@/.exec(address)?.[1]);
      const at = chance(seed, number, this.#id, this.#book.nextTry(this.#id));
      this.#way = choose(ways.mails, this.#book.isHealed ? 0 : at);
    }
    const isOther = this.#reply(isFirst ? 'recipient' : 'second recipient', '250 2.1.5 fine');
    if (!isOther) this.#recipients.push(address);
  }

  #message(raw: string): void {
    this.#inMessage = false;
    const { sink, seed } = this.#book;
    const id = this.#id;
    const { headers, text } = decodeMail(raw.replaceAll('\r\n.', '\r\n'));
    const header = (name: string) => headers.find(([known]) => known === name)?.[1] ?? '';
    const isRight =
      text.trimEnd() === expectedText(sink, seed, id).trimEnd() &&
      header('Subject') === `Submission ${id}` &&
      this.#recipients.join() === expectedRecipients(sink, id).join();
    this.#book.read(id, header('Message-ID').slice(1), isRight);
    // A fault for a recipient who did not come leaves the mail unaffected.
    if (this.#way?.at !== 'dot') this.#way = { ...ways.mails[0], name: this.#way?.name ?? '' } as Way;
    this.#reply('dot', '');
  }
}
