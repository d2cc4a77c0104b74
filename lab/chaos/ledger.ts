/**
 * Posts submissions while sinks, relays and, if they keep deliveries, their store fail by plan; then all recovers, and what was
 * acknowledged is compared with what arrived.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { between, chance } from './chance.ts';
import { type ChaosPlace, openPlace, type PlaceName } from './keep_places.ts';
import { drain, keepSecret, openKept } from './kept.ts';
import { counter, repeat } from './loop.ts';
import { Clock, Copy, faultsOf, type RestartOptions, restartAll } from './relays.ts';
import { type Outcome, type SendersOptions, sendAll, tally } from './senders.ts';
import type { Ports, SinksOptions, SinksQuestion, SinksReport } from './sinks.ts';
import { type Config, configOf, type SinkName, sinkNames, submission } from './submission.ts';

export interface LedgerOptions extends SendersOptions, RestartOptions {
  /** How many copies of the relay serve side by side. */
  readonly relays: number;
  /** Milliseconds between two outages of sinks, about, and how long one takes. */
  readonly outageEveryMs: number;
  readonly outageMs?: readonly [least: number, most: number];
  /** Where forms keep what they owe. Default: they keep nothing. */
  readonly keep?: {
    readonly place: PlaceName;
    /** Milliseconds between two troubles of the store, about, and how long one takes. */
    readonly troubleEveryMs: number;
    readonly troubleMs: readonly [least: number, most: number];
    /** How long all of it may take to arrive, once everything has recovered. */
    readonly drainMs: number;
  };
}

type Counts = Readonly<Record<string, number>>;

export interface Ledger {
  readonly seconds: number;
  readonly outcomes: ReturnType<typeof tally>;
  readonly relays: Counts;
  readonly troubles: Counts;
  /** Counts each output of a submission. */
  readonly deliveries: Readonly<Record<'acknowledged' | 'missing' | 'duplicates' | 'kept', number>>;
  readonly sinks: Readonly<Record<SinkName, Counts>>;
  /** How often sinks went each of their ways. */
  readonly ways: Readonly<Record<string, Counts>>;
  readonly violations: readonly string[];
}

export async function runLedger(options: LedgerOptions): Promise<Ledger> {
  const ends: (() => unknown)[] = [];
  try {
    return await run(options, (end) => ends.push(end));
  } finally {
    // After a failure, too, no relay, server or disk may stay behind; most have ended by now.
    for (const end of ends.reverse())
      await Promise.resolve()
        .then(end)
        .catch(() => {});
  }
}

async function run(options: LedgerOptions, later: (end: () => unknown) => void): Promise<Ledger> {
  const { seed, keep } = options;
  const startedAt = performance.now();
  const clock = new Clock();
  const place = keep && (await openPlace(keep.place, clock.now));
  const removePlace = onceOnly(async () => place?.remove());
  later(removePlace);
  const sinks = await startSinks(options);
  const endSinks = onceOnly(() => sinks.end());
  later(endSinks);
  const keeping = place && {
    top: { keep: { in: place.in.name } },
    forms: { posts: { keep: 'always' }, all: { keep: 'failed' }, mails: { keep: 'always' } },
  };
  const config = replaceConfig(configOf(sinks.ports, keeping));
  later(config.end);
  const env = { CONFIG_FILE: config.path, CACHE_TTL: '50ms', ...keepSecret, ...place?.env };
  const copies = await Copy.startAll(options.relays, env, place && clock);
  const endCopies = onceOnly(() => Copy.endAll(copies));
  later(endCopies);
  const push = (ms: number) => clock.push(copies, ms);
  const restarting = restartAll(copies, options);
  later(restarting.end);
  const troubling = place && keep && troubleAll(place, { seed, ...keep }, push);
  later(() => troubling?.end());
  const { outcomes, violations, connectsRefused } = await sendAll(copies, options);
  const troubles = (await troubling?.end()) ?? {};
  const counts = await restarting.end();

  await sinks.heal();
  const store = place && (await openKept(place.in, place.env, clock));
  const closeStore = onceOnly(async () => store?.close());
  later(closeStore);
  const left = store && keep ? await drain(store, clock, push, keep.drainMs) : [];
  const lives = await endCopies();
  const configs = config.end();
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
    deliveries: { ...compared, missing: missing.length, kept: sum('kept') },
    sinks: Object.fromEntries(sinkNames.map((name) => [name, sinkRow(report[name])])) as Ledger['sinks'],
    ways: waysTable(report),
    violations: [
      ...[...violations, ...left, ...faultsOf(lives), ...missing],
      ...sinkNames.flatMap((name) => report[name].violations),
    ],
  };
}

/** A config file that is replaced by another one of the same forms, over and over, as `mv` and editors do. */
function replaceConfig({ forms, ...config }: Config) {
  const folder = mkdtempSync(join(tmpdir(), 'relay-config-'));
  const path = join(folder, 'webform.yaml');
  writeFileSync(path, JSON.stringify({ ...config, forms }));
  let count = 0;
  const replace = setInterval(() => {
    count += 1;
    const outputs = [{ type: 'http_post', url: 'http://127.0.0.1:9', mapping: '*' }];
    const other = { [`other-${count}`]: { fields: [{ name: 'id' }], outputs } };
    const changed = { ...config, forms: { ...(count % 2 === 0 && other), ...forms } };
    writeFileSync(`${path}.new`, JSON.stringify(changed));
    renameSync(`${path}.new`, path);
  }, 1_000);
  const end = () => {
    clearInterval(replace);
    rmSync(folder, { recursive: true, force: true });
    return count;
  };
  return { path, end };
}

function onceOnly<T>(work: () => Promise<T>): () => Promise<T> {
  let done: Promise<T> | undefined;
  return () => {
    done ??= work();
    return done;
  };
}

/** Every second, the clock of the relays moves on by about this much, so that entries become due. */
const pushMs = 40_000;

interface TroubleOptions {
  readonly seed: number;
  readonly troubleEveryMs: number;
  readonly troubleMs: readonly [least: number, most: number];
}

/** Runs the troubles in turn, while the clock is pushed on; until `end` is called, which reports how often each came. */
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
  return {
    end: async () => {
      await Promise.all([troubling.end(), pushing.end()]);
      return counts;
    },
  };
}

type Form = ReturnType<typeof submission>['form'];

/** The outputs that must have a submission that was acknowledged. */
const outputs = ({ needs }: Form): readonly SinkName[] => needs;

/** If all is kept first, each output, whatever its `on_error`; else `copy` may be left out when neither it nor the store takes it. */
const keptOutputs = ({ name, needs }: Form): readonly SinkName[] =>
  name === 'posts' ? [...needs, 'copy'] : needs;

/** Checks every promise that joins the answers to senders and the contents of sinks. */
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

function waysTable(report: SinksReport): Ledger['ways'] {
  const table: Record<string, Record<string, number>> = {};
  for (const name of sinkNames)
    for (const [way, count] of Object.entries(report[name].ways))
      table[way] = { ...table[way], [name]: count };
  return table;
}

interface Sinks {
  readonly ports: Ports;
  /** From now on all of them take all. */
  heal(): Promise<void>;
  end(): Promise<SinksReport>;
}

/** `tsx` runs what is written in TypeScript. */
export async function startSinks({
  seed,
  submissions,
  outageEveryMs,
  outageMs,
}: SinksOptions): Promise<Sinks> {
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
    heal: () => ask('heal'),
    end: async () => {
      const report: SinksReport = await ask('report');
      child.disconnect();
      return report;
    },
  };
}
