import type { Log, LogLevel } from '../base/effects.ts';
import type { LogEvent } from '../base/log_event.ts';
import { DeliveryLine } from './delivery_line.ts';
import { createLineWriter, type LineWriter, type Write } from './line_writer.ts';

/** Writes an event as a line, or as several for people, and ends it. `at`: milliseconds since the epoch. */
export type LineFormat = (at: number, level: LogLevel, event: LogEvent, fields: object) => string;

interface LogOptions {
  /** Asked for with the first event. Default: JSON. */
  readonly format?: (() => LineFormat) | undefined;
  /** The least that is written. Default: `info`. */
  readonly level?: LogLevel | undefined;
}

const ranks: Readonly<Record<LogLevel, number>> = { info: 0, warn: 1, error: 2 };

/** Writes one line an event (D22). Before the process ends, `flush` or `close` writes what is left. */
export function createLog(
  write: Write,
  now: () => number,
  { format: formatOf = jsonFormat, level: least = 'info' }: LogOptions = {},
): Log & Omit<LineWriter, 'add'> {
  let format: LineFormat | undefined;
  const line = (level: LogLevel, event: LogEvent, fields: object): string => {
    format ??= formatOf();
    return format(now(), level, event, fields);
  };
  const { add, ...writer } = createLineWriter(write, (lines) => line('warn', 'log_lines_lost', { lines }));
  const log: Log = (level, event, fields = {}) => {
    if (ranks[level] >= ranks[least]) add(line(level, event, fields));
  };
  return Object.assign(log, writer);
}

/**
 * One JSON object a line.
 *
 * @param about What each line says beside its event.
 */
export function jsonFormat(about: object = {}): LineFormat {
  const members = JSON.stringify(about).slice(1, -1);
  const always = members === '' ? '' : `,${members}`;
  const timeOf = isoTimes();
  return (at, level, event, fields) => {
    const start = `{"time":"${timeOf(at)}","level":"${level}","event":"${event}"${always}`;
    if (fields instanceof DeliveryLine) return `${start},${fields.toMembers()}}\n`;
    const text = JSON.stringify(fields);
    return text === '{}' ? `${start}}\n` : `${start},${text.slice(1)}\n`;
  };
}

/** Writes times as `toISOString` does, which is asked once a second. */
function isoTimes(): (at: number) => string {
  let second: number | undefined;
  let upToSecond = '';
  return (at) => {
    const ms = Math.floor(at) % 1_000;
    const startsAt = Math.floor(at) - ms;
    if (startsAt !== second) {
      upToSecond = new Date(startsAt).toISOString().slice(0, -4);
      second = startsAt;
    }
    return `${upToSecond}${ms < 10 ? '00' : ms < 100 ? '0' : ''}${ms}Z`;
  };
}
