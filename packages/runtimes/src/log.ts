import { stackOf } from '@form-relay/base/client_error';
import { throttledReport } from '@form-relay/base/throttled';
import type { Observer, Plugin } from '@form-relay/core/plugin';
import type { Log, LogLevel, Services } from '@form-relay/core/services';
import { outcomeInLog, type Submission } from '@form-relay/core/submission';
import type { FormatLine } from './log_line.ts';

/** Writes are batched, because a write costs more than a line. A batch is written after this time, or at this size. */
const lingerMs = 20;
const enoughBytes = 8_192;

const mostBytes = 1_048_576;
const retryMs = 100;
const lastTries = 10;

const ranks: Readonly<Record<LogLevel, number>> = { info: 0, warn: 1, error: 2 };

/** Writes as much as it can without blocking. Returns the number of bytes; 0 if the disk is full or the reader has stopped. */
export type WriteLog = (bytes: Buffer) => number;

/** Writes a line per event, as JSON unless `format` says otherwise. Memory is bounded, and a stalled reader does not keep the process alive. */
export function createLog(now: () => number, least: LogLevel, write: WriteLog, format?: FormatLine) {
  /** The operating system allocates its pages as they are written. */
  let waiting = Buffer.alloc(0);
  let end = 0;
  let isStalled = false;
  let lost = 0;
  let lostBefore = 0;
  let timer: NodeJS.Timeout | undefined;

  const add = (level: LogLevel, event: string, fields: object): boolean => {
    const head = format ? format(now(), level, event, fields) : headOf(now(), level, event);
    const rest = format ? '{}' : JSON.stringify(fields);
    const length = head.length + rest.length;
    const room = mostBytes - end - 1;
    // A UTF-16 unit takes at most three bytes.
    if (length * 3 > room && Buffer.byteLength(head) + Buffer.byteLength(rest) > room) return false;
    if (waiting.length === 0) waiting = Buffer.allocUnsafeSlow(mostBytes);
    end += waiting.write(head, end);
    if (rest !== '{}') {
      // Splices both JSON objects into one, without building the combined text.
      const joint = end - 1;
      end = joint + waiting.write(rest, joint);
      waiting[joint] = 0x2c;
    }
    waiting[end] = 0x0a;
    end += 1;
    return true;
  };
  /** Writes as much as it can. Returns `true` if nothing is left. */
  const flush = (): boolean => {
    clearTimeout(timer);
    timer = undefined;
    let start = 0;
    for (;;) {
      if (start === end) {
        start = 0;
        end = 0;
        isStalled = false;
        if (lost === 0) return true;
        add('warn', 'log_lines_lost', { lines: lost });
        lostBefore += lost;
        lost = 0;
      }
      const taken = write(waiting.subarray(start, end));
      start += taken;
      if (taken === 0) {
        isStalled = true;
        // A slow reader gets all lines, as long as the buffer holds them.
        waiting.copyWithin(0, start, end);
        end -= start;
        timer = setTimeout(flush, retryMs).unref();
        return false;
      }
    }
  };
  const log: Log = (level, event, fields = {}) => {
    if (ranks[level] < ranks[least]) return;
    if (lost > 0 || !add(level, event, fields)) lost += 1;
    if (!isStalled && end > enoughBytes) flush();
    else timer ??= setTimeout(flush, lingerMs);
  };
  /** Takes at most one second. */
  const close = async () => {
    for (let tries = 0; !flush() && tries < lastTries; tries += 1)
      await new Promise((resolve) => setTimeout(resolve, retryMs));
  };
  return {
    log,
    flush,
    close,
    /** How many lines were lost because the reader was too slow. */
    lost: () => lostBefore + lost,
  };
}

let [headAt, headLevel, headEvent, head] = [Number.NaN, '', '', ''];

/** The start of a line. Cached, because most lines within a millisecond start the same. */
function headOf(at: number, level: LogLevel, event: string): string {
  if (at === headAt && event === headEvent && level === headLevel) return head;
  [headAt, headLevel, headEvent] = [at, level, event];
  head = `{"time":"${timeOf(at)}","level":"${level}","event":${JSON.stringify(event)}}`;
  return head;
}

let second = Number.NaN;
let upToSecond = '';

