import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { answersIn } from '../client.ts';
import { type Area, promise } from '../promise.ts';
import { pause, type Trial } from '../trial.ts';

const limit = 65_536;

/** Writes a first part, then another every 200 ms; returns how long the connection stayed open. */
async function trickle(t: Trial, first: string, then: string, mostMs: number): Promise<number> {
  const { socket, ended } = await t.connect();
  const startedAt = performance.now();
  socket.write(first);
  const timer = setInterval(() => socket.write(then), 200);
  const tired = pause(mostMs).then(() => socket.destroy());
  await Promise.race([ended, tired]);
  clearInterval(timer);
  socket.destroy();
  return performance.now() - startedAt;
}

/** How long a client that sends nothing new may hold a connection. */
const patience = (t: Trial) => Math.min(25_000, t.patienceMs);

/** Each connection writes a first part, then repeats another. */
const letGo = (t: Trial, ...wires: readonly (readonly [first: string, then: string])[]) =>
  Promise.all(
    wires.map(async ([first, then]) => {
      const tookMs = await trickle(t, first, then, patience(t));
      const wanted = `the end of the connection within ${patience(t) / 1_000} s`;
      t.must(tookMs < patience(t) - 100, wanted, `open after ${JSON.stringify(first)}`);
    }),
  );

/** How much a product may read of a body that it will refuse, including the buffers of two sockets. */
const mostRead = 20e6;

/** Sends the part forever, as fast as it is read. */
async function refusesEndless(t: Trial, first: string, part: string): Promise<void> {
  const { socket, received, ended } = await t.connect();
  socket.write(first);
  let sent = 0;
  while (!socket.destroyed && sent < mostRead) {
    const isRoom = socket.write(part);
    sent += part.length;
    if (!isRoom) await Promise.race([ended, once(socket, 'drain').catch(() => {}), pause(1_000)]);
    if (answersIn(received()).length > 0) break;
  }
  const statuses = answersIn(received()).map(({ status }) => status);
  const isEnded = socket.destroyed || statuses.length > 0;
  socket.destroy();
  t.must(isEnded, 'an answer or the end', `${sent / 1e6} MB read`);
  t.must(
    statuses.every((status) => status >= 400),
    'status 400 or 413',
    String(statuses),
  );
  await t.undelivered();
}

