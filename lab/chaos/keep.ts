/** Posts submissions to forms that keep what they owe, while outputs, relays and the store fail; then all recovers. */
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ClientError } from '../../packages/relay/src/base/client_error.ts';
import type { Keep, Store } from '../../packages/relay/src/base/kept.ts';
import { openStore } from '../../packages/relay/src/keeping/stores/index.ts';
import { awsAccount } from '../../packages/relay/src/transports/aws/account.ts';
import { createNodeHttp } from '../../packages/relay/src/transports/http/node_client.ts';
import { between, chance } from './chance.ts';
import { everything } from './everything.ts';
import { type ChaosPlace, openPlace, type PlaceName } from './keep_places.ts';
import { startSinks } from './ledger.ts';
import { Copy, type RestartOptions, restartAll } from './relays.ts';
import { type Outcome, type SendersOptions, sendAll, tally } from './senders.ts';
import type { SinksReport } from './sinks.ts';
import { configText, type SinkName, sinkNames, submission } from './submission.ts';

export interface KeepOptions extends SendersOptions, RestartOptions {
  readonly place: PlaceName;
  /** Whether all else that a config can switch on is on, too. */
  readonly withEverything?: boolean;
  readonly relays: number;
  /** Milliseconds between two outages of sinks, about, and how long one takes. */
  readonly outageEveryMs: number;
  readonly outageMs: readonly [least: number, most: number];
  /** Milliseconds between two troubles of the store, about, and how long one takes. */
  readonly troubleEveryMs: number;
  readonly troubleMs: readonly [least: number, most: number];
  /** How long all of it may take to arrive, once everything has recovered. */
  readonly drainMs: number;
}

export interface KeepLedger {
  readonly seconds: number;
  readonly drainSeconds: number;
  readonly outcomes: ReturnType<typeof tally>;
  readonly relays: Readonly<Record<string, number>>;
  readonly troubles: Readonly<Record<string, number>>;
  readonly sinks: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Deliveries, one for each output of a submission. */
  readonly deliveries: Readonly<Record<'acknowledged' | 'missing' | 'duplicates' | 'kept', number>>;
  readonly violations: readonly string[];
}

/** What has waited is tried when the clock is pushed on: by so much, about, every second or so. */
const pushMs = 40_000;

export async function runKeep(options: KeepOptions): Promise<KeepLedger> {
  const ends: (() => unknown)[] = [];
  try {
    return await run(options, (end) => ends.push(end));
  } finally {
    // Whatever went wrong, no relay, server or disk stays behind; most have ended by now.
    for (const end of ends.reverse())
      await Promise.resolve()
        .then(end)
        .catch(() => {});
  }
}

async function run(options: KeepOptions, later: (end: () => unknown) => void): Promise<KeepLedger> {
  const { seed, drainMs } = options;
  const startedAt = performance.now();
  const clock = createClock();
  const place = await openPlace(options.place, clock.now);
  const removePlace = once(() => place.remove());
  later(removePlace);
  const sinks = await startSinks(options);
  const endSinks = once(() => sinks.end());
  later(endSinks);
  const rest = options.withEverything ? await everything() : undefined;
  later(() => rest?.end());
  const config = configText(sinks.ports, {
    ...rest,
    top: `keep: {in: ${JSON.stringify(place.in.name)}}${rest?.top ?? ''}`,
    forms: { posts: 'keep: always', all: 'keep: failed', mails: 'keep: always' },
  });
  const copies = await Promise.all(
    Array.from({ length: options.relays }, () =>
      Copy.start(
        () => ({
          CONFIG_INLINE: config,
          KEEP_SECRET: 'a secret that is for this run and no other',
          CHAOS_AHEAD_MS: String(clock.aheadMs),
          ...rest?.env,
          ...place.env,
        }),
        ['--require', fileURLToPath(new URL('clock.cjs', import.meta.url))],
      ),
    ),
  );
  const endCopies = once(() => Promise.all(copies.map((copy) => copy.end('SIGTERM'))));
  later(endCopies);
  const push = (ms: number) => {
    clock.aheadMs += Math.round(ms);
    // One that is about to end does not hear it.
    for (const { relay } of copies) relay.child.send(clock.aheadMs, () => undefined);
  };
  const restarting = restartAll(copies, options);
  later(restarting.end);
  const troubling = troubleAll(place, options, push);
  later(troubling.end);
  const { outcomes, violations, connectsRefused } = await sendAll(copies, options);
  const troubles = await troubling.end();
  const counts = await restarting.end();
  await sinks.heal();

  const drainedAt = performance.now();
  const store = await openAs(place, clock.now);
  const closeStore = once(() => store.close());
  later(closeStore);
  const left = await drain(store, clock.now, push, drainMs);
  const drainSeconds = (performance.now() - drainedAt) / 1_000;
  await endCopies();
  await closeStore();
  const report = await endSinks();
  await removePlace();

  const lives = copies.flatMap(({ ended }) => ended);
  const { missing, ...compared } = compare(seed, outcomes, report);
  return {
    seconds: (performance.now() - startedAt) / 1_000,
    drainSeconds,
    outcomes: tally(outcomes),
    relays: { connects_refused: connectsRefused, ...counts },
    troubles,
    sinks: Object.fromEntries(sinkNames.map((name) => [name, sinkRow(report[name])])),
    deliveries: {
      ...compared,
      missing: missing.length,
      kept: lives.reduce((sum, life) => sum + life.kept, 0),
    },
    violations: [
      ...violations,
      ...left,
      ...lives.flatMap(({ faults }) => faults.map((fault) => `a relay: ${fault}`)),
      ...sinkNames.flatMap((name) => report[name].violations),
      ...missing,
    ],
  };
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let done: Promise<T> | undefined;
  return () => {
    done ??= work();
    return done;
  };
}

