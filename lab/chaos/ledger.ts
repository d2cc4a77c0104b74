/**
 * Posts submissions while sinks, relays and, if deliveries are queued, their store fail according to plan;
 * then, after recovery, compares what was acknowledged with what arrived.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tempFolder } from '../../scripts/machine.ts';
import { between, chance } from './chance.ts';
import { type ChaosPlace, openPlace, type PlaceName } from './keep_places.ts';
import { drain, keepSecret, openKept } from './kept.ts';
import { counter, repeat } from './loop.ts';
import { Clock, type FleetOptions, faultsOf, startFleet } from './relays.ts';
import { type Outcome, type SendersOptions, sendAll, tally } from './senders.ts';
import type { Ports, SinksOptions, SinksQuestion, SinksReport } from './sinks.ts';
import { type Config, configOf, type SinkName, sinkNames, submission } from './submission.ts';

export interface LedgerOptions extends SendersOptions, FleetOptions {
  /** The average time between two outages of sinks in milliseconds, and how long one takes. */
  readonly outageEveryMs: number;
  readonly outageMs?: readonly [least: number, most: number];
  /** Where forms queue deliveries. Default: they queue none. */
  readonly keep?: {
    readonly place: PlaceName;
    /** The average time between two faults of the store in milliseconds, and how long one takes. */
    readonly troubleEveryMs: number;
    readonly troubleMs: readonly [least: number, most: number];
    /** The time limit for everything to arrive after recovery. */
    readonly drainMs: number;
  };
}

type Counts = Readonly<Record<string, number>>;

export async function runLedger(options: LedgerOptions) {
  const ends: (() => Promise<unknown>)[] = [];
  /** Returns a function that does the work once: when called, or else after the run. */
  const later: Later = <T>(work: () => T | Promise<T>) => {
    let done: Promise<T> | undefined;
    const end = () => (done ??= (async () => await work())());
    ends.unshift(end);
    return end;
  };
  try {
    return await run(options, later);
  } finally {
    // Even after a failure, no relay, server or disk may remain; most have ended by now.
    for (const end of ends) await end().catch(() => {});
  }
}

type Later = <T>(work: () => T | Promise<T>) => () => Promise<T>;

async function run(options: LedgerOptions, later: Later) {
  const { seed, keep } = options;
  const startedAt = performance.now();
  const clock = new Clock();
  const place = keep && (await openPlace(keep.place, clock.now));
  const removePlace = later(() => place?.remove());
  const sinks = await startSinks(options);
  const endSinks = later(sinks.end);
  const keeping = place && {
    top: { keep: { in: place.in.name } },
    forms: { posts: { keep: 'always' }, all: { keep: 'failed' }, mails: { keep: 'always' } },
  };
  const config = replaceConfig(configOf(sinks.ports, keeping));
  const endConfig = later(config.end);
  const env = { CONFIG_FILE: config.path, CACHE_TTL: '50ms', ...keepSecret, ...place?.env };
  const fleet = await startFleet(options, env, place && clock);
  const endFleet = later(fleet.end);
  const push = (ms: number) => clock.push(fleet.copies, ms);
  const calm = later(fleet.calm);
  const endTroubles = later(place && keep ? troubleAll(place, { seed, ...keep }, push) : () => ({}));
  const { outcomes, violations, connectsRefused } = await sendAll(fleet.copies, options);
  const troubles = await endTroubles();
  const counts = await calm();

  await sinks.heal();
  const store = place && (await openKept(place.in, place.env, clock));
  const closeStore = later(() => store?.close());
  const left = store && keep ? await drain(store, clock, push, keep.drainMs) : [];
  const lives = await endFleet();
  const configs = await endConfig();
  await closeStore();
  const report = await endSinks();
  await removePlace();

  const sum = (of: 'retries' | 'kept') => lives.reduce((before, life) => before + life[of], 0);
  const { missing, ...compared } = compare(outcomes, report, (id) =>
    (keep ? keptOutputs : outputs)(submission(seed, id).form),
  );
  return {
    seconds: Math.round((performance.now() - startedAt) / 1_000),
    outcomes: tally(outcomes),
    relays: { connects_refused: connectsRefused, ...counts, retries: sum('retries'), configs },
    troubles,
    /** Counts each output of a submission. */
    deliveries: { ...compared, missing: missing.length, kept: sum('kept') },
    sinks: Object.fromEntries(sinkNames.map((name) => [name, sinkRow(report[name])])),
    ways: waysTable(report),
    violations: [
      ...[...violations, ...left, ...faultsOf(lives), ...missing],
      ...sinkNames.flatMap((name) => report[name].violations),
    ],
  };
}

/** Replaces atomically, as `mv` and editors do. */
export function replaceFile(path: string, text: string): void {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}

