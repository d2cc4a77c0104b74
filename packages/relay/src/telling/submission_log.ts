import { ClientError, stackOf } from '../base/client_error.ts';
import type { Similar } from '../base/doubt.ts';
import type { Log, LogLevel } from '../base/effects.ts';
import type {
  CheckEvidence,
  DeliveryError,
  DeliveryWarning,
  DoubtEvidence,
  KeptEnding,
  MailWithheld,
  Observer,
  StreetEvent,
  UnknownFile,
  VisitorMailKey,
} from '../base/event.ts';
import type { LogEvent } from '../base/log_event.ts';
import type { Outcome } from '../base/outcome.ts';
import { explain } from '../features/index.ts';
import { type Message, say } from '../messages/message.ts';
import { createGateLog, writeCheck } from './check_log.ts';
import { type DeliveryFields, isOnlyKept } from './log.ts';

/**
 * Writes a canonical line for each submission when it is answered. Events that an owner must act on get their own
 * line at once, so that alerts by level work: deliveries that failed, were retried or left parts out, and captchas
 * without a verdict. No line holds a submitted value.
 */
export function submissionLog(log: Log, now: () => number): Observer {
  const gateLog = createGateLog(log, now);
  return ({ requestId, formId, trace: { traceId }, isKept }) => {
    const ids = { request_id: requestId, trace_id: traceId, form: formId };
    /** By index in the form's `outputs`. */
    const deliveries: DeliveryFields[] = [];
    let ended: CheckEvidence | undefined;
    let doubt: DoubtEvidence | undefined;
    /** Why visitors get no mail, by its key. */
    let withheld: Partial<Record<VisitorMailKey, MailWithheld>> | undefined;
    /** The request of the click on the link, if there was one. */
    let confirmedBy: string | undefined;
    /** The variable with the sender's key, if a server sent it, and the id under which outputs get it, if that is an earlier try's. */
    let sentBy: { readonly key: string; readonly submission?: string } | undefined;
    // Written out: spreading `ids` would cost each line an object of its own shape.
    const write = (level: LogLevel, event: LogEvent, more: object) =>
      log(level, event, { request_id: requestId, trace_id: traceId, form: formId, ...more });

    return (event) => {
      switch (event.kind) {
        case 'checked':
          if (!event.passed) ended = event.evidence;
          if (event.evidence.check === 'doubt') doubt = event.evidence;
          if (event.evidence.code === 'known') sentBy = { key: event.evidence.key };
          if (event.evidence.code === 'repeated' && sentBy)
            sentBy = { ...sentBy, submission: event.evidence.id };
          writeCheck(event.evidence, write);
          gateLog.hear(event.evidence, ids);
          break;
        case 'delivery_warned':
          write('warn', 'delivery_warning', { ...about(event), reason: warningWords[event.warning] });
          break;
        case 'delivery_retried':
          // An attempt at a kept delivery has one line.
          if (!isKept)
            write('warn', 'retrying', { ...about(event), reason: event.error.message, ms: event.ms });
          break;
        case 'delivered':
          deliveries[event.output] = delivery(event, 'delivered');
          break;
        case 'delivery_failed': {
          const { onError, ms } = event;
          const reason = failureWords(event.error);
          const level = onError === 'fail' && !event.isKept ? 'error' : 'warn';
          if (!isKept) write(level, 'delivery_failed', { ...about(event), reason, on_error: onError, ms });
          deliveries[event.output] = delivery(event, 'failed');
          break;
        }
        case 'delivery_kept':
          deliveries[event.output] = { ...deliveries[event.output], ...about(event), outcome: 'kept' };
          break;
        case 'keep_failed':
          write('error', 'keep_failed', { outputs: event.outputs, reason: failureWords(event.error) });
          break;
        case 'kept_tried':
          writeTry(event.ending, about(event), write);
          break;
        case 'delivery_skipped':
          deliveries[event.output] = { ...about(event), outcome: 'skipped' };
          break;
        case 'no_output_applies':
          write('error', 'no_output_applies', { reason: noOutputWords });
          break;
        case 'mail_withheld':
          withheld = { ...withheld, [event.mail]: event.reason };
          break;
        case 'mail_sent':
          write('info', mailEvents[event.mail].sent, { tries: event.attempts, ms: event.ms });
          break;
        case 'mail_failed': {
          const reason = failureWords(event.error);
          write('warn', mailEvents[event.mail].failed, { reason, tries: event.attempts, ms: event.ms });
          break;
        }
        case 'broken':
          log('error', 'internal_error', {
            request_id: requestId,
            trace_id: traceId,
            stack: stackOf(event.error),
          });
          break;
        case 'answered': {
          if (gateLog.refused(event.outcome, ended, ids)) break;
          write(levelOf(event.outcome), 'submission', {
            outcome: isOnlyKept(deliveries) ? 'kept' : event.outcome.kind,
            confirmed_by: confirmedBy,
            ...sentBy,
            ...endingOf(event.outcome, ended),
            ...(doubt && scoreOf(doubt)),
            ms: event.ms,
            deliveries: deliveries.length > 0 ? deliveries : undefined,
            ...withheld,
          });
          break;
        }
        case 'files_unknown':
          write('warn', 'files_unknown', unknownFiles(event.files));
          break;
        case 'confirmed':
          confirmedBy = event.requestId;
          break;
        case 'received':
        case 'delivery_tried':
        case 'mail_tried':
        case 'mail_retried':
          break;
      }
    };
  };
}