function createClock() {
  const clock = { aheadMs: 0, now: () => Date.now() + clock.aheadMs };
  return clock;
}

/** As the owner's tools do, in a process beside the relays. */
function openAs({ in: where, env }: ChaosPlace, now: () => number): Promise<Store> {
  // biome-ignore lint/suspicious/noThenProperty: what becomes of a delivery then.
  const keep: Keep = { in: where, forMs: 14 * 86_400_000, then: 'aside', sealTo: [], filesIn: undefined };
  const readEnv = (name: string) => env[name] ?? process.env[name];
  return openStore(keep, {
    readEnv,
    aws: { account: awsAccount(readEnv), http: createNodeHttp(now), now },
    now,
  });
}

/** One trouble after the other, while the clock is pushed on; until `end` is called, which tells how often each came. */
function troubleAll({ troubles }: ChaosPlace, options: KeepOptions, push: (ms: number) => void) {
  const { seed, troubleEveryMs, troubleMs } = options;
  const counts: Record<string, number> = {};
  const names = Object.keys(troubles);
  let isOver = false;
  const troubling = async () => {
    for (let count = 0; names.length > 0; count += 1) {
      const at = (question: number) => chance(seed, -7, -count, question);
      const until = performance.now() + troubleEveryMs * between(0.5, 1.5, at(1));
      while (!isOver && performance.now() < until) await sleep(50);
      if (isOver) return;
      const name = names[Math.floor(at(2) * names.length)] as string;
      counts[name] = (counts[name] ?? 0) + 1;
      await troubles[name]?.(between(...troubleMs, at(3)));
    }
  };
  const pushing = async () => {
    for (let count = 0; !isOver; count += 1) {
      await sleep(1_000);
      push(pushMs * between(0.5, 1.5, chance(seed, -8, count)));
    }
  };
  const all = Promise.all([troubling(), pushing()]);
  return {
    end: async () => {
      isOver = true;
      await all;
      return counts;
    },
  };
}

/** A queue forgets after 14 days, and hundreds of thousands of deliveries take some minutes. */
const drainPushMs = 600_000;

/** The owner has all tried again that was set aside, and waits until nothing is left. What is left tells. */
async function drain(
  store: Store,
  now: () => number,
  push: (ms: number) => void,
  withinMs: number,
): Promise<readonly string[]> {
  const until = performance.now() + withinMs;
  for (;;) {
    const left = await retryAll(store, now).catch((error) => {
      // Whoever types a command that fails types it again.
      if (error instanceof ClientError) return [`the store says: ${error.message}`];
      throw error;
    });
    if (left.length === 0 || performance.now() > until) return left;
    push(drainPushMs);
    await sleep(1_000);
  }
}

/** Has all tried again that was set aside, and says what waits. */
async function retryAll(store: Store, now: () => number): Promise<readonly string[]> {
  const before = await waitingIn(store);
  // To look at messages is to hide them from relays.
  if (before.due > mostLookedAt) return [`${before.due} wait`];
  for await (const one of store.take(({ aside }) => aside !== undefined)) await one.putOff(now(), one.kept);
  const left: string[] = [];
  for await (const { kept, aside } of store.list()) {
    if (left.length < 20)
      left.push(`${kept.id} of ${kept.form} waits (${aside ?? 'due'}): ${kept.why?.words}`);
  }
  // What a queue hides is counted.
  const { due, aside } = await waitingIn(store);
  return left.length === 0 && due + aside > 0 ? [`${due + aside} wait and cannot be seen`] : left;
}

const mostLookedAt = 1_000;

async function waitingIn(store: Store): Promise<{ readonly due: number; readonly aside: number }> {
  const forms = [...(await store.count()).forms.values()];
  const sum = (of: 'due' | 'aside') => forms.reduce((before, form) => before + form[of], 0);
  return { due: sum('due'), aside: sum('aside') };
}

/**
 * What must have a submission that was acknowledged. Where all is kept first, each output, whatever its `on_error`; else an
 * output that others do not wait for may be left out when neither it nor the store takes the submission.
 */
const outputsOf: Readonly<Record<string, readonly SinkName[]>> = {
  posts: ['hook', 'copy', 'crm'],
  all: ['mail', 'hook', 'crm'],
  mails: ['pair', 'hook'],
};

function compare(seed: number, outcomes: readonly Outcome[], report: SinksReport) {
  const missing: string[] = [];
  let acknowledged = 0;
  let duplicates = 0;
  outcomes.forEach((outcome, id) => {
    for (const name of outputsOf[submission(seed, id).form.name] ?? []) {
      const taken = report[name].taken[id] ?? 0;
      duplicates += Math.max(0, taken - 1);
      if (outcome !== 'acknowledged') continue;
      acknowledged += 1;
      if (taken === 0) missing.push(`${id} was acknowledged, and ${name} does not have it`);
    }
    const keys = new Set(sinkNames.map((name) => report[name].keys[id]).filter((key) => key !== 0));
    if (keys.size > 1) missing.push(`${id} came to several sinks as several submissions`);
    if (outcome === 'cut off unread by SIGTERM' && sinkNames.some((name) => report[name].read[id])) {
      missing.push(`${id} was accepted by a relay that was to stop, and its sender got no answer`);
    }
  });
  return { acknowledged, duplicates, missing };
}

function sinkRow({ read, taken, ways }: SinksReport[SinkName]) {
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
