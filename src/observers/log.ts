import type { Log, LogLevel } from '../effects.ts';
import { createLineWriter, type LineWriter, type Write } from './line_writer.ts';

/** Writes one JSON line an event (D22). Before the process ends, `flush` or `close` writes what is left. */
export function createLog(write: Write, now: () => number): Log & Omit<LineWriter, 'add'> {
  let at = Number.NaN;
  let time = '';
  const format = (level: LogLevel, event: string, fields: object): string => {
    const ms = now();
    // Under load, many lines share their millisecond, and to write a date takes 3 % of a submission.
    if (ms !== at) {
      at = ms;
      time = new Date(ms).toISOString();
    }
    const rest = JSON.stringify(fields).slice(1);
    return `{"time":"${time}","level":"${level}","event":"${event}"${rest === '}' ? '' : ','}${rest}\n`;
  };
  const { add, ...writer } = createLineWriter(write, (lines) => format('warn', 'log_lines_lost', { lines }));
  const log: Log = (level, event, fields = {}) => add(format(level, event, fields));
  return Object.assign(log, writer);
}
