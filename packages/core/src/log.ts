import { writeSync } from 'node:fs';
import { throttledReport } from './base/throttled.ts';
import type { Outcome } from './outcome.ts';
import type { Observer, Plugin } from './plugin.ts';
import type { Log, LogLevel } from './services.ts';
import type { Submission } from './submission.ts';

/** Lines are written in batches, because a write costs more than a line: after this time, or at this size. */
const lingerMs = 20;
const enoughCharacters = 8_192;

/** The limit of buffered text if the reader stalls. */
const mostCharacters = 1_048_576;
const retryMs = 100;
const lastTries = 10;

const ranks: Readonly<Record<LogLevel, number>> = { info: 0, warn: 1, error: 2 };

export interface WrittenLog {
  readonly log: Log;
  /** Writes as much as possible. Returns `true` if nothing is left. */
  readonly flush: () => boolean;
  /** For a second at most. */
  readonly close: () => Promise<void>;
  /** How many lines were lost, since nobody read them. */
  readonly lost: () => number;
}

/** Writes what stderr accepts: nothing if the disk is full or the reader stalls. Returns the number of bytes. */
function writeStderr(bytes: Buffer): number {
  try {
    return writeSync(2, bytes);
  } catch {
    return 0;
  }
}

/** Writes one JSON line per event. Memory is bounded, and a stalled reader does not keep the process alive. */
export function createLog(now: () => number, least: LogLevel = 'info', write = writeStderr): WrittenLog {
  let lines = '';
  let rest: Buffer = Buffer.alloc(0);
  let lost = 0;
  let lostBefore = 0;
  let timer: NodeJS.Timeout | undefined;

  const flush = (): boolean => {
    clearTimeout(timer);
    timer = undefined;
    for (;;) {
      if (rest.length === 0) {
        if (lines === '' && lost > 0) {
          lines = lineOf(now(), 'warn', 'log_lines_lost', { lines: lost });
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
  const log: Log = (level, event, fields = {}) => {
    if (ranks[level] < ranks[least]) return;
    const isWaiting = rest.length > 0;
    if (lost > 0 || (isWaiting && rest.length + lines.length > mostCharacters)) {
      lost += 1;
      return;
    }
    lines += lineOf(now(), level, event, fields);
    if (isWaiting) return;
    if (lines.length > enoughCharacters) flush();
    else timer ??= setTimeout(flush, lingerMs);
  };
  const close = async () => {
    for (let tries = 0; !flush() && tries < lastTries; tries += 1)
      await new Promise((resolve) => setTimeout(resolve, retryMs));
  };
  return { log, flush, close, lost: () => lostBefore + lost };
}

function lineOf(at: number, level: LogLevel, event: string, fields: object): string {
  const text = JSON.stringify(fields);
  const start = `{"time":"${timeOf(at)}","level":"${level}","event":"${event}"`;
  return text === '{}' ? `${start}}\n` : `${start},${text.slice(1)}\n`;
}

let second = Number.NaN;
let upToSecond = '';

/** As `toISOString`, which is called once a second only. */
function timeOf(at: number): string {
  const ms = Math.floor(at) % 1_000;
  const startsAt = Math.floor(at) - ms;
  if (startsAt !== second) {
    upToSecond = new Date(startsAt).toISOString().slice(0, -4);
    second = startsAt;
  }
  return `${upToSecond}${String(ms).padStart(3, '0')}Z`;
}

/**
 * Writes each event and tells it to plug-ins. Neither may throw: that would turn a delivered submission into a 500, which its
 * sender would repeat.
 */
export const heardBy =
  (log: Log, plugins: () => readonly Plugin[]): Log =>
  (...event) => {
    try {
      log(...event);
      for (const { onLog } of plugins()) onLog?.(...event);
    } catch {}
  };

/** Logs one line per submission once it is answered. It holds no submitted value. */
export function submissionLog(log: Log, now: () => number): Observer {
  const frequent = new Map<string, (event: Observed) => void>();
  const write = ({ requestId, formId, outcome, ms, submission }: Observed, requests?: number) => {
    const { kind, by, why, errors, level = 'info' } = outcome;
    const deliveries = submission?.deliveries;
    const line = {
      request_id: requestId,
      trace_id: submission?.tracing.traceId,
      form: formId,
      outcome: outcomeInLog(outcome, deliveries),
      by: namesCheck.has(kind) ? by : undefined,
      reason: errors ? undefined : why,
      fields: errors?.map(({ field }) => field),
      ms: requests === undefined ? ms : undefined,
      deliveries: deliveries && deliveries.length > 0 ? deliveries : undefined,
      requests,
    };
    const logFields = submission?.logFields;
    log(level, 'submission', logFields ? { ...line, ...logFields } : line);
  };
  const report = (kind: string) => {
    const known = frequent.get(kind) ?? throttledReport(now, (times, event: Observed) => write(event, times));
    frequent.set(kind, known);
    return known;
  };
  return (event) => (event.outcome.isFrequent ? report(event.outcome.kind)(event) : write(event));
}

/** Outcomes that several checks have: the log names the one. */
const namesCheck: ReadonlySet<string> = new Set(['dropped', 'challenged', 'limited']);

type Observed = Parameters<Observer>[0];

/** What was accepted counts as delivered only where an output has it: otherwise as what became of it, such as `kept`. */
export function outcomeInLog({ kind }: Outcome, deliveries: Submission['deliveries'] | undefined): string {
  if (kind !== 'delivered' || !deliveries || deliveries.some((one) => one?.outcome === 'delivered'))
    return kind;
  const others = new Set(deliveries.map((one) => one?.outcome).filter((one) => one !== 'skipped'));
  const [only] = others;
  return others.size === 1 && only !== undefined && only !== 'failed' ? only : kind;
}