/** More names, and longer ones, are no typo. */
const mostNames = 10;
const longestName = 100;

/** Visitors choose the names. A line of the log is JSON, which escapes them. */
const unknownFiles = (files: readonly UnknownFile[]) => ({
  files: files.slice(0, mostNames).map(({ name, bytes }) => ({
    name: name.length > longestName ? `${name.slice(0, longestName)}…` : name,
    bytes,
  })),
  ...(files.length > mostNames && { more: files.length - mostNames }),
});

const mailEvents: Readonly<Record<VisitorMailKey, { readonly sent: LogEvent; readonly failed: LogEvent }>> = {
  confirmation_mail: { sent: 'confirmation_mail_sent', failed: 'confirmation_mail_failed' },
  double_opt_in: { sent: 'double_opt_in_sent', failed: 'double_opt_in_failed' },
  once: { sent: 'registered_mail_sent', failed: 'registered_mail_failed' },
  resume: { sent: 'resume_sent', failed: 'resume_failed' },
};

/** Writes the result of an attempt at a kept delivery. A wait for its owner is an error. */
function writeTry(
  ending: KeptEnding,
  output: object,
  write: (level: LogLevel, event: LogEvent, more: object) => void,
): void {
  // Many may be put off at once, which has its own line.
  if (ending.kind === 'put_off' && ending.isUntried) return;
  const level = { delivered: 'info', put_off: 'warn', aside: 'error', deleted: 'error' } as const;
  write(level[ending.kind], 'kept_delivery', {
    ...output,
    outcome: ending.kind,
    tries: ending.tries,
    age_s: Math.round(ending.ageMs / 1_000),
    ...(ending.kind === 'put_off' && { next: new Date(ending.dueAt).toISOString() }),
    ...('aside' in ending && { aside: ending.aside }),
    ...('why' in ending && { reason: ending.why?.words }),
  });
}

/** The names in a body are its sender's own words. */
const withoutPointer = ({ code, params }: Message): Message => ({
  code,
  params: params?.pointer === undefined ? params : { ...params, pointer: '/…' },
});

type OfOutput = Extract<StreetEvent, { output: number }>;

const about = ({ output, type }: OfOutput) => ({ output, type });

const delivery = (
  { output, type, attempts, ms }: Extract<OfOutput, { attempts: number }>,
  outcome: 'delivered' | 'failed',
): DeliveryFields => ({ output, type, outcome, tries: attempts, ms });

