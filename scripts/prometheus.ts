/**
 * What comes with the relay for Prometheus, before a real one: exit code 1 where anything is not as it must be.
 *
 *   apt-get install prometheus
 *   npm run prometheus
 *
 * promtool looks at the metrics, the rules, their tests and the example of a config. Then Prometheus reads three relays:
 * while all is well, no alert may fire; when all fails that alerts are about, each must. Whatever the dashboard asks must
 * have an answer. Alerts wait for seconds here, where the real ones wait for minutes.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRelay } from '../packages/relay/src/relay.ts';
import { createMetrics, serveMetrics, writeMetrics } from '../packages/relay/src/telling/metrics/index.ts';
import { listen } from '../test/support/listen.ts';
import { startPrometheus } from './prometheus_server.ts';

if (spawnSync('promtool', ['--version']).error || spawnSync('prometheus', ['--version']).error) {
  if (process.env.REQUIRE_PROMTOOL) throw new Error('REQUIRE_PROMTOOL is set, and there is no prometheus');
  console.warn('SKIPPED for want of prometheus: apt-get install prometheus');
  process.exit(0);
}

const folder = mkdtempSync(join(tmpdir(), 'form-relay-prometheus-'));
const children: ChildProcess[] = [];
const closing: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
let wrong = 0;
const tell = (isWell: boolean, what: string) => {
  if (!isWell) wrong += 1;
  console.log(`${isWell ? 'ok    ' : 'FAILED'} ${what}`);
};

try {
  lookAtFiles();
  await watchRelays();
} finally {
  for (const child of children) child.kill('SIGKILL');
  for (const close of closing.reverse()) await close();
}
console.log(wrong === 0 ? '\nAll as it must be.' : `\n${wrong} not as they must be.`);
process.exit(wrong === 0 ? 0 : 1);

function lookAtFiles(): void {
  for (const args of [
    ['check', 'rules', 'form-relay.rules.yml'],
    ['test', 'rules', 'form-relay.rules.test.yml'],
    ['check', 'config', 'prometheus.yml'],
  ]) {
    const { status, stdout, stderr } = spawnSync('promtool', args, {
      cwd: new URL('../deploy/prometheus/', import.meta.url),
      encoding: 'utf8',
    });
    tell(status === 0, `promtool ${args.join(' ')}${status === 0 ? '' : `\n${stdout}${stderr}`}`);
  }
}

async function watchRelays(): Promise<void> {
  let isSick = false;
  const sink = createServer((incoming, outgoing) => {
    const { status = '200', ms = '0' } = Object.fromEntries(
      new URL(incoming.url ?? '', 'http://sink').searchParams,
    );
    incoming.resume().once('end', async () => {
      await sleep(isSick ? Number(ms) : 0);
      outgoing.writeHead(isSick ? Number(status) : 200).end();
    });
  });
  const sinkPort = await listen(sink);
  closing.push(
    () => sink.closeAllConnections(),
    () => sink.close(),
  );
  const output = (query = '', more = '') =>
    `{type: http_post, url: "http://127.0.0.1:${sinkPort}/${query}", mapping: "*", retries: 0${more}}`;
  const form = (outputs: string, more = '') =>
    `{fields: [{name: message, type: textarea}], outputs: [${outputs}]${more}}`;
  const kept = (name: string) => {
    mkdirSync(join(folder, name));
    return `keep: {in: ${join(folder, name)}}\n`;
  };
  const healthy = `${kept('kept')}forms:
  good: ${form(output())}
  lost: ${form(output('?status=503'))}
  slow: ${form(output('?ms=6000'))}
  kept: ${form(output('?status=503'), ', keep: failed')}
  refused: ${form(output('?status=400'), ', keep: failed')}
  doubted: ${form(output(), ', spam: {doubt: {tag: 1}, honeypot: website, signals: {links: 4, rspamd: {url: "http://127.0.0.1:9"}}}')}
  nobody: ${form(output('', ', when: {field: message, is: nothing}'))}
`;
  const relay = await startRelay('relay', healthy, {
    CONNECTION_LIMIT: '10',
    THROTTLE_RATE_LIMIT: '1000',
    THROTTLE_BURST_LIMIT: '1000',
  });
  const other = await startRelay('other', `forms:\n  good: ${form(output())}\n`, {
    THROTTLE_RATE_LIMIT: '100000',
    THROTTLE_BURST_LIMIT: '100000',
  });
  const within = await relayWithin(
    `${kept('kept-within')}forms:\n  good: ${form(output(), ', keep: failed')}\n`,
  );
  tell(
    spawnSync('promtool', ['check', 'metrics'], { input: within.text() }).stdout.toString() === '',
    'promtool check metrics',
  );
  const targets = [relay.metrics, other.metrics, within.metrics];
  const prometheus = await startPrometheus(folder, rules(), targets);
  children.push(prometheus.child);

  const send = (to: string, name: string, message = 'hello', more = {}) =>
    fetch(`${to}/api/v1/submit/${name}`, {
      method: 'POST',
      body: new URLSearchParams({ message, ...more }),
    }).then((answer) => answer.body?.cancel());
  let isOver = false;
  const traffic = (async () => {
    while (!isOver) {
      await Promise.allSettled([
        send(relay.origin, 'good'),
        ...(isSick
          ? ['lost', 'kept', 'refused', 'nobody'].map((name) => send(relay.origin, name))
          : [send(other.origin, 'good')]),
        ...(isSick
          ? [send(relay.origin, 'doubted', 'https://a.example https://b.example https://c.example')]
          : []),
        ...(isSick ? [send(relay.origin, 'doubted', 'x', { website: 'x' })] : []),
        within.submit(),
      ]);
      await sleep(200);
    }
  })();
  closing.push(async () => {
    isOver = true;
    await traffic;
  });

  await sleep(15_000);
  const early = await prometheus.firing();
  tell(
    early.length === 0,
    `while all is well, nothing fires${early.map((name) => `\n       ${name} fires`).join('')}`,
  );

  isSick = true;
  const stop = fail(relay, other, within, send);
  closing.push(stop);
  const expected = [...rules().matchAll(/alert: (\w+)/g)].map(([, name = '']) => name);
  const fired = new Set<string>();
  // What waits in a store is looked at once a minute.
  for (const until = Date.now() + 170_000; Date.now() < until && fired.size < expected.length; ) {
    for (const name of await prometheus.firing()) fired.add(name);
    await sleep(500);
  }
  for (const name of expected) tell(fired.has(name), `${name} fires`);
  for (const { title, expr } of panels()) {
    const answers = await prometheus.ask(expr);
    tell(answers > 0, `panel: ${title} (${answers} ${answers === 1 ? 'line' : 'lines'})`);
  }
}

/** Everything at once that alerts are about. Gives what ends it. */
function fail(
  relay: Started,
  other: Started,
  within: Within,
  send: (to: string, name: string) => Promise<unknown>,
): () => void {
  within.breakIt();
  const nobody = Array.from({ length: 9 }, () => net.connect(relay.port, '127.0.0.1').on('error', () => {}));
  let isOver = false;
  const repeat = async (ms: number, work: () => unknown) => {
    while (!isOver) {
      await work();
      await sleep(ms);
    }
  };
  void repeat(1_000, () => void send(relay.origin, 'slow').catch(() => {}));
  // Beyond the throttle.
  void repeat(1_000, () => Promise.all(Array.from({ length: 60 }, within.submit)));
  // Each writes a line that nobody reads.
  other.child.stderr?.pause();
  void (async () => {
    for (let at = 0; at < 200 && !isOver; at += 1) {
      await Promise.allSettled(
        Array.from({ length: 100 }, () => fetch(`${other.origin}/none`).then((a) => a.text())),
      );
    }
    // As a process that has to wait for its processor.
    for (const until = Date.now() + 20_000; Date.now() < until && !isOver; ) {
      other.child.kill('SIGSTOP');
      await sleep(500);
      other.child.kill('SIGCONT');
      await sleep(400);
    }
    other.child.kill('SIGKILL');
  })();
  return () => {
    isOver = true;
    for (const socket of nobody) socket.destroy();
  };
}

