import type { Log } from './effects.ts';

/**
 * Writes one JSON line an event (D22). Lines of one turn of the event loop are written together, since a write costs
 * more than the line; `flush` writes what is left, before the process ends.
 */
export function createLog(write: (lines: string) => void, now: () => number): Log & { flush(): void } {
  let pending = '';
  const flush = () => {
    if (pending === '') return;
    const lines = pending;
    pending = '';
    write(lines);
  };
  let at = Number.NaN;
  let time = '';
  const log: Log = (level, event, fields) => {
    if (pending === '') setImmediate(flush);
    const ms = now();
    // Under load, many lines share their millisecond.
    if (ms !== at) {
      at = ms;
      time = new Date(ms).toISOString();
    }
    pending += `${JSON.stringify(Object.assign({ time, level, event }, fields))}\n`;
  };
  return Object.assign(log, { flush });
}
