/** The separate port of `relay serve`, run as users run it. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { httpSink, relayWith, untilEnd } from '../../../test/support/index.ts';
import { createMetrics, serveMetrics } from '../src/metrics/index.ts';
import { samplesIn } from './scraped.ts';

const program = fileURLToPath(new URL('../../../dist/relay.cjs', import.meta.url));
const config =
  'forms: {contact: {fields: [{name: name, required: true}], outputs: [{type: http_post, url: "http://127.0.0.1:9/", mapping: "*"}]}}';

/** Starts the relay, which prints the files that it has loaded in its last line. */
async function serve(env: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'metrics-'));
  const preload = join(folder, 'told.cjs');
  writeFileSync(
    preload,
    "process.on('exit', () => require('node:fs').writeSync(1, JSON.stringify(Object.keys(require.cache))));",
  );
  const child = spawn(process.execPath, ['--require', preload, program, 'serve'], {
    env: { CONFIG_INLINE: config, HOST: '127.0.0.1', PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });
  await expect.poll(() => printed).toContain('Form Relay listens');
  const [origin = '', metrics = ''] = printed.match(/http:\/\/\S+/g) ?? [];
  return {
    origin,
    metrics,
    printed: () => printed,
    stop: async () => {
      child.kill('SIGTERM');
      expect(await once(child, 'close')).toEqual([0, null]);
      return JSON.parse(printed.slice(printed.indexOf('['))) as readonly string[];
    },
  };
}

const isOfMetrics = (path: string) =>
  path.endsWith('.cjs') && readFileSync(path, 'utf8').includes('form_relay_');

test('/metrics responds only on its own port, and as long as the relay runs', async () => {
  const relay = await serve({ METRICS_PORT: '0' });
  expect(relay.printed()).toMatch(/\nMetrics are on http:\/\/127\.0\.0\.1:\d+\/metrics\n$/);
  await fetch(`${relay.origin}/api/v1/submit/contact`, { method: 'POST', body: new URLSearchParams() });
  const answer = await fetch(relay.metrics);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ]);
  const samples = samplesIn(await answer.text());
  expect(samples.get('form_relay_submissions_total{form="contact",outcome="invalid"}')).toBe(1);
  expect(samples.get('form_relay_resident_memory_bytes')).toBeGreaterThan(1e7);
  const root = relay.metrics.replace('/metrics', '');
  const statusOf = async (url: string, method = 'GET') => (await fetch(url, { method })).status;
  expect(await statusOf(`${relay.metrics}?x=1`, 'HEAD')).toBe(200);
  expect(await statusOf(relay.metrics, 'POST')).toBe(405);
  for (const path of ['/', '/metrics/', '/healthz', '/api/v1/form/contact', '/api/v1/submit/contact'])
    expect([path, await statusOf(root + path)]).toEqual([path, 404]);
  expect(await statusOf(`${relay.origin}/metrics`)).toBe(404);
  // This scraper's kept-alive connection does not delay the shutdown.
  expect((await relay.stop()).some(isOfMetrics)).toBe(true);
  await expect(fetch(relay.metrics)).rejects.toThrow();
});

test('without METRICS_PORT, no code for metrics is loaded', async () => {
  for (const env of [{}, { METRICS_PORT: '' }] as Record<string, string>[]) {
    const relay = await serve(env);
    await fetch(`${relay.origin}/api/v1/submit/contact`, { method: 'POST', body: new URLSearchParams() });
    expect(relay.printed()).not.toContain('Metrics');
    expect((await relay.stop()).filter(isOfMetrics)).toEqual([]);
  }
});

test.each([
  [{ PORT: '18080', METRICS_PORT: '18080' }, 'METRICS_PORT: expected a port other than PORT, such as 9090'],
  [{ METRICS_PORT: '8080', PORT: '' }, 'METRICS_PORT: expected a port other than PORT, such as 9090'],
  [{ METRICS_PORT: 'x' }, 'METRICS_PORT: expected a port from 0 to 65535'],
])('%j does not start', (env, says) => {
  const { status, stderr } = spawnSync(process.execPath, [program, 'serve'], {
    env: { CONFIG_INLINE: config, HOST: '127.0.0.1', PORT: '0', ...env },
    encoding: 'utf8',
  });
  expect([status, stderr.includes(says)]).toEqual([1, true]);
});

