import { monitorEventLoopDelay } from 'node:perf_hooks';
import { version } from '../../base/version.ts';
import type { Readings } from './tally.ts';

/** How often the event loop is looked at. */
const resolutionMs = 20;
const tellMs = 1_000;

/**
 * Measures the process itself. `delayed` gets the longest delay of the event loop of each second, in seconds: so several
 * who read see the same, which they would not if reading began it anew.
 */
export function measureProcess(delayed: (seconds: number) => void): {
  readonly readings: () => Readings;
  readonly close: () => void;
} {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  const timer = setInterval(() => {
    // What is recorded is the time from one look to the next, in nanoseconds.
    delayed(Math.max(0, delay.max / 1e6 - resolutionMs) / 1_000);
    delay.reset();
  }, tellMs).unref();

  return {
    readings: () => {
      const { rss, heapUsed, external } = process.memoryUsage();
      const { user, system } = process.cpuUsage();
      return {
        form_relay_resident_memory_bytes: rss,
        form_relay_heap_used_bytes: heapUsed,
        form_relay_external_memory_bytes: external,
        form_relay_cpu_seconds_total: (user + system) / 1e6,
        form_relay_start_time_seconds: Math.round(performance.timeOrigin) / 1_000,
        form_relay_build_info: [[[version, process.version], 1]],
      };
    },
    close: () => {
      clearInterval(timer);
      delay.disable();
    },
  };
}
