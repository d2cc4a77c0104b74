/** An HTTP server that misbehaves according to plan, on bare sockets, because no library allows that. */
import type { Socket } from 'node:net';
import type { Book } from './book.ts';
import { chance, choose } from './chance.ts';
import { expectedBody } from './submission.ts';
import { go, type Way, ways } from './ways.ts';

export function httpSink(book: Book): (socket: Socket) => void {
  let connections = 0;
  const { sink, seed, number } = book;
  return (socket) => {
    connections += 1;
    const beginning = choose(
      ways['http connections'],
      book.isHealed ? 0 : chance(seed, number, -connections),
    );
    if (beginning.name !== '') book.count(beginning.name);
    let text = '';
    let way: Way | undefined;
    socket.on('end', () => socket.end());
    socket.on('data', (chunk: Buffer) => {
      // Bytes after the end of the last answer are ignored.
      if (!socket.writable) return;
      text += chunk.toString('latin1');
      const headEnd = text.indexOf('\r\n\r\n');
      if (headEnd < 0) return;
      const headers = headersOf(text.slice(0, headEnd));
      const id = Number(headers['x-submission']);
      // Chosen by the submission, and by how often it has arrived.
      way ??= choose(ways['http requests'], book.isHealed ? 0 : chance(seed, number, id, book.nextTry(id)));
      const end = headEnd + 4 + Number(headers['content-length']);
      const isWhole = text.length >= end;
      if (!isWhole && way.at !== 'head') return;
      book.count(way.name);
      if (way.at !== 'head') {
        const isRight = text.slice(headEnd + 4, end) === expectedBody(sink, seed, id);
        book.read(id, headers['idempotency-key'] ?? '', isRight);
      }
      text = text.slice(end);
      void go(way, socket, () => book.take(id));
      way = undefined;
    });
    void go(beginning, socket);
  };
}

const headersOf = (head: string): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(
    head
      .toLowerCase()
      .split('\r\n')
      .map((line) => line.split(': ', 2)),
  );
