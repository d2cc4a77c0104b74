/** Slots are not for keeping: whoever is slow, or says nothing, is cut off within 15 s, and others are served meanwhile. */
import { expect, onTestFinished, test } from 'vitest';
import { createNodeServer } from '../../packages/runtimes/src/node/server.ts';
import { contact } from '../spec/stage.ts';
import { listen } from '../support/listen.ts';
import { answersIn, chunk, connect, exchange, postHead } from './stage.ts';

/** What is written at once, and what follows again and again. */
const slow: Record<string, [first: string, then: string]> = {
  'that says nothing': ['', ''],
  'whose request line trickles': ['GET /', 'x'],
  'whose headers never end': ['GET / HTTP/1.1\r\nHost: x\r\n', ''],
  'whose headers trickle': ['GET / HTTP/1.1\r\nHost: x\r\n', 'X: y\r\n'],
  'whose header trickles': ['GET / HTTP/1.1\r\nHost: x\r\nX: ', 'y'],
  'that sends empty lines': ['', '\r\n'],
  'whose body never comes': [postHead('Content-Length: 8'), ''],
  'whose body trickles': [postHead('Content-Length: 60000'), 'x'],
  'whose chunks trickle': [postHead('Transfer-Encoding: chunked'), chunk('x')],
  'whose chunk size trickles': [postHead('Transfer-Encoding: chunked'), '0'],
  'whose chunk extension trickles': [`${postHead('Transfer-Encoding: chunked')}8;`, 'x'],
  'whose trailers trickle': [`${postHead('Transfer-Encoding: chunked')}0\r\n`, 'X: y\r\n'],
  'that asks and then sends nothing': [postHead('Content-Length: 8', 'Expect: 100-continue'), ''],
  'whose refused body trickles': [`${postHead('Content-Length: 900000')}${'x'.repeat(70_000)}`, 'x'],
  'whose second request trickles': [`${postHead('Content-Length: 8')}name=AnnGET /`, 'x'],
};

test('a connection is free again within 15 s, however it was held, and 200 of them hold nobody else up', async () => {
  const form = await contact({ fields: '[{name: name}]' });
  const server = createNodeServer(form.relay.handle);
  onTestFinished(() => void server.close());
  // Node looks every second for those whose time is over. The test is as patient a fifth of the time.
  expect(Math.max(server.headersTimeout, server.requestTimeout)).toBeLessThanOrEqual(14_000);
  server.headersTimeout /= 5;
  server.requestTimeout /= 5;
  const relay = { origin: `http://127.0.0.1:${await listen(server)}` };
  const startedAt = performance.now();
  const held = Object.entries(slow).map(([what, [first, then]]) => {
    const { socket, closed, ...rest } = connect(relay);
    const wire = Object.assign(rest, { received: '' });
    socket.on('data', (bytes: Buffer) => {
      wire.received += bytes.toString('latin1');
    });
    socket.write(first);
    const timer = then === '' ? undefined : setInterval(() => socket.write(then), 100);
    return { what, wire, ended: closed.then(() => clearInterval(timer)) };
  });
  const idle = Array.from({ length: 185 }, () => connect(relay).closed);
  const bodies = Array.from({ length: 20 }, (_, n) => `name=n${n}`);
  for (const body of bodies) {
    const head = postHead(`Content-Length: ${body.length}`, 'Connection: close');
    expect(answersIn(await exchange(relay, head + body)).map(({ status }) => status)).toEqual([200]);
  }
  await Promise.all([...idle, ...held.map(({ ended }) => ended)]);
  // Long before, unless Node looks at them less often.
  expect(performance.now() - startedAt).toBeLessThan(15_000);
  // They are told why, as far as they are there to hear it.
  for (const { what, wire } of held) {
    const last = answersIn(wire.received.replace('HTTP/1.1 100 Continue\r\n\r\n', '')).at(-1);
    expect([what, last?.status]).toEqual([what, expect.toBeOneOf([408, 400])]);
  }
  const delivered = form.delivered.flat().map(([, value]) => value);
  expect(delivered.filter((value) => !/^n\d+$/.test(value))).toEqual(['Ann']);
});
