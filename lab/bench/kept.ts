/**
 * Measures `keep: always` in a folder: its cost, and its goodput on a busy machine with a slow disk:
 * `BEFORE=<dist of another build>,… npx tsx lab/bench/kept.ts [seconds] [rounds]`. The builds take turns.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { tempFolder } from '../../scripts/machine.ts';
import { load, startSink } from './load.ts';
import { addressOf, cpuSeconds, middle, peakRssMb, spawnNode } from './process.ts';
import { environment, formWith, request } from './submission.ts';

const connections = 64;
const [seconds = 6, rounds = 3] = process.argv.slice(2).map(Number);
const builds = [...(process.env.BEFORE?.split(',') ?? []), 'dist'];
/** How long each sync blocks the disk, in milliseconds, and how many busy loops compete with the relay. */
const machines = {
  idle: { syncMs: 0, loops: 0 },
  busy: { syncMs: 0, loops: 8 },
  'slow disk': { syncMs: 100, loops: 0 },
  'very slow disk': { syncMs: 1_000, loops: 0 },
};
const keys = ['answered', 'rejected', 'lost', 'cpuMs', 'p99Ms', 'rssMb'] as const;
type Row = Record<(typeof keys)[number], number>;

const results = new Map<string, Row[]>();
for (let round = 0; round < rounds; round += 1)
  for (const [machine, how] of Object.entries(machines))
    for (const dist of builds) {
      const name = `${machine}, ${dist}`;
      results.set(name, [...(results.get(name) ?? []), await measure(dist, how)]);
    }
const middles = (rows: readonly Row[]) =>
  Object.fromEntries(keys.map((key) => [key, middle(rows.map((row) => row[key]))]));
console.table(Object.fromEntries([...results].map(([name, rows]) => [name, middles(rows)])));
process.exit();

async function measure(dist: string, { syncMs, loops }: { syncMs: number; loops: number }): Promise<Row> {
  const sink = await startSink();
  const folder = tempFolder('kept');
  const form = formWith({ type: 'http_post', url: sink.origin, mapping: '*' }).replace(
    '{',
    '{"keep":"always",',
  );
  const slow = fileURLToPath(new URL('slow_disk.cjs', import.meta.url));
  const relay = spawnNode([...(syncMs ? ['--require', slow] : []), join(dist, 'relay.cjs'), 'serve'], {
    ...environment,
    SYNC_MS: String(syncMs),
    CONFIG_INLINE: `keep: {in: ${folder}}\nforms:\n contact:${form}`,
  });
  if (loops > 0) execFileSync('renice', ['-n', '5', '-p', String(relay.pid)], { stdio: 'ignore' });
  const origin = await addressOf(relay);
  await load(origin, request, { connections, seconds: 2 });
  const busyLoops = Array.from({ length: loops }, () => spawn(process.execPath, ['-e', 'for(;;);']));
  const [before, received] = [cpuSeconds(relay), sink.received];
  const { answers, failures, p99Ms } = await load(origin, request, { connections, seconds });
  for (const one of busyLoops) one.kill();
  const answered = answers - failures;
  const endsAt = Date.now() + 60_000;
  while (sink.received < received + answered && Date.now() < endsAt) await setTimeout(50);
  const cpuMs = Number((((cpuSeconds(relay) - before) * 1_000) / answered).toFixed(2));
  const lost = Math.max(0, received + answered - sink.received);
  const rssMb = peakRssMb(relay);
  relay.kill();
  await once(relay, 'exit');
  sink.close();
  return { answered, rejected: failures, lost, cpuMs, p99Ms: Math.round(p99Ms), rssMb };
}
