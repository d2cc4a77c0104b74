/**
 * The cost of being measured: `npx tsx lab/bench/metrics.ts`, after a build. The same submission to a relay with METRICS_PORT,
 * which is read each second, beside one without; with BEFORE=<the dist folder of another build> beside that, too. Then what
 * it takes to write what 1,000 forms with two outputs each, all of them used, have counted.
 */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { createMetrics, writeMetrics } from '../../packages/relay/src/telling/metrics/index.ts';
import { parseConfig } from '../../test/support/parse_config.ts';
import { load, startSink } from './load.ts';
import { type Child, cpuSeconds, peakRssMb, pinThisProcess, spawnNode } from './process.ts';
import { environment, formWith, request } from './submission.ts';

const isPinned = pinThisProcess();
const sink = await startSink();
console.log(isPinned ? 'Relay on one core, load and sink on another.' : 'NOT pinned: taskset is missing.');

const ways = {
  'not measured': { dist: 'dist', env: {} },
  'measured, read each second': { dist: 'dist', env: { METRICS_PORT: '0' } },
  ...(process.env.BEFORE && { before: { dist: process.env.BEFORE, env: {} } }),
};
const rounds: Record<string, { cpuUs: number; perSecond: number; rssMb: number }[]> = {};
for (let round = 0; round < 5; round += 1) {
  for (const [name, { dist, env }] of Object.entries(ways)) {
    const relay = await start(dist, env);
    const scraping =
      relay.metrics && setInterval(() => void fetch(`${relay.metrics}`).then((a) => a.text()), 1_000);
    await load(relay.origin, () => request, { connections: 32, seconds: 2 });
    const cpuBefore = cpuSeconds(relay.process);
    const { answers, failures, seconds } = await load(relay.origin, () => request, {
      connections: 32,
      seconds: 5,
    });
    const cpuUs = ((cpuSeconds(relay.process) - cpuBefore) / answers) * 1e6;
    if (failures > 0) throw new Error(`${name}: ${failures} failures`);
    clearInterval(scraping);
    const all = rounds[name] ?? [];
    all.push({ cpuUs, perSecond: answers / seconds, rssMb: peakRssMb(relay.process) });
    rounds[name] = all;
    relay.process.kill();
    await once(relay.process, 'exit');
  }
}
sink.close();

const median = (all: readonly number[]) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0;
const floor = rounds['not measured'] ?? [];
console.table(
  Object.fromEntries(
    Object.entries(rounds).map(([name, all]) => [
      name,
      {
        'CPU µs': Math.round(median(all.map(({ cpuUs }) => cpuUs))),
        'CPU ratio': median(all.map(({ cpuUs }, at) => cpuUs / (floor[at]?.cpuUs ?? 1))).toFixed(3),
        'a second': Math.round(median(all.map(({ perSecond }) => perSecond))),
        'RSS MB': Math.round(median(all.map(({ rssMb }) => rssMb))),
      },
    ]),
  ),
);
writeOfManyForms();

async function start(dist: string, env: Readonly<Record<string, string>>) {
  const config = `forms:\n  contact:${formWith({ type: 'http_post', url: `${sink.origin}/hook`, mapping: '*' })}`;
  const process: Child = spawnNode(
    [`${dist}/relay.cjs`, 'serve'],
    { ...environment, ...env, CONFIG_INLINE: config },
    isPinned,
  );
  const lines = createInterface({ input: process.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<string> => /http:\/\/\S+/.exec((await lines.next()).value ?? '')?.[0] ?? '';
  return { process, origin: await next(), metrics: env.METRICS_PORT ? await next() : undefined };
}

function writeOfManyForms(): void {
  const output = '{type: http_post, url: "https://crm.example.com/", mapping: "*"}';
  const names = Array.from({ length: 1_000 }, (_, at) => `form-${at}`);
  const config = parseConfig(
    `forms:\n${names.map((name) => `  ${name}: {fields: [{name: name}], outputs: [${output}, ${output}]}\n`).join('')}`,
    'webform.yaml',
  );
  if (!config.ok) throw new Error('no config');
  const metrics = createMetrics();
  metrics.begin({
    now: Date.now,
    config: { current: config.value, state: 'fresh' },
    lostLines: () => 0,
    kept: () => undefined,
  });
  metrics.loaded('changed');
  const trace = { traceId: '', spanId: '', parentId: undefined, isSampled: true, hops: 0 };
  for (const name of names) {
    const hear = metrics.observe({ requestId: '', formId: name, asked: name, receivedAt: 0, trace });
    for (const output of [0, 1]) {
      const about = { output, type: 'http_post' };
      hear({ kind: 'delivery_tried', ...about, attempt: 1, message: {}, trace });
      hear({ kind: 'delivered', ...about, payload: [], answer: undefined, attempts: 1, ms: 30 });
    }
    hear({
      kind: 'answered',
      outcome: { kind: 'delivered' },
      answer: { status: 200, headers: {}, body: '' },
      ms: 31,
    });
  }
  const times = Array.from({ length: 30 }, () => {
    const began = performance.now();
    const text = writeMetrics(metrics.snapshot());
    return { ms: performance.now() - began, text };
  });
  const text = times[0]?.text ?? '';
  console.log(
    `1,000 forms with two outputs: ${(text.length / 1e6).toFixed(1)} MB in ${text.split('\n').length} lines, ` +
      `written in ${median(times.map(({ ms }) => ms)).toFixed(0)} ms`,
  );
  metrics.close();
}
