import type {
  CheckEvidence,
  DoubtEvidence,
  KeptEnding,
  Observer,
  PageCounts,
  StreetEvent,
} from '../../base/event.ts';
import type {
  JournalDelivery,
  DeliveryLine as JournalDeliveryLine,
  JournalLine,
  SubmissionLine,
} from '../../base/journal_line.ts';
import type { Outcome } from '../../base/outcome.ts';
import { isoTimes } from '../log.ts';
import { endingOf, failureWords, noOutputWords, similarOf } from '../submission_log.ts';

/** Refusals that come as floods are left to the log, which counts them. */
const floods: readonly Outcome['kind'][] = ['origin_refused', 'key_refused', 'rate_limited'];

/** Answers of which another line tells: that of the try that delivers. */
const repeats: readonly Outcome['kind'][] = ['replayed', 'in_progress'];

/** Writes a line for each submission when it is answered, and for each later try of its kept deliveries. */
export function submissionLines(
  write: (line: JournalLine) => void,
  count: (form: string, counts: PageCounts) => void,
  now: () => number,
): Observer {
  const timeOf = isoTimes();
  return ({ requestId, formId: form, receivedAt }) => {
    // Without a form, it is nobody's submission.
    if (form === undefined) return () => {};
    /** By index in the form's `outputs`. */
    const deliveries: JournalDelivery[] = [];
    /** Under which outputs get it. */
    let id = requestId;
    let ended: CheckEvidence | undefined;
    let doubt: DoubtEvidence | undefined;
    let reachedNone = false;
    let confirmedAt: string | undefined;

    return (event) => {
      switch (event.kind) {
        case 'confirmed':
          confirmedAt = timeOf(now());
          break;
        case 'checked':
          if (!event.passed) ended = event.evidence;
          if (event.evidence.check === 'doubt') doubt = event.evidence;
          if (event.evidence.code === 'repeated') ({ id } = event.evidence);
          break;
        case 'delivery_skipped':
          deliveries[event.output] = { ...about(event), result: 'skipped' };
          break;
        case 'delivered':
          // Written out: spreading costs each an object of its own shape.
          deliveries[event.output] = {
            output: event.output,
            type: event.type,
            result: 'delivered',
            attempts: event.attempts,
            ms: Math.round(event.ms),
          };
          break;
        case 'delivery_failed':
          deliveries[event.output] = {
            ...about(event),
            result: 'failed',
            attempts: event.attempts,
            ms: Math.round(event.ms),
            reason: failureWords(event.error),
          };
          break;
        case 'delivery_kept':
          deliveries[event.output] = { ...deliveries[event.output], ...about(event), result: 'kept' };
          break;
        case 'no_output_applies':
          reachedNone = true;
          break;
        case 'kept_tried':
          // It was only put off, perhaps with many others.
          if (event.ending.kind === 'put_off' && event.ending.isUntried) break;
          write(
            tryLine(event.ending, deliveries[event.output], about(event), { id, form, at: timeOf(now()) }),
          );
          break;
        case 'counted':
          count(form, event.counts);
          break;
        case 'answered': {
          const { outcome, ms } = event;
          if (floods.includes(outcome.kind) || repeats.includes(outcome.kind)) break;
          // The list may have holes.
          const known = deliveries.filter(Boolean);
          write({
            kind: 'submission',
            at: timeOf(receivedAt),
            id,
            form,
            result: resultOf(outcome, doubt, known),
            ms: Math.round(ms),
            ...(confirmedAt !== undefined && { confirmed_at: confirmedAt }),
            ...whyOf(outcome, ended, reachedNone),
            ...(doubt && doubtOf(doubt)),
            ...(known.length > 0 && { deliveries: known }),
          });
          break;
        }
      }
    };
  };
}

type OfOutput = Extract<StreetEvent, { output: number }>;

const about = ({ output, type }: OfOutput) => ({ output, type });

function resultOf(
  { kind }: Outcome,
  doubt: DoubtEvidence | undefined,
  deliveries: readonly JournalDelivery[],
): string {
  if (kind !== 'delivered') return kind;
  const isKept = deliveries.some(({ result }) => result === 'kept');
  if (isKept && deliveries.every(({ result }) => result === 'kept' || result === 'skipped')) return 'kept';
  return doubt?.action === 'aside' ? 'aside' : kind;
}

/** In the words of the log, which hold no submitted value either. */
function whyOf(
  outcome: Outcome,
  ended: CheckEvidence | undefined,
  reachedNone: boolean,
): Pick<SubmissionLine, 'by' | 'reason'> {
  if (outcome.kind === 'delivered') return {};
  if (outcome.kind === 'undelivered' && reachedNone) return { reason: noOutputWords };
  const { by = ended?.check, reason, fields } = endingOf(outcome, ended);
  const words = reason ?? (fields && `refused fields: ${fields.join(', ')}`);
  return { ...(by && { by }), ...(words && { reason: words }) };
}

const doubtOf = ({ score, action, signals, similar }: DoubtEvidence): Pick<SubmissionLine, 'doubt'> =>
  score > 0
    ? {
        doubt: {
          score,
          ...(action && { action }),
          signals: Object.fromEntries(signals.map(({ signal, points }) => [signal, points])),
          ...(similar && { similar: similarOf(similar) }),
        },
      }
    : {};

const results = { delivered: 'delivered', put_off: 'waiting', aside: 'aside', deleted: 'deleted' } as const;

function tryLine(
  ending: KeptEnding,
  tried: JournalDelivery | undefined,
  output: { readonly output: number; readonly type: string },
  ids: Pick<JournalDeliveryLine, 'id' | 'form' | 'at'>,
): JournalDeliveryLine {
  const reason = 'why' in ending ? ending.why?.words : undefined;
  return {
    kind: 'delivery',
    ...ids,
    ...output,
    result: results[ending.kind],
    attempts: ending.tries,
    ...(tried?.ms !== undefined && { ms: tried.ms }),
    age_ms: Math.round(ending.ageMs),
    ...(reason !== undefined && { reason }),
  };
}
