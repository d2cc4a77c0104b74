/** Posts submissions while sinks and relays fail by plan, and compares what was acknowledged with what arrived. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Copy, restartAll } from './relays.ts';
import { type Outcome, type SendersOptions, sendAll, tally } from './senders.ts';
import type { Ports, SinksOptions, SinksQuestion, SinksReport } from './sinks.ts';
import { configText, type SinkName, sinkNames, submission } from './submission.ts';

export interface LedgerOptions extends SendersOptions {
  /** How many copies of the relay serve side by side. */
  readonly relays: number;
  /** Milliseconds between two restarts of a copy, about. */
  readonly restartEveryMs: number;
  /** Milliseconds between two outages of sinks, about. */
  readonly outageEveryMs: number;
}

export interface Ledger {
  readonly seconds: number;
  readonly outcomes: Readonly<Partial<Record<Outcome, number>>>;
  readonly relays: Readonly<Record<string, number>>;
  readonly sinks: Readonly<Record<SinkName, Readonly<Record<string, number>>>>;
  /** How often sinks went each of their ways. */
  readonly ways: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly violations: readonly string[];
}

export async function runLedger(options: LedgerOptions): Promise<Ledger> {
  const { seed } = options;
  const startedAt = performance.now();
  const sinks = await startSinks(options);
  const copies = await Promise.all(
    Array.from({ length: options.relays }, () => Copy.start({ CONFIG_INLINE: configText(sinks.ports) })),
  );
  const restarting = restartAll(copies, options);
  const { outcomes, violations, connectsRefused } = await sendAll(copies, options);
  const counts = await restarting.end();
  await Promise.all(copies.map((copy) => copy.end('SIGTERM')));
  const report = await sinks.end();

  const lives = copies.flatMap(({ ended }) => ended);
  const retries = lives.reduce((sum, life) => sum + life.retries, 0);
  return {
    seconds: (performance.now() - startedAt) / 1_000,
    outcomes: tally(outcomes),
    relays: { connects_refused: connectsRefused, ...counts, retries },
    sinks: ofEachSink((name) => sinkRow(name, seed, outcomes, report)),
    ways: waysTable(report),
    violations: [
      ...violations,
      ...lives.flatMap(({ faults }) => faults.map((fault) => `a relay: ${fault}`)),
      ...sinkNames.flatMap((name) => report[name].violations),
      ...compare(seed, outcomes, report),
    ],
  };
}

/** Every promise that joins what senders were told and what sinks have. */
function compare(seed: number, outcomes: readonly Outcome[], report: SinksReport): string[] {
  const violations: string[] = [];
  outcomes.forEach((outcome, id) => {
    const at = (name: SinkName) => report[name];
    if (outcome === 'acknowledged') {
      for (const name of submission(seed, id).form.needs) {
        if (!at(name).taken[id]) violations.push(`${id} was acknowledged, and ${name} does not have it`);
      }
    }
    if (outcome === 'cut off unread by SIGTERM' && sinkNames.some((name) => at(name).read[id])) {
      violations.push(`${id} was accepted by a relay that was to stop, and its sender got no answer`);
    }
    const keys = new Set(sinkNames.map((name) => at(name).keys[id]).filter((key) => key !== 0));
    if (keys.size > 1) violations.push(`${id} came to several sinks as several submissions`);
  });
  return violations;
}

const ofEachSink = <T>(value: (name: SinkName) => T) =>
  Object.fromEntries(sinkNames.map((name) => [name, value(name)])) as Record<SinkName, T>;

function sinkRow(name: SinkName, seed: number, outcomes: readonly Outcome[], report: SinksReport) {
  const { read, taken, ways } = report[name];
  const isNeeded = (id: number) => (submission(seed, id).form.needs as readonly SinkName[]).includes(name);
  const sum = (counts: Uint8Array) => counts.reduce((total, count) => total + count, 0);
  const distinct = (counts: Uint8Array) => counts.reduce((total, count) => total + Math.min(1, count), 0);
  const troubles = Object.entries(ways).filter(([way]) => !way.startsWith('took it'));
  return {
    'acknowledged and due': outcomes.filter((outcome, id) => outcome === 'acknowledged' && isNeeded(id))
      .length,
    taken: distinct(taken),
    'read again, same key': sum(read) - distinct(read),
    'taken again, same key': sum(taken) - distinct(taken),
    'refused by plan': troubles.reduce((total, [, count]) => total + count, 0),
  };
}

function waysTable(report: SinksReport): Ledger['ways'] {
  const table: Record<string, Record<string, number>> = {};
  for (const name of sinkNames) {
    for (const [way, count] of Object.entries(report[name].ways)) {
      table[way] = { ...table[way], [name]: count };
    }
  }
  return Object.fromEntries(Object.entries(table).sort(([a], [b]) => (a < b ? -1 : 1)));
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
