import type { DeliveryResult, Observer, Outcome, Submission } from '@form-relay/core/index';
import { ClientError, outcomeInLog } from '@form-relay/core/kit';
import type { DeliveryLine, JournalDelivery, SubmissionLine } from './lines.ts';

/** Refusals that come as floods are left to the log, which counts them. */
const floods: readonly string[] = ['origin_refused', 'key_refused', 'rate_limited'];

/** Answers of which another line tells: that of the try that delivers. */
const repeats: readonly string[] = ['replayed', 'in_progress'];

/** The line of a submission that was answered; `undefined`: it has none. */
export function submissionLine(
  { formId: form, outcome, ms, submission }: Parameters<Observer>[0],
  now: number,
): SubmissionLine | undefined {
  // Without a form, it is nobody's submission.
  if (form === undefined || !submission || floods.includes(outcome.kind) || repeats.includes(outcome.kind))
    return undefined;
  // The list may have holes.
  const deliveries = submission.deliveries.filter((one) => one !== undefined).map(deliveryOf);
  return {
    kind: 'submission',
    at: timeOf(submission.receivedAt),
    id: submission.requestId,
    form,
    result: resultOf(outcome, submission),
    ms: Math.round(ms),
    ...(submission.logFields?.confirmed_by !== undefined && { confirmed_at: timeOf(now) }),
    ...whyOf(outcome),
    ...doubtOf(submission.logFields),
    ...(deliveries.length > 0 && { deliveries }),
  };
}

const timeOf = (at: number): string => new Date(at).toISOString();

const isResult = (outcome: string): outcome is JournalDelivery['result'] =>
  ['delivered', 'failed', 'kept', 'skipped'].includes(outcome);

/** A delivery in such a line. */
export const deliveryOf = ({
  output,
  type,
  outcome,
  tries,
  ms,
  reason,
  error,
}: DeliveryResult): JournalDelivery => ({
  output,
  type,
  result: isResult(outcome) ? outcome : 'skipped',
  ...(outcome !== 'skipped' &&
    (tries > 0 || outcome === 'failed') && { attempts: tries, ms: Math.round(ms) }),
  ...wordsOf(reason, error),
});

/** A kept delivery has failed as well, if it was tried. */
function wordsOf(
  reason: string | undefined,
  error: DeliveryResult['error'],
): Pick<JournalDelivery, 'reason'> {
  if (reason !== undefined) return { reason };
  return error instanceof ClientError ? { reason: error.message } : {};
}

function resultOf(outcome: Outcome, { deliveries, logFields }: Submission): string {
  const result = outcomeInLog(outcome, deliveries);
  return result === 'delivered' && logFields?.doubt === 'aside' ? 'aside' : result;
}

/** In the words of the log, which hold no submitted value either. */
function whyOf({ kind, by, why, errors }: Outcome): Pick<SubmissionLine, 'by' | 'reason'> {
  if (kind === 'delivered') return {};
  if (errors)
    return {
      by: 'validation',
      reason: `refused fields: ${[...new Set(errors.map(({ field }) => field))].join(', ')}`,
    };
  return { ...(by && { by }), ...(why && { reason: why }) };
}

/** What the spam score says in the log. */
function doubtOf(fields: Submission['logFields']): Pick<SubmissionLine, 'doubt'> {
  const {
    score,
    doubt: action,
    signals,
    similar,
  } = (fields ?? {}) as Readonly<{
    score?: number;
    doubt?: string;
    signals?: Readonly<Record<string, number>>;
    similar?: NonNullable<SubmissionLine['doubt']>['similar'];
  }>;
  if (!score || !signals) return {};
  return { doubt: { score, ...(action && { action }), signals, ...(similar && { similar }) } };
}

const results = { delivered: 'delivered', put_off: 'waiting', aside: 'aside', deleted: 'deleted' } as const;

/** The line of a later try of a kept delivery, of which the log tells. */
export function tryLine(logged: Readonly<Record<string, unknown>>, now: number): DeliveryLine {
  const { request_id, form, output, type, outcome, tries, ms, age_s, reason } = logged;
  return {
    kind: 'delivery',
    id: String(request_id),
    form: String(form),
    at: timeOf(now),
    output: Number(output),
    type: String(type),
    result: results[outcome as keyof typeof results] ?? 'waiting',
    attempts: Number(tries),
    ...(typeof ms === 'number' && { ms: Math.round(ms) }),
    age_ms: Number(age_s) * 1_000,
    ...(typeof reason === 'string' && { reason }),
  };
}
