/**
 * How fast what is kept goes out once the other side is back, beside what is relayed directly to the same sink, in turn:
 * `npx tsx lab/bench/keep_drain.ts [deliveries [folder]]`, after a build. The folder is on the disk that is meant (default: the
 * system's for temporary files).
 */
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Keep, Kept } from '../../packages/relay/src/base/kept.ts';
import { parseInLanguages } from '../../packages/relay/src/config/parse.ts';
import { keptOutput } from '../../packages/relay/src/keeping/output_match.ts';
import { packContent } from '../../packages/relay/src/keeping/stores/entry.ts';
import { openFolder } from '../../packages/relay/src/keeping/stores/folder.ts';
import { load, startSink } from './load.ts';
import { type Child, cpuSeconds, middle, peakRssMb, pinThisProcess, rssMb, spawnNode } from './process.ts';
import { environment, formWith, request, values } from './submission.ts';

const deliveries = Number(process.argv[2] ?? 100_000);
const rounds = Number(process.env.ROUNDS ?? 3);
const isPinned = pinThisProcess();
const sink = await startSink();
const above = await mkdtemp(join(process.argv[3] ?? tmpdir(), 'bench-drain-'));
const output = { type: 'http_post', url: `${sink.origin}/hook`, mapping: '*' };

interface Run {
  readonly rate: number;
  readonly cpuUs: number;
  readonly rss: string;
}

const direct: Run[] = [];
const drained: Run[] = [];
for (let round = 0; round < rounds; round += 1) {
  direct.push(await relayDirectly());
  drained.push(await drain(deliveries));
}
const small = await drain(Math.ceil(deliveries / 10));

const row = (runs: readonly Run[]) => ({
  'a second': Math.round(middle(runs.map(({ rate }) => rate))),
  ratio: middle(
    runs.map(({ rate }, round) => rate / (direct[round] ?? runs[0] ?? { rate: NaN }).rate),
  ).toFixed(2),
  'CPU µs': middle(runs.map(({ cpuUs }) => cpuUs)).toFixed(0),
  'RSS MB': runs.at(-1)?.rss,
});
console.log(`\nDraining: Node ${process.version}, medians of ${rounds} rounds`);
console.log(isPinned ? 'Relay on one core, load and sink on another.' : 'NOT pinned: taskset is missing.');
console.table({
  'relayed directly, 32 connections': row(direct),
  [`${deliveries} kept`]: row(drained),
  [`${Math.ceil(deliveries / 10)} kept`]: { ...row([small]), ratio: '' },
});
await rm(above, { recursive: true });
sink.close();

async function relayDirectly(): Promise<Run> {
  const config = await file(`forms:\n  contact:${formWith(output)}`);
  const { child, origin } = await start(config);
  await load(origin, request, { connections: 32, seconds: 1 });
  const cpuBefore = cpuSeconds(child);
  const { answers, failures, seconds } = await load(origin, request, { connections: 32, seconds: 5 });
  if (failures > 0) throw new Error(`${failures} of ${answers} failed`);
  const cpuUs = ((cpuSeconds(child) - cpuBefore) / answers) * 1e6;
  const rss = String(peakRssMb(child));
  await stop(child);
  return { rate: answers / seconds, cpuUs, rss };
}

async function drain(count: number): Promise<Run> {
  const path = await mkdtemp(join(above, 'kept-'));
  const text = `keep: {in: ${path}}\nforms:\n  contact:${formWith(output).replace('{', '{"keep":"failed",')}`;
  await fill(text, count);
  const before = sink.received;
  const { child } = await start(await file(text));
  while (sink.received === before) await sleep(5);
  const [startedAt, receivedAtStart, cpuBefore] = [performance.now(), sink.received, cpuSeconds(child)];
  const rss: number[] = [];
  while (sink.received - before < count) {
    const done = (sink.received - before) / count;
    if (done >= rss.length / 4) rss.push(rssMb(child));
    await sleep(5);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const tried = before + count - receivedAtStart;
  const cpuUs = ((cpuSeconds(child) - cpuBefore) / tried) * 1e6;
  await sleep(1_000);
  const shown = `${rss.join(', ')}; peak ${peakRssMb(child)}`;
  await stop(child);
  if (sink.received !== before + count) throw new Error(`${sink.received - before} came of ${count}`);
  const left = (await readdir(path, { recursive: true })).filter((name) => name.includes('contact'));
  if (left.length > 0) throw new Error(`${left.length} files are left`);
  return { rate: tried / seconds, cpuUs, rss: shown };
}

/** As if the relay had kept them while the sink was down. */
async function fill(text: string, count: number): Promise<void> {
  const parsed = await parseInLanguages(text, 'webform.yaml', async () => ({ ok: false, error: 'none' }));
  const form = parsed.ok ? parsed.value.forms.get('contact') : undefined;
  if (!parsed.ok || !form) throw new Error('the config is wrong');
  const store = await openFolder(parsed.value.keep as Keep, { now: Date.now });
  const now = Date.now() - 60_000;
  const keptBy = (number: number): Kept => {
    const requestId = `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
    const id = `${requestId}-0`;
    const submission = { requestId, receivedAt: now, values, files: new Map(), page: undefined };
    const about = { id, form: 'contact', output: keptOutput(form, 0), receivedAt: now };
    return {
      ...about,
      keptAt: now,
      tries: 1,
      why: { code: 'nobody_listens', words: 'connect ECONNREFUSED' },
      content: packContent(submission, about, { sealTo: [], keepSecret: '' }),
    };
  };
  for (let from = 0; from < count; from += 100) {
    const entries = Array.from({ length: Math.min(100, count - from) }, (_, nth) => keptBy(from + nth));
    await store.keep(entries, { isMine: false, dueAt: now, timeoutMs: 60_000 });
  }
  await store.close();
}

async function file(text: string): Promise<string> {
  await mkdir(above, { recursive: true });
  const path = join(above, 'webform.yaml');
  await writeFile(path, text);
  return path;
}

async function start(config: string): Promise<{ child: Child; origin: string }> {
  const child = spawnNode(
    ['dist/relay.cjs', 'serve'],
    { ...environment, CONFIG_FILE: config, CACHE_TTL: '1h' },
    isPinned,
  );
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return { child, origin: line.match(/http:\/\/[\w.]+:\d+/)[0] };
}

async function stop(child: Child): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}