test('the error for a port in use names the port’s variables', async () => {
  const other = net.createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;
  const { status, stderr } = spawnSync(process.execPath, [program, 'serve'], {
    env: { CONFIG_INLINE: config, HOST: '127.0.0.1', PORT: '0', METRICS_PORT: `${port}` },
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([
    1,
    expect.stringContaining(
      `cannot listen on 127.0.0.1:${port} (another program uses it); choose another address with METRICS_HOST or METRICS_PORT`,
    ),
  ]);
});

test('requests during a reading share it; a request after a failed reading gets the next one', async () => {
  let reads = 0;
  let fails = false;
  const waiting: (() => void)[] = [];
  const server = await untilEnd(
    serveMetrics({
      host: '127.0.0.1',
      port: 0,
      read: async () => {
        reads += 1;
        const text = `reads ${reads}\n`;
        await new Promise<void>((resolve) => waiting.push(resolve));
        if (fails) throw new Error('no');
        return text;
      },
    }),
  );
  const ask = async () => {
    const answer = await fetch(`http://127.0.0.1:${server.port}/metrics`);
    return [answer.status, await answer.text()];
  };
  const goOn = async () => {
    await expect.poll(() => waiting.length).toBe(1);
    for (const resolve of waiting.splice(0)) resolve();
  };
  const first = ask();
  await expect.poll(() => waiting.length).toBe(1);
  const second = net.connect(server.port, '127.0.0.1').setEncoding('utf8');
  let received = '';
  second.on('data', (text: string) => {
    received += text;
  });
  second.write(
    'GET /metrics HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\nconnection: close\r\ncontent-length: 0\r\n\r\n',
  );
  // The server has received the second request before the reading ends.
  await expect.poll(() => received).toContain('100 Continue');
  const closed = once(second, 'close');
  await goOn();
  expect(await first).toEqual([200, 'reads 1\n']);
  await closed;
  expect(received).toMatch(/\r\n\r\nreads 1\n$/);
  fails = true;
  const third = ask();
  await goOn();
  expect(await third).toEqual([500, '']);
  fails = false;
  const fourth = ask();
  await goOn();
  expect(await fourth).toEqual([200, 'reads 3\n']);
});

test('idle and slow connections do not block other readers', async () => {
  const server = await untilEnd(serveMetrics({ host: '127.0.0.1', port: 0, read: async () => 'a 1\n' }));
  const sockets = Array.from({ length: 60 }, () =>
    net
      .connect(server.port, '127.0.0.1')
      .on('error', () => {})
      .resume(),
  );
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  let closed = 0;
  for (const socket of sockets) {
    socket.once('close', () => {
      closed += 1;
    });
  }
  // Connections beyond 32 are refused at once, and silent ones are closed after 5 s.
  await expect.poll(() => closed).toBeGreaterThanOrEqual(28);
  await expect.poll(() => closed, { timeout: 40_000 }).toBe(60);
  expect((await fetch(`http://127.0.0.1:${server.port}/metrics`)).status).toBe(200);
});

/** The program in docs/metrics.md, run as by a user who installed the package. */

const root = fileURLToPath(new URL('../../../', import.meta.url));

test('a program of one’s own measures its relay', async () => {
  const [, shown = ''] = /^```js\n(.*?)^```$/ms.exec(readFileSync(`${root}docs/metrics.md`, 'utf8')) ?? [];
  // Uses free ports, and prints them in the order of the page.
  const tell = 'function () { console.log(this.address().port); }';
  const code = shown
    .replace('listen(8080)', `listen(0, '127.0.0.1', ${tell})`)
    .replace('listen(9090, ', 'listen(0, ');
  const instrumented = code.replace(/(listen\(0, '127\.0\.0\.1')\)/, `$1, ${tell})`);
  const child = spawn(process.execPath, ['--input-type=module', '--eval', instrumented], {
    // Here `form-relay` resolves to this package's build.
    cwd: root,
    env: {
      CONFIG_INLINE:
        'forms: {contact: {fields: [{name: name, required: true}], outputs: [{type: http_post, url: "http://127.0.0.1:9/"}]}}',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout });
  const ports: string[] = [];
  lines.on('line', (line) => ports.push(line));
  while (ports.length < 2) await once(lines, 'line');
  const [relay = '', metrics = ''] = ports;
  const body = new URLSearchParams({ name: '' });
  await fetch(`http://127.0.0.1:${relay}/api/v1/submit/contact`, { method: 'POST', body });
  const samples = samplesIn(await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text());
  expect(samples.get('form_relay_submissions_total{form="contact",outcome="invalid"}')).toBe(1);
  expect(samples.get('form_relay_connections_limit')).toBeGreaterThan(0);
});

/** Prometheus' own checker, for the relay's metrics and the alert rules in the repository. */

const hasPromtool = (() => {
  if (process.env.REQUIRE_PROMTOOL) return true;
  try {
    execFileSync('promtool', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    console.warn(
      'SKIPPED for want of promtool (apt-get install prometheus). REQUIRE_PROMTOOL=1 makes this a failure.',
    );
    return false;
  }
})();

const promtool = (args: readonly string[], input = '') => {
  const { status, stdout, stderr } = spawnSync('promtool', args, { input, encoding: 'utf8' });
  return { status, says: stdout + stderr };
};

describe.runIf(hasPromtool)('promtool', () => {
  test('accepts the metrics of a relay that has counted every kind of event', async () => {
    const metrics = createMetrics();
    onTestFinished(() => metrics.close());
    const sink = await httpSink();
    const relay = await relayWith({
      metrics,
      config: `forms:
  'quo"ted \\': {fields: [{name: message, type: textarea}], spam: {doubt: tag}, outputs: [{type: http_post, url: "${sink.origin}", mapping: "*"}, {type: unregistered}]}`,
    });
    await relay.submit('quo"ted \\', 'message=https://a.example/ https://b.example/ https://c.example/');
    await relay.submit('none', 'message=x');
    const text = metrics.text();
    expect(text).toContain('form="quo\\"ted \\\\",output="1",type="unregistered",outcome="failed"} 1\n');
    expect(promtool(['check', 'metrics'], text)).toEqual({ status: 0, says: '' });
    // Shows that the checker detects real mistakes.
    expect(promtool(['check', 'metrics'], text.replaceAll('_total', '_kb'))).toMatchObject({ status: 3 });
  });
});
