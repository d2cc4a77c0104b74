/** An HTTP server that misbehaves by plan: bare sockets, since no library would let it. */
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Book } from './book.ts';
import { chance, choose } from './chance.ts';
import { expectedBody } from './submission.ts';

interface Way {
  readonly name: string;
  /** How many requests of a thousand, about. */
  readonly weight: number;
  /** `head`: before the body is read. */
  readonly at?: 'head';
  /** `take` writes the submission down as taken; before the head of a success is complete. */
  readonly act: (socket: Socket, take: () => void) => unknown;
}

const answer = (status: number, headers = '', body = '') =>
  `HTTP/1.1 ${status} x\r\n${headers}content-length: ${body.length}\r\n\r\n${body}`;

const takes = (name: string, weight: number, act: (socket: Socket) => unknown): Way => ({
  name: `took it: ${name}`,
  weight,
  act: (socket, take) => {
    take();
    act(socket);
  },
});

const refuses = (weight: number, status: number, headers = ''): Way => ({
  name: `refused: ${status}${headers && `, ${headers.trim()}`}`,
  weight,
  act: (socket) => socket.write(answer(status, headers, 'no')),
});

const fails = (name: string, weight: number, act: Way['act'], when: Pick<Way, 'at'> = {}): Way => ({
  name,
  weight,
  act,
  ...when,
});

/** Writes a byte at a time. */
async function trickle(socket: Socket, text: string, pauseMs: number): Promise<void> {
  for (const byte of text) {
    if (!socket.writable) return;
    socket.write(byte);
    await sleep(pauseMs);
  }
}

const long = `x-long: ${'x'.repeat(200)}\r\n`;

/** How a request is treated, by its submission and how often that came. */
const ways: readonly Way[] = [
  takes('200', 700, (socket) => socket.write(answer(200))),
  takes('204', 10, (socket) => socket.write('HTTP/1.1 204 x\r\n\r\n')),
  takes('303', 10, (socket) => socket.write(answer(303, 'location: /thanks\r\n'))),
  takes('200 with 200 KB', 5, (socket) => socket.write(answer(200, '', 'x'.repeat(200_000)))),
  takes('200, then closed without a word', 30, (socket) => socket.end(answer(200))),
  // The status decides.
  takes('200, its body broken off', 10, (socket) =>
    socket.end('HTTP/1.1 200 x\r\ncontent-length: 10\r\n\r\nthan'),
  ),
  takes('200 without a length, then half-closed', 10, (socket) => socket.end('HTTP/1.1 200 x\r\n\r\nthanks')),
  {
    name: 'took it: after 300 ms',
    weight: 20,
    act: async (socket, take) => {
      await sleep(300);
      if (!socket.writable) return;
      take();
      socket.write(answer(200));
    },
  },
  {
    name: 'took it: 200, trickled',
    weight: 15,
    act: async (socket, take) => {
      const text = answer(200);
      await trickle(socket, text.slice(0, -1), 5);
      if (!socket.writable) return;
      take();
      socket.write(text.slice(-1));
    },
  },
  refuses(5, 400),
  refuses(3, 404),
  refuses(3, 500),
  refuses(10, 502),
  refuses(10, 503, 'retry-after: 0\r\n'),
  refuses(3, 503, 'retry-after: 120\r\n'),
  refuses(10, 429, 'retry-after: 1\r\n'),
  refuses(3, 429),
  fails('sent on: 307', 10, (socket) => socket.write(answer(307, 'location: /again\r\n'))),
  fails('reset before the body was read', 10, (socket) => socket.resetAndDestroy(), { at: 'head' }),
  fails('reset after reading it', 15, (socket) => socket.resetAndDestroy()),
  fails('closed after reading it', 10, (socket) => socket.destroy()),
  fails('half-closed after reading it', 10, (socket) => socket.end()),
  fails('broke off its answer', 10, (socket) => socket.end('HTTP/1.1 200 x\r\ncontent-length: 1')),
  fails('answered what is no HTTP', 3, (socket) => socket.end('220 hello\r\n')),
  fails('hung', 5, () => undefined),
  fails('trickled longer than anybody waits', 3, (socket) => trickle(socket, answer(200, long), 50)),
];

/** How a connection begins, by its number. */
const beginnings: readonly { name: string; weight: number; act: (socket: Socket) => unknown }[] = [
  { name: '', weight: 960, act: () => undefined },
  { name: 'reset a connection at once', weight: 25, act: (socket) => socket.resetAndDestroy() },
  { name: 'closed a connection at once', weight: 10, act: (socket) => socket.end() },
  { name: 'never read from a connection', weight: 5, act: (socket) => ignore(socket) },
];

/** A socket that is not read from does not notice that the other side went away. */
function ignore(socket: Socket): void {
  socket.pause();
  setTimeout(() => socket.destroy(), 5_000);
}

export function httpSink(book: Book): (socket: Socket) => void {
  let connections = 0;
  const { sink, seed, number } = book;
  return (socket) => {
    connections += 1;
    const beginning = choose(beginnings, book.isHealed ? 0 : chance(seed, number, -connections));
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
      way ??= choose(ways, book.isHealed ? 0 : chance(seed, number, id, book.nextTry(id)));
      const end = headEnd + 4 + Number(headers['content-length']);
      const isWhole = text.length >= end;
      if (!isWhole && way.at !== 'head') return;
      const { name, act, at } = way;
      book.count(name);
      if (at !== 'head') {
        const isRight = text.slice(headEnd + 4, end) === expectedBody(sink, seed, id);
        book.read(id, headers['idempotency-key'] ?? '', isRight);
      }
      text = text.slice(end);
      way = undefined;
      void act(socket, () => book.take(id));
    });
    beginning.act(socket);
  };
}

const headersOf = (head: string): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(
    head
      .toLowerCase()
      .split('\r\n')
      .map((line) => line.split(': ', 2)),
  );
