import type { Worker } from 'node:cluster';
import type { MetricsSnapshot } from '../../telling/metrics/snapshot.ts';
import type { ToWorker } from './calls.ts';
import type { Line } from './line.ts';

/** A worker, as its primary has it. */
export interface Process {
  readonly worker: Worker;
  readonly line: Line<ToWorker>;
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
