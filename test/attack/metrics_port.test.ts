/** Anyone who can reach METRICS_PORT may read the metrics, but cannot keep others from reading them. */
import { serveMetrics } from '../../packages/telemetry/src/metrics/metrics_server.ts';
import { exchange } from './stage.ts';

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
