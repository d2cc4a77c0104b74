import type { Worker } from 'node:cluster';
import type { Heard } from '../../keeping/monitor.ts';
import { countsLeft, type MetricsSnapshot, mergeSnapshots } from '../../telling/metrics/snapshot.ts';
import type { Channel, ToWorker } from './channel.ts';

/** A worker, as its primary has it. */
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

/** All of them, by the number that the cluster gives them. */
export type Processes = ReadonlyMap<number, Process>;

/** One worker's place: its number, and who has it. */
export interface Place {
  readonly number: number;
  /** Two while one replaces the other. */
  readonly processes: Set<Process>;
  deaths: number;
  timer: NodeJS.Timeout | undefined;
}

export const isServing = ({ worker, isListening, isLeaving }: Process): boolean =>
  isListening && !isLeaving && worker.isConnected();

/** What only one worker may do, such as to try again what is kept; and what the others learn of it. */
export class Leading {
  readonly #all: Processes;
  #leader: Process | undefined;
  #waiting: string | undefined;

  constructor(all: Processes) {
    this.#all = all;
  }

  /** It goes to the worker that serves longest, and to another one when that leaves. */
  choose(): void {
    if (this.#leader && this.#all.get(this.#leader.worker.id) === this.#leader && !this.#leader.isLeaving)
      return;
    this.#leader = [...this.#all.values()].find(({ isListening, isLeaving }) => isListening && !isLeaving);
    this.#waiting = undefined;
    this.#leader?.channel.tell('lead');
  }

  /** What waits, in the leader's words: the others say them, too. */
  waits(id: number, words: string | undefined): void {
    this.#waiting = words;
    tellOthers(this.#all, id, (channel) => channel.tell('waiting', words));
  }

  /** Tells one that has just begun. */
  tellNew({ channel }: Process): void {
    if (this.#waiting !== undefined) channel.tell('waiting', this.#waiting);
  }

  /** What another worker heard of deliveries. */
  hears(form: string, heard: Heard): void {
    this.#leader?.channel.tell('hears', form, heard);
  }
}

/** Tells all that listen but one. */
export function tellOthers(all: Processes, id: number, tell: (channel: Channel<ToWorker>) => void): void {
  for (const [other, { channel, isListening }] of all) if (other !== id && isListening) tell(channel);
}

/** How long `/metrics` waits for a worker that is busy. */
const measuringMs = 1_000;

/** Metrics of all workers, former ones included. */
export class Measuring {
  readonly #all: Processes;
  #gone: MetricsSnapshot = [];

  constructor(all: Processes) {
    this.#all = all;
  }

  async measure(): Promise<MetricsSnapshot> {
    await Promise.all(
      [...this.#all.values()].map(async (one) => {
        try {
          one.measured = (await one.channel.ask('measure', [], measuringMs)) ?? one.measured;
        } catch {
          // What it measured before is better than a counter that goes down.
        }
      }),
    );
    return mergeSnapshots([this.#gone, ...[...this.#all.values()].map(({ measured }) => measured)]);
  }

  /** Keeps the counters of a worker that ended. */
  gone({ measured }: Process): void {
    this.#gone = countsLeft(this.#gone, measured);
  }
}

/** A worker that ran for so long has started well: what ends it later is something new. */
const steadyMs = 30_000;

const firstMs = 100;
const mostMs = 30_000;

/** How long to wait before a worker is replaced that died after `ranMs`; and how often, one after the other, they did. */
export function nextWait(deaths: number, ranMs: number): { readonly deaths: number; readonly ms: number } {
  const now = ranMs >= steadyMs ? 1 : deaths + 1;
  return { deaths: now, ms: Math.min(mostMs, firstMs * 2 ** (now - 1)) };
}

/** Makes whole lines of what another process writes, so that those of several do not mix. */

/** No line is longer; what is gets an end. */
const mostCharacters = 1_048_576;

/** Gives the lines that are whole, together; `end` gives what a process left that was ended in the middle of one. */
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
