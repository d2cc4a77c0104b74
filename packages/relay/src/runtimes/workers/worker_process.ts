import type { Worker } from 'node:cluster';
import type { Heard } from '../../keeping/monitor.ts';
import { countsLeft, type MetricsSnapshot, mergeSnapshots } from '../../telling/metrics/snapshot.ts';
import type { Channel, ToWorker } from './channel.ts';

/** The primary's side of a worker. */
export interface Process {
  readonly worker: Worker;
  readonly channel: Channel<ToWorker>;
  readonly startedAt: number;
  readonly ended: Promise<void>;
  readonly listening: Promise<boolean>;
  isListening: boolean;
  isLeaving: boolean;
  measured: MetricsSnapshot;
}

/** All workers by their id in node:cluster. */
export type Processes = ReadonlyMap<number, Process>;

/** A worker's number and the processes that have it. */
export interface Place {
  readonly number: number;
  /** Two while one replaces the other. */
  readonly processes: Set<Process>;
  deaths: number;
  timer: NodeJS.Timeout | undefined;
}

export const isServing = ({ worker, isListening, isLeaving }: Process): boolean =>
  isListening && !isLeaving && worker.isConnected();

/** Chooses the worker that does what only one may do, such as retry kept deliveries, and tells the others its results. */
export class Leading {
  #leader: Process | undefined;
  #waiting: string | undefined;

  constructor(private readonly all: Processes) {}

  /** Keeps the leader while it serves; then the worker that has served longest leads. */
  choose(): void {
    if (this.#leader && this.all.get(this.#leader.worker.id) === this.#leader && !this.#leader.isLeaving)
      return;
    this.#leader = [...this.all.values()].find(({ isListening, isLeaving }) => isListening && !isLeaving);
    this.#waiting = undefined;
    this.#leader?.channel.tell('lead');
  }

  /** Passes the leader's words about waiting deliveries to the others. */
  waits(id: number, words: string | undefined): void {
    this.#waiting = words;
    tellOthers(this.all, id, (channel) => channel.tell('waiting', words));
  }

  /** Tells a new worker what waits. */
  tellNew({ channel }: Process): void {
    if (this.#waiting !== undefined) channel.tell('waiting', this.#waiting);
  }

  /** Passes an event of another worker's deliveries to the leader. */
  hears(form: string, heard: Heard): void {
    this.#leader?.channel.tell('hears', form, heard);
  }
}

/** Tells all listening workers but one. */
export function tellOthers(all: Processes, id: number, tell: (channel: Channel<ToWorker>) => void): void {
  for (const [other, { channel, isListening }] of all) if (other !== id && isListening) tell(channel);
}

/** How long `/metrics` waits for a worker that is busy. */
const measuringMs = 1_000;

/** Metrics of all workers, former ones included. */
export class Measuring {
  #gone: MetricsSnapshot = [];

  constructor(private readonly all: Processes) {}

  async measure(): Promise<MetricsSnapshot> {
    await Promise.all(
      [...this.all.values()].map(async (one) => {
        try {
          one.measured = (await one.channel.ask('measure', [], measuringMs)) ?? one.measured;
        } catch {
          // Use the last snapshot: counters must not go down.
        }
      }),
    );
    return mergeSnapshots([this.#gone, ...[...this.all.values()].map(({ measured }) => measured)]);
  }

  /** Keeps the counters of a worker that ended. */
  gone({ measured }: Process): void {
    this.#gone = countsLeft(this.#gone, measured);
  }
}

/** A worker that ran for this long started well: a later death is a new problem. */
const steadyMs = 30_000;

const firstMs = 100;
const mostMs = 30_000;

/** The wait before a worker that died after `ranMs` is replaced, and the number of consecutive deaths. */
export function nextWait(deaths: number, ranMs: number): { readonly deaths: number; readonly ms: number } {
  const now = ranMs >= steadyMs ? 1 : deaths + 1;
  return { deaths: now, ms: Math.min(mostMs, firstMs * 2 ** (now - 1)) };
}

/** Longer lines are broken. */
const mostCharacters = 1_048_576;

/** Makes whole lines of another process's output, so that those of several don't mix. `end` ends an unfinished line. */
export function createWholeLines(add: (lines: string) => void): {
  readonly write: (text: string) => void;
  readonly end: () => void;
} {
  let rest = '';
  return {
    write: (text) => {
      const end = text.lastIndexOf('\n') + 1;
      if (end > 0) {
        add(rest + text.slice(0, end));
        rest = '';
      }
      rest += text.slice(end);
      if (rest.length <= mostCharacters) return;
      add(`${rest}\n`);
      rest = '';
    },
    end: () => {
      if (rest !== '') add(`${rest}\n`);
      rest = '';
    },
  };
}
