import { countsLeft, type MetricsSnapshot, mergeSnapshots } from '../../telling/metrics/snapshot.ts';
import type { Process, Processes } from './process.ts';

/** How long `/metrics` waits for a worker that is busy. */
const measuringMs = 1_000;

/** What all workers measured, and those before them. */
export interface Measuring {
  measure(): Promise<MetricsSnapshot>;
  /** What one has counted still counts when it is gone. */
  gone(one: Process): void;
}

export function createMeasuring(all: Processes): Measuring {
  let gone: MetricsSnapshot = [];
  return {
    measure: async () => {
      await Promise.all(
        [...all.values()].map(async (one) => {
          try {
            one.measured = (await one.line.ask('measure', [], measuringMs)) ?? one.measured;
          } catch {
            // What it measured before is better than a counter that goes down.
          }
        }),
      );
      return mergeSnapshots([gone, ...[...all.values()].map(({ measured }) => measured)]);
    },
    gone: ({ measured }) => {
      gone = countsLeft(gone, measured);
    },
  };
}