interface Started {
  readonly child: ChildProcess;
  readonly origin: string;
  readonly port: number;
  /** Host and port. */
  readonly metrics: string;
}

async function startRelay(name: string, config: string, env: Record<string, string>): Promise<Started> {
  const path = join(folder, `${name}.yaml`);
  writeFileSync(path, config);
  const child = spawn(process.execPath, ['dist/relay.cjs', 'serve', '--config', path], {
    cwd: new URL('../', import.meta.url),
    env: { HOST: '127.0.0.1', PORT: '0', METRICS_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  child.stderr.resume();
  let printed = '';
  for await (const text of child.stdout.setEncoding('utf8')) {
    printed += text;
    if (printed.includes('/metrics')) break;
  }
  const [origin = '', metrics = ''] = printed.match(/http:\/\/[^\s/]+/g) ?? [];
  return { child, origin, port: Number(new URL(origin).port), metrics: metrics.replace('http://', '') };
}

interface Within {
  readonly metrics: string;
  readonly text: () => string;
  readonly submit: () => Promise<unknown>;
  /** From now on its HTTP client has a bug, its store is gone, and its config is none. */
  readonly breakIt: () => void;
}

/** A relay in this process, whose effects can be broken. */
async function relayWithin(config: string): Promise<Within> {
  const path = join(folder, 'within.yaml');
  writeFileSync(path, config);
  let isBroken = false;
  const metrics = createMetrics();
  const relay = createRelay({
    metrics,
    env: { CONFIG_FILE: path, CACHE_TTL: '1s' },
    effects: {
      log: () => {},
      http: async () => {
        if (isBroken) throw new TypeError('a bug');
        return { status: 200, headers: {}, body: '' };
      },
    },
  });
  await relay.config.get();
  const text = () => writeMetrics(metrics.snapshot());
  const server = await serveMetrics({ host: '127.0.0.1', port: 0, read: async () => text() });
  closing.push(
    () => metrics.close(),
    () => relay.close(),
    () => server.close(),
  );
  return {
    metrics: `127.0.0.1:${server.port}`,
    text,
    submit: () =>
      relay.handle({
        method: 'POST',
        path: '/api/v1/submit/good',
        query: '',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: Buffer.from('message=hello'),
      } as Parameters<typeof relay.handle>[0]),
    breakIt: () => {
      isBroken = true;
      rmSync(join(folder, 'kept-within'), { recursive: true, force: true });
      writeFileSync(join(folder, 'kept-within'), 'no folder any more');
      writeFileSync(path, 'forms: 7');
    },
  };
}

/** With the rules as they are, but for how long things take. */
function rules(): string {
  return readFileSync(new URL('../deploy/prometheus/form-relay.rules.yml', import.meta.url), 'utf8')
    .replaceAll(/for: \d+m/g, 'for: 2s')
    .replaceAll(/\[\d+m\]/g, '[10s]')
    .replace('6 * 3600', '3');
}

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets?: readonly { readonly expr: string }[];
  }[];
}

/** What the dashboard asks, with what Grafana would put in. */
function panels(): readonly { readonly title: string; readonly expr: string }[] {
  const url = new URL('../deploy/grafana/form-relay.json', import.meta.url);
  const { panels } = JSON.parse(readFileSync(url, 'utf8')) as Dashboard;
  return panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({
      title,
      expr: expr
        .replaceAll(/\$(instance|form)/g, '.*')
        .replaceAll('$__rate_interval', '2m')
        .replaceAll('$__range', '5m'),
    })),
  );
}