/** Repeatedly replaces the config file by another one with the same forms. */
function replaceConfig({ forms, ...config }: Config) {
  const folder = tempFolder('config');
  const path = join(folder, 'webform.yaml');
  writeFileSync(path, JSON.stringify({ ...config, forms }));
  let count = 0;
  const replace = setInterval(() => {
    count += 1;
    const outputs = [{ type: 'http_post', url: 'http://127.0.0.1:9', mapping: '*' }];
    const other = { [`other-${count}`]: { fields: [{ name: 'id' }], outputs } };
    const changed = { ...config, forms: { ...(count % 2 === 0 && other), ...forms } };
    replaceFile(path, JSON.stringify(changed));
  }, 1_000);
  const end = () => {
    clearInterval(replace);
    rmSync(folder, { recursive: true, force: true });
    return count;
  };
  return { path, end };
}

/** The relays' clock is advanced by about this much per second, so that entries become due. */
const pushMs = 40_000;

interface TroubleOptions {
  readonly seed: number;
  readonly troubleEveryMs: number;
  readonly troubleMs: readonly [least: number, most: number];
}

/**
 * Causes the faults in turn while the clock is advanced, until the returned function is called. That function
 * returns how often each occurred.
 */
function troubleAll(
  { troubles }: ChaosPlace,
  { seed, troubleEveryMs, troubleMs }: TroubleOptions,
  push: (ms: number) => void,
) {
  const { counts, count } = counter();
  const names = Object.keys(troubles);
  const at = (count: number, question: number) => chance(seed, -7, -count, question);
  const troubling = repeat(
    (turn) => troubleEveryMs * between(0.5, 1.5, at(turn, 1)),
    async (turn) => {
      const name = names[Math.floor(at(turn, 2) * names.length)] as string;
      count(name);
      await troubles[name]?.(between(...troubleMs, at(turn, 3)));
    },
  );
  const pushing = repeat(
    () => 1_000,
    (turn) => push(pushMs * between(0.5, 1.5, chance(seed, -8, turn))),
  );
  return async () => {
    await Promise.all([troubling.end(), pushing.end()]);
    return counts;
  };
}

type Form = ReturnType<typeof submission>['form'];

/** Outputs that must receive an acknowledged submission. */
const outputs = ({ needs }: Form): readonly SinkName[] => needs;

/**
 * With `keep: always`, every output must receive it, whatever its `on_error`; otherwise `copy` may be missing
 * if neither the output nor the store accepts it.
 */
const keptOutputs = ({ name, needs }: Form): readonly SinkName[] =>
  name === 'posts' ? [...needs, 'copy'] : needs;

/** Checks every promise that relates the answers to senders and the contents of sinks. */
function compare(
  outcomes: readonly Outcome[],
  report: SinksReport,
  outputsOf: (id: number) => readonly SinkName[],
) {
  const missing: string[] = [];
  let acknowledged = 0;
  let duplicates = 0;
  outcomes.forEach((outcome, id) => {
    for (const name of outputsOf(id)) {
      const taken = report[name].taken[id] ?? 0;
      duplicates += Math.max(0, taken - 1);
      if (outcome !== 'acknowledged') continue;
      acknowledged += 1;
      if (taken === 0) missing.push(`${id} was acknowledged, and ${name} does not have it`);
    }
    const keys = new Set(sinkNames.map((name) => report[name].keys[id]).filter((key) => key !== 0));
    if (keys.size > 1) missing.push(`${id} came to several sinks as several submissions`);
    if (outcome === 'cut off unread by SIGTERM' && sinkNames.some((name) => report[name].read[id]))
      missing.push(`${id} was accepted by a relay that was to stop, and its sender got no answer`);
  });
  return { acknowledged, duplicates, missing };
}

function sinkRow({ read, taken, ways }: SinksReport[SinkName]): Counts {
  const sum = (counts: Uint8Array) => counts.reduce((total, count) => total + count, 0);
  const distinct = (counts: Uint8Array) => counts.reduce((total, count) => total + Math.min(1, count), 0);
  const troubles = Object.entries(ways).filter(([way]) => !way.startsWith('took it'));
  return {
    taken: distinct(taken),
    'read again, same key': sum(read) - distinct(read),
    'taken again, same key': sum(taken) - distinct(taken),
    'refused by plan': troubles.reduce((total, [, count]) => total + count, 0),
  };
}

/** How many times sinks used each of their faults. */
function waysTable(report: SinksReport) {
  const table: Record<string, Record<string, number>> = {};
  for (const name of sinkNames)
    for (const [way, count] of Object.entries(report[name].ways))
      table[way] = { ...table[way], [name]: count };
  return table;
}

/** `tsx` runs TypeScript directly. */
export async function startSinks({ seed, submissions, outageEveryMs, outageMs }: SinksOptions) {
  const child = fork(fileURLToPath(new URL('sinks.ts', import.meta.url)), [], {
    execArgv: ['--import', 'tsx'],
    serialization: 'advanced',
  });
  const ask = async (question: SinksQuestion) => {
    child.send(question);
    const [answer] = await once(child, 'message');
    return answer;
  };
  const ports: Ports = await ask({ start: { seed, submissions, outageEveryMs, outageMs } });
  return {
    ports,
    /** From now on, all sinks accept everything. */
    heal: () => ask('heal'),
    end: async () => {
      const report: SinksReport = await ask('report');
      child.disconnect();
      return report;
    },
  };
}
