import type { FormCounts, QueueCounts } from './store.ts';

/** The reasons to tell the owner about waiting deliveries. */
export type NoticeKind =
  /** A form begins to keep failed deliveries. */
  | 'kept'
  /** Deliveries still wait: once a day. */
  | 'waiting'
  /** Deliveries wait for their owner. */
  | 'aside'
  /** The oldest has waited for longer than `alerts.oldest`. */
  | 'old'
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
  /** How many were deleted because their time was over. */
  readonly deleted: number;
}

/** The time from a form's first failed delivery until none waits. */
class Incident {
  readonly forms = new Set<string>();
  deleted = 0;
  /** The latest. */
  reason: string | undefined;
  /** The reason of the latest that was set aside. */
  asideReason: string | undefined;
  toldAt: number | undefined;
  isAsideTold = false;
  isOldTold = false;

  /** @param isFound It waited before this process first looked. @param troubleAt The last known failure. */
  constructor(
    readonly key: string,
    readonly isFound: boolean,
    public troubleAt: number,
  ) {}
}

interface Limits {
  readonly oldestMs: number;
  /** Whether a form keeps everything before delivery, so that not all that waits is late. For the empty name: any form. */
  readonly keepsAll: (form: string) => boolean;
}

/** A younger entry of a form that keeps everything may be under way: the first retry comes after a minute. */
const lateMs = 120_000;

/** The process that kept a failed delivery reports it first. */
const foundMs = 30_000;

/** A store's count may be some seconds old. */
const settleMs = 10_000;

const dayMs = 86_400_000;

/** An output that fails now and then must not fill an inbox. */
export const betweenBeginsMs = 65 * 60_000;

/** If more forms fail at once, their names don't help. */
const mostForms = 1_000;

/** A failure of a form without an incident. */
interface Failure {
  readonly reason: string | undefined;
  readonly isAside: boolean;
  readonly at: number;
  readonly number: number;
}

/** Decides what to tell the owner, from failures (`failed`, `deleted`) and the store's counts (`look`). */
export class Incidents {
  readonly #incidents = new Map<string, Incident>();
  /** When a form's last incident was told. */
  readonly #begun = new Map<string, number>();
  readonly #failures = new Map<string, Failure>();
  #failed = 0;

