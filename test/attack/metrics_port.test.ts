/** Anyone who reaches the port of METRICS_PORT may read the metrics. But they may not do more, nor keep others from it. */
import { expect, onTestFinished, test } from 'vitest';
import { serveMetrics } from '../../packages/telemetry/src/metrics/metrics_server.ts';
import { connect, exchange } from './stage.ts';

const text = '# HELP a b\n# TYPE a gauge\na 1\n';

async function metricsPort(read: () => Promise<string> = async () => text) {
  const server = await serveMetrics({ host: '127.0.0.1', port: 0, read });
  onTestFinished(() => server.close());
  return { origin: `http://127.0.0.1:${server.port}` };
}

const statusOf = (received: string) => Number(/^HTTP\/1\.1 (\d{3}) /.exec(received)?.[1]);

const get = (target: string, ...lines: readonly string[]) =>
  [`GET ${target} HTTP/1.1`, ...(lines.length > 0 ? lines : ['Host: a']), 'Connection: close', '', ''].join(
    '\r\n',
  );

test.each([
  ['http://evil.example/metrics', 404],
  ['//metrics', 404],
  ['/metrics/', 404],
  ['/METRICS', 404],
  ['/%6Detrics', 404],
  ['/metrics%00', 404],
  ['/metrics;a', 404],
  ['/a/../metrics', 404],
  ['/?/metrics', 404],
  ['*', 404],
  ['/metrics?x=/../../etc/passwd', 200],
])('%s is answered %i', async (target, status) => {
  const port = await metricsPort();
  const received = await exchange(port, get(target));
  expect([statusOf(received), received.includes(text)]).toEqual([status, status === 200]);
});

test.each([
  ['CONNECT', 'CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n\r\n'],
  ['a method that is none', 'G\0T /metrics HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['another protocol', '\x16\x03\x01\x02\x00\x01\x00'],
  ['HTTP/2 from the start', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['a request without Host', 'GET /metrics HTTP/1.1\r\nConnection: close\r\n\r\n'],
  ['two lengths', 'POST /metrics HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na'],
  [
    'a length beside chunks',
    'POST /metrics HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  ],
  ['64 KB of headers', get('/metrics', 'Host: a', `X: ${'a'.repeat(65_536)}`)],
  ['a path of 64 KB', get(`/metrics?${'a'.repeat(65_536)}`)],
])('%s gets no metrics, and the next one does', async (_, bytes) => {
  const port = await metricsPort();
  expect(await exchange(port, bytes)).toMatch(/^(HTTP\/1\.1 4\d\d [^\n]*\r\n|$)/);
  expect(await exchange(port, get('/metrics'))).toContain(text);
});

test('a reading that fails is a 500 without words, and the next one starts over; HEAD has no body', async () => {
  let reads = 0;
  const port = await metricsPort(async () => {
    reads += 1;
    if (reads === 1) throw new Error('a secret');
    return text;
  });
  const failed = await exchange(port, get('/metrics'));
  expect([statusOf(failed), failed.includes('secret')]).toEqual([500, false]);
  expect(await exchange(port, get('/metrics'))).toContain(text);
  const head = await exchange(port, get('/metrics').replace('GET', 'HEAD'));
  expect([statusOf(head), head.includes(text), reads]).toEqual([200, false, 3]);
  const taken = serveMetrics({
    host: '127.0.0.1',
    port: Number(new URL(port.origin).port),
    read: async () => text,
  });
  await expect(taken).rejects.toMatchObject({ code: 'EADDRINUSE' });
});

test('many who dribble a request are all cut, and others read meanwhile', async () => {
  const port = await metricsPort();
  const slow = Array.from({ length: 20 }, (_, at) => {
    const wire = connect(port);
    // Half of them in the head, half in a body.
    wire.socket.write(
      at % 2
        ? 'GET /metrics HTTP/1.1\r\n'
        : 'POST /metrics HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n',
    );
    const more = setInterval(() => wire.socket.write(at % 2 ? 'X: a\r\n' : 'a'), 300);
    void wire.closed.then(() => clearInterval(more));
    return wire;
  });
  expect(await exchange(port, get('/metrics'))).toContain(text);
  await Promise.all(slow.map(({ closed }) => closed));
  expect(await exchange(port, get('/metrics'))).toContain(text);
}, 90_000);

test('many who ask often and read nothing take little memory, and are cut, so that others can read', async () => {
  const long = 'a 1\n'.repeat(500_000);
  let reads = 0;
  const port = await metricsPort(async () => {
    reads += 1;
    return long;
  });
  const before = process.memoryUsage().rss;
  // As many as may be connected, with 2 GB of answers each.
  const greedy = Array.from({ length: 32 }, () => {
    const wire = connect(port);
    wire.socket.pause().write('GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(1_000));
    return wire;
  });
  await expect.poll(() => reads).toBeGreaterThan(0);
  await expect.poll(() => exchange(port, get('/metrics')), { timeout: 60_000 }).toMatch(/^HTTP\/1\.1 200 /);
  expect(process.memoryUsage().rss - before).toBeLessThan(1_000_000_000);
  for (const { socket } of greedy) socket.destroy();
}, 90_000);
