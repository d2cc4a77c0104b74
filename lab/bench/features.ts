/**
 * The cost of features that are on: `npx tsx lab/bench/features.ts [pattern]`, after a build; only those whose names match. The same
 * submission to the same form with `keep: failed`, with a journal, with metrics, with a trace of its own, and with the page that it
 * came from, in alternating rounds. Each is beside a relay that gets the same bytes without the feature. The aim: 3 % of CPU time.
 */

import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { load, startSink } from './load.ts';
import { type Child, cpuSeconds, middle, pinThisProcess, spawnNode } from './process.ts';
import { environment, formWith, request } from './submission.ts';

const rounds = Number(process.env.ROUNDS ?? 21);
const isPinned = pinThisProcess();
const sink = await startSink();
const folder = mkdtempSync(join(tmpdir(), 'bench-features-'));
const journal = mkdtempSync(join(tmpdir(), 'bench-journal-'));
process.on('exit', () => {
  for (const made of [folder, journal]) rmSync(made, { recursive: true });
});

const [head = '', body = ''] = request.toString('latin1').split('\r\n\r\n');
const requestWith = (line: string, more = '') =>
  Buffer.from(
    `${head.replace(/content-length: \d+/, `content-length: ${body.length + more.length}`)}\r\n${line}\r\n\r\n${body}${more}`,
  );
const traced = 'traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const pageFields =
  '&_page_url=https%3A%2F%2Fwww.example.com%2Fboots%3Futm_source%3Dnews&_page_title=Red+boots';
const paged = requestWith('x-requested-with: fetch', pageFields);

interface Way {
  readonly form?: object;
  readonly config?: object;
  readonly env?: Readonly<Record<string, string>>;
  readonly request?: Buffer;
  /** Gets the same bytes. */
  readonly beside: string;
}

const ways: Readonly<Record<string, Way>> = {
  plain: { beside: 'plain' },
  'plain, again': { beside: 'plain' },
  'keep: failed': { form: { keep: 'failed' }, config: { keep: { in: folder } }, beside: 'plain' },
  journal: { config: { journal: { in: journal } }, beside: 'plain' },
  metrics: { env: { METRICS_PORT: '0' }, beside: 'plain' },
  'traceparent, ignored': { request: requestWith(traced.replace('t:', 'x:')), beside: 'plain' },
  traceparent: { request: requestWith(traced), beside: 'traceparent, ignored' },
  'page fields, ignored': { request: paged, beside: 'plain' },
  'page: true': { form: { page: true }, request: paged, beside: 'page fields, ignored' },
};

const only = new RegExp(process.argv[2] ?? '');
const asked = Object.entries(ways).filter(([name]) => only.test(name));
const servers = await Promise.all(
  Object.entries(ways)
    .filter(([name]) => asked.some(([one, { beside }]) => one === name || beside === name))
    .map(async ([name, way]) => ({ name, way, us: [] as number[], ...(await start(way)) })),
);
// So many requests that all of it is compiled, however busy the machine is.
for (const { origin, way } of servers) {
  for (let sent = 0; sent < 20_000; ) {
    sent += (await load(origin, way.request ?? request, { connections: 32, seconds: 1 })).answers;
  }
}
for (let round = 0; round < rounds; round += 1) {
  for (const { way, origin, process, us } of servers) {
    const cpuBefore = cpuSeconds(process);
    const { answers, failures } = await load(origin, way.request ?? request, { connections: 32, seconds: 1 });
    if (failures > 0) throw new Error(`${failures} failures`);
    us.push(((cpuSeconds(process) - cpuBefore) / answers) * 1e6);
  }
}
console.log(isPinned ? 'Relay on one core, load and sink on another.' : 'NOT pinned: taskset is missing.');
console.table(
  Object.fromEntries(
    servers.map(({ name, way, us, process }) => {
      process.kill();
      const beside = servers.find((one) => one.name === way.beside)?.us ?? us;
      const ratio = middle(us.map((one, at) => one / (beside[at] ?? one)));
      return [name, { 'CPU µs': middle(us).toFixed(1), beside: way.beside, 'CPU ratio': ratio.toFixed(3) }];
    }),
  ),
);
sink.close();

async function start({ form, config, env }: Way): Promise<{ process: Child; origin: string }> {
  const output = { type: 'http_post', url: `${sink.origin}/hook`, mapping: '*' };
  const contact = { ...JSON.parse(formWith(output)), ...form };
  const process = spawnNode(
    ['dist/relay.cjs', 'serve'],
    {
      ...environment,
      ...env,
      CACHE_TTL: '1h',
      CONFIG_INLINE: JSON.stringify({ ...config, forms: { contact } }),
    },
    isPinned,
  );
  const [line] = await once(createInterface({ input: process.stdout }), 'line');
  return { process, origin: /http:\/\/[\w.]+:\d+/.exec(line)?.[0] ?? '' };
}