/** Why it ended so, for the owner. */
export function endingOf(outcome: Outcome, ended: CheckEvidence | undefined): Ending {
  switch (outcome.kind) {
    case 'dropped':
      return { by: outcome.by, reason: ended && explain(ended) };
    case 'captcha_failed':
      return ended?.check === 'captcha'
        ? { reason: explain(ended), codes: ended.codes, score: ended.score }
        : {};
    case 'bad_request':
      return { reason: say(withoutPointer(outcome.refusal)) };
    case 'limited':
      return { by: outcome.by };
    case 'challenged':
      return { by: outcome.by, asks: outcome.asks, reason: ended && explain(ended) };
    case 'no_public_url':
      return {
        reason:
          'PUBLIC_URL is not set, or a path that is no stage of API Gateway stands before the relay’s own',
      };
    case 'invalid':
      return { fields: outcome.errors.map(({ field }) => field) };
    case 'undelivered':
      return ended ? { reason: explain(ended) } : {};
    case 'in_progress':
    case 'key_reused':
    case 'token_missing':
    case 'script_needed':
    case 'not_open':
    case 'closed':
    case 'full':
    case 'registered':
    case 'uncounted':
    case 'link_needed':
    case 'busy':
      return { reason: ended && explain(ended) };
    default:
      return {};
  }
}

interface Ending {
  readonly by?: string;
  readonly asks?: string;
  readonly reason?: string | undefined;
  readonly codes?: readonly string[] | undefined;
  readonly score?: number | undefined;
  readonly fields?: readonly string[];
}

/** The signals against it and those that failed, by name. `relay explain` says why. */
const scoreOf = ({ score, action, code, signals, silent, similar }: DoubtEvidence): object => ({
  ...(score > 0 && { score }),
  ...(action && { doubt: action }),
  ...(code === 'solved' && { solved: true }),
  ...(signals.length > 0 && {
    signals: Object.fromEntries(signals.map(({ signal, points }) => [signal, points])),
  }),
  ...(similar && { similar: similarOf(similar) }),
  ...(silent.length > 0 && { silent: silent.map(({ signal }) => signal) }),
});

/** Earlier submissions that it is much like, as the log and the journal name them. */
export const similarOf = ({ count, since, ids }: Similar) => ({
  count,
  since: new Date(since).toISOString(),
  ids,
});

/** Endings that an owner should act on. */
const levels: Partial<Record<Outcome['kind'], LogLevel>> = {
  busy: 'warn',
  undelivered: 'error',
  uncounted: 'error',
  no_config: 'error',
  no_token_secret: 'error',
  no_public_url: 'error',
};

/** A circle of relays is a mistake in a config. */
const levelOf = (outcome: Outcome): LogLevel =>
  outcome.kind === 'bad_request' && outcome.refusal.code === 'looped'
    ? 'error'
    : (levels[outcome.kind] ?? 'info');

/** Tells the owner that a submission reached no output. */
export const noOutputWords =
  'no output applies: none of their conditions holds; leave out one when, or add an output for the rest';

/** Explains to the owner why an output did not take a submission. */
export function failureWords(error: DeliveryError): string {
  if (error instanceof ClientError) return error.message;
  return error === 'unregistered_type' ? 'no such output type' : 'internal error';
}

export const warningWords: Readonly<Record<DeliveryWarning, string>> = {
  recipient_left_out: 'a part of `to` with a submitted value is not one address and was left out',
  reply_to_left_out: '`reply_to` did not render to one address and was left out',
  lead_rejected: 'the CRM answered that it rejected the lead (Is-Processed: Exception)',
  redirected_nowhere: 'the server answered with a redirect that names no address, and may not have taken it',
  pdf_left_out: 'the PDF could not be made, and it was delivered without one',
  pdf_characters_replaced:
    'no font of the PDF has some of the characters, and they were replaced; add a font to `pdf.fonts`',
};
