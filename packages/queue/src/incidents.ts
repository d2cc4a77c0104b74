import type { FormCounts, QueueCounts } from '@form-relay/stores/store';
import type { AttemptOutcome } from './queue.ts';
import { totalOf } from './store_status.ts';

/** The reasons to tell the owner about waiting deliveries. */
export type NoticeKind =
  /** Deliveries of another form wait. */
  | 'kept'
  /** Deliveries still wait: once a day. */
  | 'waiting'
  /** More deliveries wait for their owner. */
  | 'aside'
  /** Nothing waits any more. */
  | 'delivered';

export interface Notice {
  readonly kind: NoticeKind;
  /** The forms whose deliveries wait, sorted. Empty if the store can't tell forms apart and no failure named one. */
  readonly forms: readonly string[];
  readonly waiting: number;
  /** The number of them that wait for their owner. */
  readonly deadLetters: number;
  readonly oldestKeptAt: number | undefined;
  /**
   * If known, why there is a dead letter and why the latest delivery waits, without values and secrets; for `aside`,
   * only the first.
   */
  readonly reasons: readonly string[];
}

/** The time from the first failed delivery until none waits. */
interface Incident {
  /** Forms with failed deliveries. */
  readonly failed: Set<string>;
  /** Why the latest delivery failed. */
  reason?: string;
  /** Why the latest became a dead letter. */
  deadLetterReason?: string;
  /** How many looks in a row found nothing that is late. */
  calm: number;
  reported?: { readonly at: number; readonly deadLetters: number; readonly forms: readonly string[] };
}

/** A younger entry may be under way. The first retry comes after a minute. */
const lateMs = 120_000;

/** A count may miss an entry that is moved meanwhile; and what failed last is late at the third look, a minute after the second. */
const calmEnough = 3;

const dayMs = 86_400_000;

/** A clock that was set back must not keep anything quiet. */
export const hasPassed = (since: number, ms: number, now: number): boolean =>
  now < since || now - since >= ms;

const begun = (): Incident => ({ failed: new Set(), calm: 0 });

/** Decides what to tell the owner of all forms together, from the store's counts (`look`). Failures say why. */
export class Incidents {
  #incident = begun();

  failed(form: string, reason: string, outcome: AttemptOutcome): void {
    const incident = this.#incident;
    incident.failed.add(form);
    incident.reason = reason;
    incident.calm = 0;
    if (outcome === 'aside') incident.deadLetterReason = reason;
  }

  /** `isPaused`: what there is to tell waits for a later look. */
  look({ forms }: QueueCounts, now: number, isPaused = false): Notice | undefined {
    const incident = this.#incident;
    const late = [...forms].filter(([, counts]) => isLate(counts, incident, now));
    incident.calm = late.length > 0 ? 0 : incident.calm + 1;
    const waiting = totalOf({ forms: new Map(late) });
    // A store that can't tell forms apart counts them under an empty name.
    const names = late.flatMap(([name]) => (name === '' ? [...incident.failed] : [name])).toSorted();
    const { reported } = incident;
    if (reported)
      incident.reported = { ...reported, deadLetters: Math.min(reported.deadLetters, waiting.deadLetters) };
    const kind = isPaused ? undefined : kindOf(incident, waiting, names, now);
    if (incident.calm >= calmEnough && (kind === 'delivered' || !reported)) this.#incident = begun();
    if (!kind) return undefined;
    incident.reported = { at: now, deadLetters: waiting.deadLetters, forms: names };
    const { due, deadLetters, oldestKeptAt } = waiting;
    // Leaves out reasons that may pass by themselves where the notice is about those that don't.
    const all = [deadLetters > 0 && incident.deadLetterReason, kind !== 'aside' && incident.reason];
    return {
      kind,
      forms: kind === 'delivered' ? (reported?.forms ?? []) : names,
      waiting: due + deadLetters,
      deadLetters,
      oldestKeptAt,
      reasons: kind === 'delivered' ? [] : [...new Set(all.filter((one) => typeof one === 'string'))],
    };
  }
}

function kindOf(
  { calm, reported }: Incident,
  waiting: FormCounts,
  forms: readonly string[],
  now: number,
): NoticeKind | undefined {
  if (calm > 0) return calm >= calmEnough && reported ? 'delivered' : undefined;
  if (waiting.deadLetters > (reported?.deadLetters ?? 0)) return 'aside';
  if (!reported || forms.some((form) => !reported.forms.includes(form))) return 'kept';
  return hasPassed(reported.at, dayMs, now) ? 'waiting' : undefined;
}

/** Whether deliveries wait because of a failure, and not because they are under way. Without ages, a failure must have been heard of. */
const isLate = ({ due, deadLetters, oldestKeptAt }: FormCounts, { reason }: Incident, now: number): boolean =>
  deadLetters > 0 ||
  (due > 0 && (oldestKeptAt === undefined ? reason !== undefined : now - oldestKeptAt >= lateMs));