export const bodies: Area = {
  promises: {
    largest: promise`A body of 64 KB is taken. (SPEC: Limits)`(async (t) => {
      const start = `name=${t.mark}&unused=`;
      await t.arrives('contact', start + 'x'.repeat(limit - start.length));
    }),
    too_large: promise`A body of one byte more is refused, and not delivered. (SPEC: Limits)`(async (t) => {
      const start = `name=${t.mark}&unused=`;
      const answer = await t.submit('contact', start + 'x'.repeat(limit + 1 - start.length));
      t.must([400, 413].includes(answer.status), 'status 413 or 400');
      await t.undelivered();
    }),
    announced: promise`Of a body that is announced as 10 GB, little is read.
      (Attacks: oversized bodies)`((t) =>
      refusesEndless(t, t.head('Content-Length: 10000000000'), 'x'.repeat(0x4000)),
    ),
    endless: promise`Of chunks without end, little is read. (Attacks: oversized bodies)`((t) =>
      refusesEndless(t, t.head('Transfer-Encoding: chunked'), `4000\r\n${'x'.repeat(0x4000)}\r\n`),
    ),
    compressed: promise`A compressed body is refused: none unfolds to a thousand times its size.
      (Attacks: decompression bombs)`(async (t) => {
      const body = gzipSync(`name=${t.mark}`);
      for (const coding of ['gzip', 'deflate', 'br']) {
        const answer = await t.submit('contact', body, { 'content-encoding': coding });
        t.must(answer.status >= 400 && answer.status < 500 && answer.status !== 404, 'status 400 or 415');
      }
      await t.undelivered();
    }),
    headers: promise`Headers of 64 KB are refused. (RFC 6585, 5)`(async (t) => {
      const [answer] = await t.wireToEnd(
        `GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX: ${'x'.repeat(limit)}\r\n\r\n`,
      );
      t.must(answer === undefined || [400, 413, 431].includes(answer.status), 'status 431');
    }),
    target: promise`An address of 64 KB is refused. (RFC 9110, 15.5.15)`(async (t) => {
      const path = t.paths.form('x'.repeat(limit));
      const [answer] = await t.wireToEnd(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      t.must(answer === undefined || [400, 404, 413, 414, 431].includes(answer.status), 'status 414 or 431');
    }),
    many_fields: promise`A body of 30,000 fields takes no longer than a second, and others are served
      meanwhile. (Attacks: hash flooding)`(async (t) => {
      const flood = Array.from({ length: 30_000 }, (_, n) => n.toString(36))
        .join('&')
        .slice(0, 60_000);
      const tries = await t.within(1_000, async () => {
        const flooding = t.submit('contact', `name=nobody&${flood}`);
        const [answer] = await Promise.all([t.submit('contact', t.values), flooding]);
        t.taken(answer);
      });
      await t.delivered(tries);
    }),
    expect: promise`\`Expect: 100-continue\` is answered, and the submission delivered.
      (RFC 9110, 10.1.1)`(async (t) => {
      const body = `name=${t.mark}`;
      const { socket, received, ended } = await t.connect();
      socket.write(t.head(`Content-Length: ${body.length}`, 'Expect: 100-continue', 'Connection: close'));
      const until = performance.now() + Math.min(5_000, t.patienceMs);
      while (received() === '' && performance.now() < until) await Promise.race([ended, pause(20)]);
      const isContinued = received().startsWith('HTTP/1.1 100');
      socket.write(body);
      await ended;
      t.must(isContinued, '100 Continue', received().slice(0, 100));
      await t.delivered(1);
    }),
    slow_head: promise`Whoever never ends the headers is let go within 25 s.
      (Attacks: slow headers (Slowloris))`((t) =>
      letGo(
        t,
        ['GET /', 'x'],
        ['GET / HTTP/1.1\r\nHost: x\r\n', ''],
        ['GET / HTTP/1.1\r\nHost: x\r\n', 'X: y\r\n'],
        ['GET / HTTP/1.1\r\nHost: x\r\nX: ', 'y'],
      ),
    ),
    slow_body: promise`Whoever sends the body a byte at a time is let go within 25 s.
      (Attacks: slow bodies)`((t) =>
      letGo(
        t,
        [t.head('Content-Length: 60000'), 'x'],
        [t.head('Content-Length: 8'), ''],
        [t.head('Content-Length: 8', 'Expect: 100-continue'), ''],
        [t.head('Transfer-Encoding: chunked'), '1\r\nx\r\n'],
        [t.head('Transfer-Encoding: chunked'), '0'],
        [`${t.head('Transfer-Encoding: chunked')}8;`, 'x'],
        [`${t.head('Transfer-Encoding: chunked')}0\r\n`, 'X: y\r\n'],
        [`${t.head('Content-Length: 900000')}${'x'.repeat(70_000)}`, 'x'],
      ),
    ),
    silent: promise`Whoever connects and says nothing is let go within 25 s.
      (Attacks: idle connections)`((t) => letGo(t, ['', ''], ['', '\r\n'])),
    held: promise`While 100 connections are held open, others are served.
      (Attacks: idle connections)`(async (t) => {
      const held = await Promise.all(Array.from({ length: 100 }, () => t.connect()));
      for (const { socket } of held) socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9');
      try {
        await t.within(2_000, async () => t.taken(await t.submit('contact', t.values)));
      } finally {
        for (const { socket } of held) socket.destroy();
      }
    }),
    cut: promise`A submission whose connection is cut before its end is not delivered.
      (What owners fear: half a message)`(async (t) => {
      const { socket, ended } = await t.connect();
      socket.end(`${t.head('Content-Length: 200')}name=${t.mark}`);
      await Promise.race([ended, pause(1_000)]);
      socket.destroy();
      await t.undelivered();
    }),
  },
};
