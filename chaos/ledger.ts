/** Posts submissions while sinks and relays fail by plan, and compares what was acknowledged with what arrived. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { between, chance } from './chance.ts';
import { Connection, type Ending } from './client.ts';
import { Copy, type RelayProcess, type Signal } from './relays.ts';
import type { Ports, SinksOptions, SinksQuestion, SinksReport } from './sinks.ts';
import { configText, type Kind, type SinkName, sinkNames, submission } from './submission.ts';

export interface LedgerOptions {
  readonly submissions: number;
  readonly seed: number;
  /** How many copies of the relay serve side by side. */
  readonly relays: number;
  /** How many submissions are under way at once. */
  readonly connections: number;
  /** Milliseconds between two restarts of a copy, about. */
  readonly restartEveryMs: number;
  /** Milliseconds between two outages of sinks, about. */
  readonly outageEveryMs: number;
  /** Told every ten thousand submissions. */
  readonly onProgress?: (sent: number) => void;
}

/** How a submission ended, as its sender saw it. */
export type Outcome =
  | 'acknowledged'
  | 'answered with an error'
  | 'refused as invalid'
  | 'dropped as a bot'
  | 'cut off by SIGKILL'
  /** On a connection that was closed before the relay read the submission. */
  | 'cut off unread by SIGTERM'
  /** What no sender may see. */
  | 'wrong';

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
  const { submissions, seed, onProgress } = options;
  const startedAt = performance.now();
  const sinks = await startSinks(options);
  const copies = await Promise.all(
    Array.from({ length: options.relays }, () => Copy.start({ CONFIG_INLINE: configText(sinks.ports) })),
  );
  const counts = { connects_refused: 0, SIGTERM: 0, SIGKILL: 0, longest_stop_ms: 0 };
  const violations: string[] = [];
  const outcomes: Outcome[] = new Array(submissions);
  let next = 0;
  let isOver = false;

  /** Each stays with one copy until that goes away, and then tries the next. */
  const worker = async (_: unknown, workerNumber: number) => {
    let choice = workerNumber;
    let connection: Connection | undefined;
    const open = async (): Promise<Connection> => {
      for (;;) {
        choice += 1;
        const opened = await Connection.open(copies[choice % copies.length] as Copy);
        if (opened) return opened;
        counts.connects_refused += 1;
        await sleep(20);
      }
    };
    while (next < submissions) {
      const id = next;
      next += 1;
      if (id % 10_000 === 0) onProgress?.(id);
      const { kind, form, body } = submission(seed, id);
      if (!connection?.isOpen) connection = await open();
      const pauseMs = chance(seed, id, 5) < 0.05 ? 20 : 0;
      const ending = await connection.post(form.name, body, pauseMs);
      const outcome = judge(kind, ending, connection.relay);
      outcomes[id] = outcome;
      if (outcome === 'wrong') violations.push(`${id} (${kind}) ended with ${JSON.stringify(ending)}`);
    }
    connection?.close();
  };
  const restarts = async (copy: Copy, copyNumber: number) => {
    for (let count = 0; ; count += 1) {
      const at = (question: number) => chance(seed, copyNumber, -count, question);
      const until = performance.now() + options.restartEveryMs * between(0.5, 1.5, at(1));
      while (!isOver && performance.now() < until) await sleep(50);
      if (isOver) return;
      const signal: Signal = at(2) < 0.15 ? 'SIGKILL' : 'SIGTERM';
      counts[signal] += 1;
      const tookMs = await copy.replace(signal);
      counts.longest_stop_ms = Math.max(counts.longest_stop_ms, Math.round(tookMs));
    }
  };
  const restarting = Promise.all(copies.map(restarts));
  await Promise.all(Array.from({ length: options.connections }, worker));
  isOver = true;
  await restarting;
  await Promise.all(copies.map((copy) => copy.end('SIGTERM')));
  const report = await sinks.end();

  const lives = copies.flatMap(({ ended }) => ended);
  const retries = lives.reduce((sum, life) => sum + life.retries, 0);
  return {
    seconds: (performance.now() - startedAt) / 1_000,
    outcomes: tally(outcomes),
    relays: { ...counts, retries },
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

/** What this ending makes of the submission. */
function judge(kind: Kind, ending: Ending, relay: RelayProcess): Outcome {
  if (ending.kind === 'cut' && relay.ending === 'SIGKILL') return 'cut off by SIGKILL';
  // `compare` sees to it that it was not read.
  if (ending.kind === 'cut' && relay.ending === 'SIGTERM' && !ending.answerBegan)
    return 'cut off unread by SIGTERM';
  if (ending.kind !== 'answer') return 'wrong';
  const { status, body } = ending;
  const isSuccess = status === 200 && body === '{"message":"ok"}';
  if (isSuccess && kind === 'valid') return 'acknowledged';
  if (isSuccess && kind === 'bot') return 'dropped as a bot';
  const isError = /^\{"error":"[^"]+"\}$/.test(body);
  if (isError && status === 422 && kind === 'invalid') return 'refused as invalid';
  return isError && status === 500 && kind === 'valid' ? 'answered with an error' : 'wrong';
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

function tally(outcomes: readonly Outcome[]): Ledger['outcomes'] {
  const counts: Partial<Record<Outcome, number>> = {};
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

interface Sinks {
  readonly ports: Ports;
  end(): Promise<SinksReport>;
}

/** `tsx` runs what is written in TypeScript. */
export async function startSinks({ seed, submissions, outageEveryMs }: SinksOptions): Promise<Sinks> {
  const child = fork(fileURLToPath(new URL('sinks.ts', import.meta.url)), [], {
    execArgv: ['--import', 'tsx'],
    serialization: 'advanced',
  });
  const ask = async (question: SinksQuestion) => {
    child.send(question);
    const [answer] = await once(child, 'message');
    return answer;
  };
  const ports: Ports = await ask({ start: { seed, submissions, outageEveryMs } });
  return {
    ports,
    end: async () => {
      const report: SinksReport = await ask('report');
      child.disconnect();
      return report;
    },
  };
}