/** Like `toISOString`, which it calls only once per second. */
function timeOf(at: number): string {
  const ms = Math.floor(at) % 1_000;
  const startsAt = Math.floor(at) - ms;
  if (startsAt !== second) {
    upToSecond = new Date(startsAt).toISOString().slice(0, -4);
    second = startsAt;
  }
  return `${upToSecond}${String(ms).padStart(3, '0')}Z`;
}

/** The plug-ins of the current config. */
interface Plugged {
  readonly plugins: readonly Plugin[];
}

/**
 * Passes each event to the log and to plug-ins. Catches errors: otherwise a delivered submission would be
 * answered with a 500, and its sender would repeat it.
 */
export function withPluginLog(log: Log, host: Plugged): Log {
  let isEmitting = false;
  return (...event) => {
    const isOuter = !isEmitting;
    isEmitting = true;
    try {
      log(...event);
      // A plug-in that logs in `onLog` must not receive its own event.
      for (const { onLog } of isOuter ? host.plugins : []) {
        const result: unknown = onLog?.(...event);
        if (result instanceof Promise) result.catch(() => undefined);
      }
    } catch {}
    if (isOuter) isEmitting = false;
  };
}

/** Reports each answered submission to the log, the embedding program and the plug-ins. */
export function observers(
  { log, now }: Pick<Services, 'log' | 'now'>,
  own: Observer | undefined,
  host: Plugged,
): Observer {
  const frequent = new Map<string, (event: Observed) => void>();
  const report = (kind: string) => {
    const known =
      frequent.get(kind) ??
      throttledReport(now, (times, event: Observed) => logSubmission(log, event, times));
    frequent.set(kind, known);
    return known;
  };
  return (event) => {
    if (event.outcome.isFrequent) report(event.outcome.kind)(event);
    else logSubmission(log, event);
    if (own) tell(own, event, log);
    for (const { observe } of host.plugins) if (observe) tell(observe, event, log);
  };
}

type Observed = Parameters<Observer>[0];

/** Logs one line per submission once it is answered. The line holds no submitted value. */
function logSubmission(
  log: Log,
  { requestId, tracing, formId, outcome, ms, submission }: Observed,
  requests?: number,
): void {
  const { kind, by, why, errors, level = 'info' } = outcome;
  const { deliveries = none, logFields } = submission ?? {};
  const isDelivered = deliveries.every(hasDelivered);
  const line = {
    request_id: requestId,
    trace_id: tracing.traceId,
    form: formId,
    outcome: isDelivered ? kind : outcomeInLog(outcome, deliveries),
    by: namesCheck.has(kind) ? by : undefined,
    reason: errors ? undefined : why,
    fields: errors?.map(({ field }) => nameInLog(field, submission)),
    ms: requests === undefined ? ms : undefined,
    deliveries: deliveries.length === 0 ? undefined : isDelivered ? deliveries : inLog(deliveries),
    requests,
  };
  log(level, 'submission', logFields ? { ...line, ...logFields } : line);
}

const none: Submission['deliveries'] = [];

const hasDelivered = (one: Submission['deliveries'][number]): boolean =>
  one?.outcome === 'delivered' && one.error === undefined;

/** Outcomes that several checks share, so the log also names the check. */
const namesCheck: ReadonlySet<string> = new Set(['dropped', 'challenged', 'limited']);

/** Visitors choose the names of undeclared fields. */
const nameInLog = (field: string, submission: Observed['submission']) =>
  submission?.form.takesUndeclared?.(field) ? '(undeclared)' : field;

/** Omits errors, which are for features, and the attempts of deliveries that were not sent. */
const inLog = (deliveries: Submission['deliveries']) =>
  deliveries.map((one) => one && { ...one, ...(one.outcome === 'skipped' && notTried), error: undefined });
const notTried = { tries: undefined, ms: undefined };

/** An observer that throws must not fail a submission, and one that rejects later must not crash the process. */
function tell(observe: Observer, event: Observed, log: Log): void {
  const fail = (error: unknown) => log('error', 'observer_failed', { stack: stackOf(error) });
  try {
    const result: unknown = observe(event);
    if (result instanceof Promise) result.catch(fail);
  } catch (error) {
    fail(error);
  }
}
