import type { Log, LogLevel } from '../base/effects.ts';
import type { LogEvent } from '../base/log_event.ts';

/** Formats an event as a line, or as several for people. `at`: milliseconds since the epoch. */
export type LineFormat = (at: number, level: LogLevel, event: LogEvent, fields: object) => string;

interface LogOptions {
  readonly format?: (() => LineFormat) | undefined;
  /** The lowest level that is written. Default: `info`. */
  readonly level?: LogLevel | undefined;
}

const ranks: Readonly<Record<LogLevel, number>> = { info: 0, warn: 1, error: 2 };

/** Writes a line an event. Before the process ends, `flush` or `close` writes the rest. */
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

/** Formats an event as a JSON object. */
export function jsonFormat(): LineFormat {
  const timeOf = isoTimes();
  return (at, level, event, fields) => {
    const start = `{"time":"${timeOf(at)}","level":"${level}","event":"${event}"`;
    const text = JSON.stringify(fields);
    return text === '{}' ? `${start}}\n` : `${start},${text.slice(1)}\n`;
  };
}

/** Formats times like `toISOString`, which is called once a second. */
export function isoTimes(): (at: number) => string {
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

/** How a delivery stands when its submission is answered. */
export interface DeliveryFields {
  /** The output's place in its form's `outputs`, from 0. */
  readonly output: number;
  readonly type: string;
  readonly outcome: 'delivered' | 'failed' | 'kept' | 'skipped';
  /** Absent without a try, as is the time. */
  readonly tries?: number;
  readonly ms?: number;
}

/** Takes bytes and returns their number: fewer than all, or none, if the reader is slow. Never throws or waits. */
type Write = (bytes: Buffer) => number;

/** Lines are written together, since a write costs more than a line: after this time, or from this size on. */
const lingerMs = 20;
const enoughCharacters = 8_192;

/** The limit of waiting text if the reader does not read. */
const mostCharacters = 1_048_576;
/** The time between retries, and their number before the process ends: a second in all. */
const retryMs = 100;
const lastTries = 10;

interface LineWriter {
  /** Queues a line, or several, or drops them. */
  readonly add: (line: string) => void;
  /** Writes as much as possible at once. Returns `true` when nothing is left. */
  readonly flush: () => boolean;
  readonly close: () => Promise<void>;
  readonly lost: () => number;
}

/**
 * Writes lines with bounded memory, without keeping the process alive for a reader that does not read. Lines
 * beyond the limit are lost; once the waiting ones are written, `tellLost` makes the line with their number.
 */
function createLineWriter(write: Write, tellLost: (lines: number) => string): LineWriter {
  let lines = '';
  /** The part of the last write that was not taken. */
  let rest = Buffer.alloc(0);
  /** The lines lost since the last line about it, and before. */
  let lost = 0;
  let lostBefore = 0;
  let timer: NodeJS.Timeout | undefined;

  const flush = (): boolean => {
    clearTimeout(timer);
    timer = undefined;
    for (;;) {
      if (rest.length === 0) {
        if (lines === '' && lost > 0) {
          lines = tellLost(lost);
          lostBefore += lost;
          lost = 0;
        }
        if (lines === '') return true;
        rest = Buffer.from(lines);
        lines = '';
      }
      const taken = write(rest);
      rest = rest.subarray(taken);
      if (taken === 0) {
        timer = setTimeout(flush, retryMs).unref();
        return false;
      }
    }
  };

  const add = (line: string) => {
    const isWaiting = rest.length > 0;
    if (lost > 0 || (isWaiting && rest.length + lines.length + line.length > mostCharacters)) {
      lost += line.split('\n').length - 1;
      return;
    }
    lines += line;
    if (isWaiting) return;
    if (lines.length > enoughCharacters) flush();
    else timer ??= setTimeout(flush, lingerMs);
  };

  const close = async () => {
    for (let tries = 0; !flush() && tries < lastTries; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
  };
  return { add, flush, close, lost: () => lostBefore + lost };
}

/** Whether no output has it yet: the owner is not told that it was delivered, as the visitor is. */
export const isOnlyKept = (deliveries: readonly Pick<DeliveryFields, 'outcome'>[]): boolean =>
  deliveries.some(({ outcome }) => outcome === 'kept') &&
  deliveries.every(({ outcome }) => outcome === 'kept' || outcome === 'skipped');
