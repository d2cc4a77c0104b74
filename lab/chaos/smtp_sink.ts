/** An SMTP server that misbehaves by plan. */
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeMail } from '../../test/support/mail.ts';
import type { Book } from './book.ts';
import { chance, choose } from './chance.ts';
import { expectedRecipients, expectedText } from './submission.ts';

/** A reply, or what is done instead of one. */
type Move = string | ((socket: Socket) => unknown);

const close = (socket: Socket) => socket.end();
const reset = (socket: Socket) => socket.resetAndDestroy();
const hang = () => undefined;
const sayAndClose = (reply: string) => (socket: Socket) => socket.end(`${reply}\r\n`);

/** How a mail is treated, by its submission and how often that came. */
interface Way {
  readonly name: string;
  readonly weight: number;
  /** Instead of the usual replies. */
  readonly recipient?: Move;
  readonly secondRecipient?: Move;
  readonly data?: Move;
  /** While the message comes. */
  readonly message?: Move;
  /** At the final dot, instead of taking it. */
  readonly dot?: Move;
  /** Takes it, and says so in its own way; calls `take` before the last byte. */
  readonly taken?: (socket: Socket, take: () => void) => unknown;
}

const accepted = '250 2.0.0 taken';

const ways: readonly Way[] = [
  { name: 'took it', weight: 700 },
  {
    name: 'took it: after 300 ms',
    weight: 15,
    taken: async (socket, take) => {
      await sleep(300);
      if (!socket.writable) return;
      take();
      socket.write(`${accepted}\r\n`);
    },
  },
  {
    name: 'took it: trickled',
    weight: 15,
    taken: async (socket, take) => {
      for (const byte of `250-2.0.0 take\r\n${accepted}\r`) {
        if (!socket.writable) return;
        socket.write(byte);
        await sleep(5);
      }
      if (!socket.writable) return;
      take();
      socket.write('\n');
    },
  },
  {
    name: 'took it: then closed',
    weight: 40,
    taken: (socket, take) => {
      take();
      socket.end(`${accepted}\r\n`);
    },
  },
  {
    name: 'took it: then 421',
    weight: 20,
    taken: (socket, take) => {
      take();
      socket.end(`${accepted}\r\n421 4.3.2 shutting down\r\n`);
    },
  },
  { name: 'RCPT: 450', weight: 20, recipient: '450 4.2.0 greylisted' },
  { name: 'RCPT: 550', weight: 10, recipient: '550 5.1.1 nobody here' },
  { name: 'RCPT: 421', weight: 5, recipient: sayAndClose('421 4.3.2 shutting down') },
  { name: 'RCPT: closed', weight: 10, recipient: close },
  { name: 'RCPT: hung', weight: 3, recipient: hang },
  { name: 'second RCPT: 450', weight: 30, secondRecipient: '450 4.2.0 greylisted' },
  { name: 'second RCPT: 550', weight: 30, secondRecipient: '550 5.1.1 nobody here' },
  { name: 'DATA: 451', weight: 15, data: '451 4.3.0 later' },
  { name: 'DATA: 554', weight: 5, data: '554 5.5.0 no' },
  { name: 'DATA: closed', weight: 10, data: close },
  { name: 'message: reset', weight: 10, message: reset },
  { name: 'dot: reset', weight: 10, dot: reset },
  { name: 'dot: closed', weight: 10, dot: close },
  { name: 'dot: broke off its reply', weight: 5, dot: (socket) => socket.end('25') },
  { name: 'dot: 421', weight: 5, dot: sayAndClose('421 4.3.2 shutting down') },
  { name: 'dot: 451', weight: 15, dot: '451 4.3.0 later' },
  { name: 'dot: 554', weight: 10, dot: '554 5.6.0 no' },
  { name: 'dot: hung', weight: 5, dot: hang },
];

/** How a connection begins, by its number. */
interface Beginning {
  readonly name: string;
  readonly weight: number;
  readonly greeting?: Move;
  readonly ehlo?: Move;
  readonly sender?: Move;
}

const beginnings: readonly Beginning[] = [
  { name: '', weight: 900 },
  { name: 'connect: closed', weight: 15, greeting: close },
  { name: 'connect: reset', weight: 10, greeting: reset },
  { name: 'connect: hung', weight: 3, greeting: hang },
  { name: 'connect: 421', weight: 15, greeting: sayAndClose('421 4.3.2 too busy') },
  { name: 'connect: 554', weight: 5, greeting: '554 5.3.2 no service' },
  { name: 'EHLO: 502', weight: 20, ehlo: '502 5.5.1 what?' },
  { name: 'EHLO: closed', weight: 10, ehlo: close },
  { name: 'MAIL: 451', weight: 15, sender: '451 4.3.0 later' },
  { name: 'MAIL: closed', weight: 5, sender: close },
];

