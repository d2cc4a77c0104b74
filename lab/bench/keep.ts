/**
 * The cost of keeping in a folder: `npx tsx lab/bench/keep.ts [folder]`, after a build. The folder is on the disk that is meant
 * (default: the system's for temporary files).
 *
 * 1. `keep: always` beside nothing and `keep: failed`, full load: submissions a second, and whether all were delivered.
 * 2. The same at 500 submissions a second: how long visitors wait.
 * 3. A relay with 1,000,000 kept deliveries: how long until it answers, and what it needs.
 */
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import {
  encodeForm,
  folderFor,
  nameOf,
  type Status,
  write,
} from '../../packages/relay/src/keeping/stores/folder/file_format.ts';
import { load, startSink } from './load.ts';
import { type Child, cpuSeconds, peakRssMb, pinThisProcess, spawnNode } from './process.ts';
import { environment, formWith, request } from './submission.ts';

const isPinned = pinThisProcess();
const sink = await startSink();
const above = await mkdtemp(join(process.argv[2] ?? tmpdir(), 'bench-keep-'));
const ways = ['', 'failed', 'always'] as const;

console.log(isPinned ? 'Relay on one core, load and sink on another.' : 'NOT pinned: taskset is missing.');

const rows: Record<string, object> = {};
for (const way of [...ways, ...ways]) {
  const relay = await start(way, await folder());
  const receivedAtStart = sink.received;
  const warmUp = await load(relay.origin, request, { connections: 64, seconds: 2 });
  await delivered(receivedAtStart + warmUp.answers);
  const [receivedBefore, cpuBefore] = [sink.received, cpuSeconds(relay.process)];
  const { answers, failures, seconds, p99Ms } = await load(relay.origin, request, {
    connections: 64,
    seconds: 10,
  });
  await delivered(receivedBefore + answers);
  rows[`${way || 'without keep'}, 64 connections`] = {
    'a second': Math.round(answers / seconds),
    'p99 ms': p99Ms.toFixed(1),
    'CPU µs': Math.round(((cpuSeconds(relay.process) - cpuBefore) / answers) * 1e6),
    failures,
    'not delivered': answers - (sink.received - receivedBefore),
    'RSS MB': peakRssMb(relay.process),
  };
  const calm = await load(relay.origin, request, { connections: 50, seconds: 10, perSecond: 500 });
  rows[`${way || 'without keep'}, 500 a second`] = {
    'a second': Math.round(calm.answers / calm.seconds),
    'p99 ms': calm.p99Ms.toFixed(1),
    failures: calm.failures,
  };
  await stop(relay.process);
}
console.table(rows);

const starts: Record<string, object> = {};
for (const [name, perFile] of [
  ['none', 0],
  ['1,000,000 in files of 100', 100],
  ['1,000,000 in files of their own', 1],
] as const) {
  const path = await folder();
  if (perFile > 0) await fill(path, 1_000_000, perFile);
  const startedAt = performance.now();
  const relay = await start('failed', path);
  const answer = await fetch(`${relay.origin}/readyz`);
  const readyMs = performance.now() - startedAt;
  const firstAt = performance.now();
  const { failures, p99Ms } = await load(relay.origin, request, { connections: 8, seconds: 5 });
  starts[name] = {
    'ready after ms': Math.round(readyMs),
    status: answer.status,
    'p99 ms of the first seconds': p99Ms.toFixed(1),
    failures,
    'RSS MB': peakRssMb(relay.process),
    'seconds of CPU': cpuSeconds(relay.process).toFixed(1),
    'over seconds': ((performance.now() - firstAt) / 1000).toFixed(1),
  };
  await stop(relay.process);
  await rm(path, { recursive: true });
}
console.table(starts);
await rm(above, { recursive: true });
sink.close();

async function folder(): Promise<string> {
  return mkdtemp(join(above, 'store-'));
}

async function start(way: (typeof ways)[number], path: string) {
  const form = JSON.parse(formWith({ type: 'http_post', url: `${sink.origin}/hook`, mapping: '*' }));
  const keep = way === '' ? {} : { keep: way };
  const config = { ...(way !== '' && { keep: { in: path } }), forms: { contact: { ...form, ...keep } } };
  const process = spawnNode(
    ['--max-semi-space-size=8', 'dist/relay.cjs', 'serve'],
    { ...environment, CONFIG_INLINE: JSON.stringify(config) },
    isPinned,
  );
  const [line] = await once(createInterface({ input: process.stdout }), 'line');
  return { process, origin: line.match(/http:\/\/[\w.]+:\d+/)[0] as string };
}

async function stop(process: Child): Promise<void> {
  process.kill();
  await once(process, 'exit');
}

/** Until the sink has got so many, or nothing more for long. */
async function delivered(count: number): Promise<void> {
  let [last, since] = [-1, performance.now()];
  while (sink.received < count && performance.now() - since < 10_000) {
    if (last !== sink.received) [last, since] = [sink.received, performance.now()];
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** As the store writes it, but without waiting for the disk: over the next day, and some set aside. */
async function fill(path: string, count: number, perFile: number): Promise<void> {
  const now = Date.now();
  const content = Buffer.alloc(600, 'x');
  const made = new Set<string>();
  for (let number = 0; number < count / perFile; number += 1) {
    const mark = number.toString(16).padStart(24, '0');
    const later = Math.floor(now + 3_600_000 + (number * 86_400_000 * perFile) / count);
    const status: Status = number % 10 === 0 ? 'refused' : later;

    const home = join(path, folderFor(status, now));
    if (!made.has(home)) await mkdir(home, { recursive: true, mode: 0o700 });
    made.add(home);
    const entries = Array.from({ length: perFile }, (_, at) => ({
      isDamaged: false,
      kept: {
        id: `00000000-0000-4000-8000-${String(number * perFile + at).padStart(12, '0')}-0`,
        form: 'contact',
        output: { place: 0, of: 1, type: 'http_post', fingerprint: '0123456789abcdef' },
        receivedAt: now,
        keptAt: now,
        tries: 1,
        why: { code: 'http_status', words: 'answered 503' },
        content,
      },
    }));
    const name = {
      status,
      keptAt: now,
      left: perFile,
      total: perFile,
      mark,
      form: encodeForm('contact'),
    };
    await writeFile(join(home, nameOf(name)), Buffer.concat(write(mark, entries)), { mode: 0o600 });
  }
  if ((await readdir(path)).length === 0) throw new Error('nothing was written');
}