  /** Returns whether the owner was not told of it yet. */
  failed(form: string, reason: string | undefined, at: number, isAside = false): boolean {
    this.#failed += 1;
    const incident = this.#incidentOf(form);
    const number = this.#failures.get(form)?.number ?? this.#failed;
    const failure = { reason, isAside, at, number };
    if (incident) note(incident, form, failure);
    else if (this.#failures.size < mostForms || this.#failures.has(form)) this.#failures.set(form, failure);
    return incident?.toldAt === undefined;
  }

  deleted(form: string): void {
    const incident = this.#incidentOf(form);
    if (incident) incident.deleted += 1;
  }

  /** The number of failures so far. A look that begins now may not count later ones. */
  get known(): number {
    return this.#failed;
  }

  /** Whether an incident seems to be over by these counts. */
  mayEnd({ forms }: QueueCounts): boolean {
    return [...this.#incidents.keys()].some((key) => !forms.has(key));
  }

  #incidentOf = (form: string) => this.#incidents.get(form) ?? this.#incidents.get('');

  look({ forms }: QueueCounts, now: number, limits: Limits, known: number): readonly Notice[] {
    for (const [form, failure] of this.#failures) {
      if (failure.number > known) continue;
      this.#failures.delete(form);
      note(this.#begin(forms.has('') ? '' : form, failure.at, false), form, failure);
    }
    for (const [form, waiting] of forms) {
      if (isTrouble(waiting, now, limits.keepsAll(form)))
        note(this.#begin(form, now, true), form, { reason: undefined, isAside: false, at: now });
    }
    for (const [form, at] of this.#begun)
      if (now - at >= betweenBeginsMs || at > now) this.#begun.delete(form);
    return [...this.#incidents.values()].flatMap(
      (one) => this.#tell(one, forms.get(one.key), now, limits) ?? [],
    );
  }

  #begin(key: string, at: number, isFound: boolean): Incident {
    const known = this.#incidents.get(key);
    if (known) return known;
    const incident = new Incident(key, isFound, at);
    this.#incidents.set(key, incident);
    return incident;
  }

  #tell(incident: Incident, waiting = nothing, now: number, { oldestMs }: Limits): Notice | undefined {
    const { key, troubleAt, toldAt } = incident;
    // A clock that is set back must not keep it quiet for long.
    if (toldAt !== undefined && toldAt > now) incident.toldAt = now;
    if (troubleAt > now) incident.troubleAt = now;
    if (isOver(incident, waiting, now)) {
      this.#incidents.delete(key);
      return toldAt === undefined ? undefined : noticeOf('delivered', incident, nothing);
    }
    const { due, aside, oldestKeptAt } = waiting;
    if (aside === 0) {
      incident.isAsideTold = false;
      incident.asideReason = undefined;
    }
    const isOld = oldestKeptAt !== undefined && now - oldestKeptAt >= oldestMs && due > 0;
    const kind =
      toldAt === undefined ? this.#firstKind(incident, waiting) : laterKind(incident, aside, isOld, now);
    if (kind === undefined) return undefined;
    if (toldAt === undefined) this.#begun.set(key, now);
    incident.toldAt = now;
    incident.isAsideTold = aside > 0;
    incident.isOldTold ||= isOld;
    return noticeOf(kind, incident, waiting);
  }

  #firstKind({ key, isFound }: Incident, { due, aside }: FormCounts): NoticeKind | undefined {
    if (this.#begun.has(key)) return undefined;
    if (aside > 0 && due === 0) return 'aside';
    return isFound ? 'waiting' : 'kept';
  }
}

function laterKind(
  { toldAt = 0, isAsideTold, isOldTold }: Incident,
  aside: number,
  isOld: boolean,
  now: number,
): NoticeKind | undefined {
  if (aside > 0 && !isAsideTold) return 'aside';
  if (isOld && !isOldTold) return 'old';
  return now - toldAt >= dayMs ? 'waiting' : undefined;
}

function note(incident: Incident, form: string, { reason, isAside, at }: Omit<Failure, 'number'>): void {
  if (form !== '' && incident.forms.size < mostForms) incident.forms.add(form);
  incident.troubleAt = Math.max(incident.troubleAt, at);
  incident.reason = reason ?? incident.reason;
  if (isAside) incident.asideReason = reason ?? incident.asideReason;
}

const nothing: FormCounts = { due: 0, aside: 0, oldestKeptAt: undefined };

function noticeOf(
  kind: NoticeKind,
  { key, forms, reason, asideReason, deleted }: Incident,
  { due, aside, oldestKeptAt }: FormCounts,
): Notice {
  // Leaves out reasons that may pass by themselves where the notice is about those that don't.
  const reasons = kind === 'aside' ? [asideReason] : kind === 'delivered' ? [] : [asideReason, reason];
  return {
    kind,
    forms: [...forms],
    key,
    // The store may have counted before the last was kept.
    waiting: kind === 'kept' ? Math.max(due + aside, 1) : due + aside,
    aside,
    oldestKeptAt,
    reasons: [...new Set(reasons.filter((one) => one !== undefined))],
    deleted,
  };
}

/** Whether deliveries wait because of a failure, and not because they are under way. */
function isTrouble({ due, aside, oldestKeptAt }: FormCounts, now: number, keepsAll: boolean): boolean {
  if (aside > 0) return true;
  if (due === 0) return false;
  if (oldestKeptAt === undefined) return !keepsAll;
  return now - oldestKeptAt >= (keepsAll ? lateMs : foundMs);
}

/** Whether nothing waits, or only later deliveries that are under way. */
function isOver({ troubleAt }: Incident, { due, aside, oldestKeptAt }: FormCounts, now: number): boolean {
  if (aside > 0) return false;
  if (due === 0) return now - troubleAt >= settleMs;
  return oldestKeptAt !== undefined && now - troubleAt >= lateMs && oldestKeptAt > troubleAt;
}
