import type { Log, LogLevel } from '../effects.ts';
import { createLineWriter, type LineWriter, type Write } from './line_writer.ts';

/** Writes one JSON line an event (D22). Before the process ends, `flush` or `close` writes what is left. */
export function createLog(write: Write, now: () => number): Log & Pick<LineWriter, 'flush' | 'close'> {
  const format = (level: LogLevel, event: string, fields: object): string =>
    `${JSON.stringify({ time: new Date(now()).toISOString(), level, event, ...fields })}\n`;
  const { add, flush, close } = createLineWriter(write, (lines) =>
    format('warn', 'log_lines_lost', { lines }),
  );
  const log: Log = (level, event, fields = {}) => add(format(level, event, fields));
  return Object.assign(log, { flush, close });
}