export function smtpSink(book: Book): (socket: Socket) => void {
  let connections = 0;
  return (socket) => {
    connections += 1;
    const at = (question: number) => chance(book.seed, book.number, -connections, question);
    const beginning = choose(beginnings, book.isHealed ? 0 : at(1));
    if (beginning.name !== '') book.count(beginning.name);
    new Dialogue(socket, book, beginning, at(2) < 0.5);
  };
}

/** A connection: replies to a line, or to a message, as the way of its mail says. */
class Dialogue {
  readonly #socket: Socket;
  readonly #book: Book;
  readonly #beginning: Beginning;
  readonly #pipelining: boolean;
  #text = '';
  #inMessage = false;
  #recipients: string[] = [];
  #id = Number.NaN;
  #way: Way = { name: '', weight: 0 };

  constructor(socket: Socket, book: Book, beginning: Beginning, pipelining: boolean) {
    this.#socket = socket;
    this.#book = book;
    this.#beginning = beginning;
    this.#pipelining = pipelining;
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    socket.on('end', () => socket.end());
    this.#move(beginning.greeting ?? '220 sink.example ESMTP');
  }

  #move(move: Move): void {
    if (typeof move === 'string') this.#socket.write(`${move}\r\n`);
    else void move(this.#socket);
  }

  #read(chunk: Buffer): void {
    this.#text += chunk.toString('latin1');
    // Bytes after the end of the last reply are ignored.
    while (this.#socket.writable) {
      if (this.#inMessage && this.#way.message) {
        this.#move(this.#instead(this.#way.message));
        return;
      }
      const end = this.#inMessage ? '\r\n.\r\n' : '\r\n';
      const at = this.#text.indexOf(end);
      if (at < 0) return;
      const piece = this.#text.slice(0, at);
      this.#text = this.#text.slice(at + end.length);
      this.#move(this.#inMessage ? this.#message(piece) : this.#command(piece));
    }
  }

  #command(line: string): Move {
    const { ehlo, sender } = this.#beginning;
    switch (line.slice(0, 4).toUpperCase()) {
      case 'EHLO':
        return ehlo ?? `250-sink.example\r\n${this.#pipelining ? '250-PIPELINING\r\n' : ''}250 8BITMIME`;
      case 'MAIL':
        this.#recipients = [];
        this.#id = Number.NaN;
        return sender ?? '250 2.1.0 fine';
      case 'RCPT':
        return this.#recipient(/<([^<>]*)>/.exec(line)?.[1] ?? '');
      case 'DATA': {
        const { data } = this.#way;
        // RFC 2920, 3.1: a client that sends its commands together learns here that nobody was accepted.
        if (this.#recipients.length === 0) return '503 5.5.1 no recipients';
        if (data) return this.#instead(data);
        this.#inMessage = true;
        return '354 go on';
      }
      case 'HELO':
      case 'RSET':
      case 'NOOP':
        return '250 2.0.0 fine';
      case 'QUIT':
        return sayAndClose('221 2.0.0 bye');
      default:
        return '502 5.5.1 what?';
    }
  }

  /** The mail's number stands in each address; the first decides what becomes of it. */
  #recipient(address: string): Move {
    const { seed, number } = this.#book;
    const isFirst = Number.isNaN(this.#id);
    if (isFirst) {
      this.#id = Number(/\+(\d+)@/.exec(address)?.[1]);
      const at = chance(seed, number, this.#id, this.#book.nextTry(this.#id));
      this.#way = choose(ways, this.#book.isHealed ? 0 : at);
    }
    const instead = isFirst ? this.#way.recipient : this.#way.secondRecipient;
    if (instead) return this.#instead(instead);
    this.#recipients.push(address);
    return '250 2.1.5 fine';
  }

  #message(raw: string): Move {
    this.#inMessage = false;
    const { sink, seed } = this.#book;
    const { dot, taken } = this.#way;
    const id = this.#id;
    const { headers, text } = decodeMail(raw.replaceAll('\r\n.', '\r\n'));
    const header = (name: string) => headers.find(([known]) => known === name)?.[1] ?? '';
    const isRight =
      text.trimEnd() === expectedText(sink, seed, id).trimEnd() &&
      header('Subject') === `Submission ${id}` &&
      this.#recipients.join() === expectedRecipients(sink, id).join();
    this.#book.read(id, header('Message-ID').slice(1), isRight);
    if (dot) return this.#instead(dot);
    const take = () => this.#book.take(id);
    if (taken) return this.#instead((socket) => taken(socket, take));
    take();
    return this.#instead(accepted);
  }

  /** Notes that the way was gone. */
  #instead(move: Move): Move {
    this.#book.count(this.#way.name);
    return move;
  }
}
