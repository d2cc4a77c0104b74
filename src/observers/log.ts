import type { Log } from '../effects.ts';

/** Lines are written together, since a write costs more than a line: after this long, or from this size on. */
const lingerMs = 20;
const enoughCharacters = 8_192;

/** Writes one JSON line an event (D22). `flush` writes what is left, before the process ends. */
export function createLog(write: (lines: string) => void, now: () => number): Log & { flush(): void } {
  let pending = '';
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (pending === '') return;
    const lines = pending;
    pending = '';
    write(lines);
  };
  let at = Number.NaN;
  let time = '';
  const log: Log = (level, event, fields = {}) => {
    const ms = now();
    // Under load, many lines share their millisecond.
    if (ms !== at) {
      at = ms;
      time = new Date(ms).toISOString();
    }
    const rest = JSON.stringify(fields).slice(1);
    pending += `{"time":"${time}","level":"${level}","event":"${event}"${rest === '}' ? '' : ','}${rest}\n`;
    if (pending.length > enoughCharacters) flush();
    else timer ??= setTimeout(flush, lingerMs);
  };
  return Object.assign(log, { flush });
}
