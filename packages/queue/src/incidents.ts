import type { AttemptOutcome } from './context.ts';
import type { FormCounts, QueueCounts } from './store.ts';

/** The reasons to tell the owner about waiting deliveries. */
export type NoticeKind =
  /** Deliveries of a form wait. */
  | 'kept'
  /** They still do: once a day. */
  | 'waiting'
  /** More deliveries wait for their owner. */
  | 'aside'
  /** Nothing waits any more. */
  | 'delivered';

export interface Notice {
  readonly kind: NoticeKind;
  /** Empty if the store can't tell forms apart and no failure named one. */
  readonly forms: readonly string[];
  /** The store's key: a form, or empty for all. */
  readonly key: string;
  readonly waiting: number;
  /** Those of them that wait for their owner. */
  readonly aside: number;
  readonly oldestKeptAt: number | undefined;
  /** If known, why something is set aside and why the latest waits, without values and secrets; for `aside`, only the first. */
  readonly reasons: readonly string[];
  /** How many this process has deleted since the last notice because their time was over. */
  readonly deleted: number;
}

/** The time from a form's first failed delivery until none waits. */
interface Incident {
  readonly forms: Set<string>;
  /** Why the latest delivery failed. */
  reason?: string;
  /** Why the latest was set aside. */
  asideReason?: string;
  deleted: number;
  /** How many looks in a row found nothing that is late. */
  calm: number;
  told?: { readonly at: number; readonly aside: number };
}

/** A younger entry may be under way. The first retry comes after a minute. */
const lateMs = 120_000;

/** A count may miss an entry that is moved meanwhile; and what failed last is late at the third look, a minute after the second. */
const calmEnough = 3;

const dayMs = 86_400_000;

/** A clock that was set back must not keep anything quiet. */
export const hasPassed = (since: number, ms: number, now: number): boolean =>
  now < since || now - since >= ms;

/** Decides what to tell the owner, from the store's counts (`look`). Failures say why. */
export class Incidents {
  readonly #incidents = new Map<string, Incident>();
  /** Whether the store can't tell forms apart. */
  #isTogether = false;

  failed(form: string, reason: string, outcome: AttemptOutcome): void {
    const incident = this.#at(this.#isTogether ? '' : form);
    incident.forms.add(form);
    incident.reason = reason;
    incident.calm = 0;
    if (outcome === 'aside') incident.asideReason = reason;
    if (outcome === 'deleted') incident.deleted += 1;
  }

  /** `isPaused`: what there is to tell waits for a later look. */
  look({ forms }: QueueCounts, now: number, isPaused = false): readonly Notice[] {
    this.#isTogether = forms.has('');
    for (const key of forms.keys()) this.#at(key);
    return [...this.#incidents].flatMap(([key, incident]) => {
      const waiting = forms.get(key) ?? nothing;
      incident.calm = isLate(waiting, incident, now) ? 0 : incident.calm + 1;
      const kind = isPaused ? undefined : kindOf(incident, waiting, now);
      const notice = kind && noticeOf(kind, key, incident, waiting);
      if (kind === 'delivered' || (incident.calm >= calmEnough && !incident.told && waiting.due === 0))
        this.#incidents.delete(key);
      const { told, deleted } = incident;
      if (notice) incident.told = { at: now, aside: waiting.aside };
      else if (told) incident.told = { ...told, aside: Math.min(told.aside, waiting.aside) };
      incident.deleted = notice ? 0 : deleted;
      return notice ?? [];
    });
  }

  #at(key: string): Incident {
    const incident = this.#incidents.get(key) ?? {
      forms: new Set(key === '' ? [] : [key]),
      deleted: 0,
      calm: 0,
    };
    this.#incidents.set(key, incident);
    return incident;
  }
}

function kindOf({ calm, told, deleted }: Incident, waiting: FormCounts, now: number): NoticeKind | undefined {
  if (calm > 0) return calm >= calmEnough && (told || deleted > 0) ? 'delivered' : undefined;
  if (waiting.aside > (told?.aside ?? 0)) return 'aside';
  if (!told) return isOlder(waiting, dayMs, now) ? 'waiting' : 'kept';
  return hasPassed(told.at, dayMs, now) ? 'waiting' : undefined;
}

const nothing: FormCounts = { due: 0, aside: 0, oldestKeptAt: undefined };

const isOlder = ({ due, oldestKeptAt }: FormCounts, ms: number, now: number): boolean =>
  due > 0 && oldestKeptAt !== undefined && now - oldestKeptAt >= ms;

/** Whether deliveries wait because of a failure, and not because they are under way. Without ages, a failure must have been heard of. */
const isLate = (waiting: FormCounts, { reason }: Incident, now: number): boolean =>
  waiting.aside > 0 ||
  isOlder(waiting, lateMs, now) ||
  (waiting.due > 0 && waiting.oldestKeptAt === undefined && reason !== undefined);

function noticeOf(
  kind: NoticeKind,
  key: string,
  { forms, reason, asideReason, deleted }: Incident,
  counts: FormCounts,
): Notice {
  const { due, aside, oldestKeptAt } = kind === 'delivered' ? nothing : counts;
  // Leaves out reasons that may pass by themselves where the notice is about those that don't.
  const all = kind === 'delivered' ? [] : [aside > 0 && asideReason, kind !== 'aside' && reason];
  const reasons = [...new Set(all.filter((one) => typeof one === 'string'))];
  return { kind, forms: [...forms], key, waiting: due + aside, aside, oldestKeptAt, reasons, deleted };
}
