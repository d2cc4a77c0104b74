import type { KeptReason, Waiting, WaitingOfForm } from '../base/kept.ts';

/** The owner is told about waiting deliveries when: */
export type NoticeKind =
  /** A form begins to keep what outputs do not take. */
  | 'kept'
  /** It still does: once a day. */
  | 'waiting'
  /** What is set aside waits for its owner. */
  | 'aside'
  /** The oldest has waited for longer than its owner wants. */
  | 'old'
  /** Nothing waits any more. */
  | 'delivered';

export interface Notice {
  readonly kind: NoticeKind;
  /** Empty where the store cannot tell forms apart, and nobody saw which it was. */
  readonly forms: readonly string[];
  /** What the store calls it: one form, or nothing for all. */
  readonly key: string;
  readonly waiting: number;
  /** Of these, those that nobody tries again by itself. */
  readonly aside: number;
  readonly oldestKeptAt: number | undefined;
  /** As far as they are known: why something of it is set aside, and why the latest waits; of `aside`, only the first. */
  readonly whys: readonly KeptReason[];
  /** It waited already when this process first looked, so that others may have told of it. */
  readonly isFound: boolean;
  /** How many were deleted meanwhile, since their time was over. */
  readonly deleted: number;
}

/** From the first thing that an output of a form did not take to the last that waited for it. */
interface Incident {
  readonly key: string;
  readonly forms: Set<string>;
  readonly isFound: boolean;
  /** When something was last known not to have been delivered. */
  troubleAt: number;
  deleted: number;
  /** Of the latest. */
  why: KeptReason | undefined;
  /** Of the latest that was set aside. */
  asideWhy: KeptReason | undefined;
  /** When its owner was last told. */
  toldAt: number | undefined;
  isAsideTold: boolean;
  isOldTold: boolean;
}

export interface Limits {
  readonly oldestMs: number;
  /** Whether a form keeps all before it is delivered: then not all that waits is late. Of the empty name: whether any does. */
  readonly keepsAll: (form: string) => boolean;
}

/** A younger entry of a form that keeps everything may be under way: the first retry comes after a minute. */
const lateMs = 120_000;

/** The process that kept a failed delivery reports it first. */
const foundMs = 30_000;

/** A store may count what it had some seconds ago. */
const settleMs = 10_000;

const dayMs = 86_400_000;

/** An output that fails now and then must not fill an inbox. */
export const betweenBeginsMs = 65 * 60_000;

/** With more forms failing at once, their names no longer help. */
const mostForms = 1_000;

/** A failure of a form that has no incident yet. */
interface Failure {
  readonly why: KeptReason | undefined;
  readonly isAside: boolean;
  readonly at: number;
  readonly number: number;
}

/**
 * What is to be told, from what was seen to fail and what the store counts. It knows no clock, and tells nobody.
 * `failed` and `deleted` are called as it happens, `look` now and then.
 */
export class Incidents {
  readonly #incidents = new Map<string, Incident>();
  /** When the last one of a form was told. */
  readonly #begun = new Map<string, number>();
  /** By form. */
  readonly #failures = new Map<string, Failure>();
  #failed = 0;

  /** Gives whether nobody was told of it yet. */
  failed(form: string, why: KeptReason | undefined, at: number, isAside = false): boolean {
    this.#failed += 1;
    const incident = this.#incidentOf(form);
    const number = this.#failures.get(form)?.number ?? this.#failed;
    if (incident) note(incident, form, { why, isAside, at });
    else if (this.#failures.size < mostForms || this.#failures.has(form))
      this.#failures.set(form, { why, isAside, at, number });
    return incident?.toldAt === undefined;
  }

  deleted(form: string): void {
    const incident = this.#incidentOf(form);
    if (incident) incident.deleted += 1;
  }

  /** How much is known by now, for a look that begins now: it may not count what fails meanwhile. */
  get known(): number {
    return this.#failed;
  }

  /** Whether something that was told of waits no more, going by what was counted. */
  mayEnd({ forms }: Waiting): boolean {
    return [...this.#incidents.keys()].some((key) => !forms.has(key));
  }

  #incidentOf = (form: string) => this.#incidents.get(form) ?? this.#incidents.get('');

  look({ forms }: Waiting, now: number, limits: Limits, known: number): readonly Notice[] {
    for (const [form, failure] of this.#failures) {
      if (failure.number > known) continue;
      this.#failures.delete(form);
      note(this.#begin(forms.has('') ? '' : form, failure.at, false), form, failure);
    }
    for (const [form, waiting] of forms) {
      if (isTrouble(waiting, now, limits.keepsAll(form)))
        note(this.#begin(form, now, true), form, { why: undefined, isAside: false, at: now });
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
    const incident: Incident = {
      key,
      forms: new Set(),
      isFound,
      troubleAt: at,
      deleted: 0,
      why: undefined,
      asideWhy: undefined,
      toldAt: undefined,
      isAsideTold: false,
      isOldTold: false,
    };
    this.#incidents.set(key, incident);
    return incident;
  }

  #tell(incident: Incident, waiting = nothing, now: number, { oldestMs }: Limits): Notice | undefined {
    const { key, troubleAt, toldAt } = incident;
    const { aside, oldestKeptAt } = waiting;
    // A clock that is set back must not keep it quiet for long.
    if (toldAt !== undefined && toldAt > now) incident.toldAt = now;
    if (troubleAt > now) incident.troubleAt = now;
    if (isOver(incident, waiting, now)) {
      this.#incidents.delete(key);
      return toldAt === undefined ? undefined : noticeOf('delivered', incident, nothing);
    }
    if (aside === 0) {
      incident.isAsideTold = false;
      incident.asideWhy = undefined;
    }
    const isOld = oldestKeptAt !== undefined && now - oldestKeptAt >= oldestMs && waiting.due > 0;
    const isDue = {
      begin: toldAt === undefined && !this.#begun.has(key),
      aside: toldAt !== undefined && aside > 0 && !incident.isAsideTold,
      old: toldAt !== undefined && isOld && !incident.isOldTold,
      daily: toldAt !== undefined && now - toldAt >= dayMs,
    };
    const kind = kindOf(isDue, incident, waiting);
    if (kind === undefined) return undefined;
    if (isDue.begin) this.#begun.set(key, now);
    incident.toldAt = now;
    incident.isAsideTold = aside > 0;
    incident.isOldTold ||= isOld;
    return noticeOf(kind, incident, waiting);
  }
}

interface Due {
  readonly begin: boolean;
  readonly aside: boolean;
  readonly old: boolean;
  readonly daily: boolean;
}

function kindOf(isDue: Due, { isFound }: Incident, { due, aside }: WaitingOfForm): NoticeKind | undefined {
  if (isDue.aside || (isDue.begin && aside > 0 && due === 0)) return 'aside';
  if (isDue.begin) return isFound ? 'waiting' : 'kept';
  if (isDue.old) return 'old';
  return isDue.daily ? 'waiting' : undefined;
}

/** Something of it was not delivered. */
function note(incident: Incident, form: string, { why, isAside, at }: Omit<Failure, 'number'>): void {
  if (form !== '' && incident.forms.size < mostForms) incident.forms.add(form);
  incident.troubleAt = Math.max(incident.troubleAt, at);
  incident.why = why ?? incident.why;
  if (isAside) incident.asideWhy = why ?? incident.asideWhy;
}

const nothing: WaitingOfForm = { due: 0, aside: 0, oldestKeptAt: undefined };

const noticeOf = (
  kind: NoticeKind,
  incident: Incident,
  { due, aside, oldestKeptAt }: WaitingOfForm,
): Notice => ({
  kind,
  forms: [...incident.forms],
  key: incident.key,
  // It may have counted before the last was kept.
  waiting: kind === 'kept' ? Math.max(due + aside, 1) : due + aside,
  aside,
  oldestKeptAt,
  whys: whysOf(kind, incident),
  isFound: incident.isFound,
  deleted: incident.deleted,
});

/** Leaves out reasons that may pass by themselves where the notice is about those that don't. */
function whysOf(kind: NoticeKind, { why, asideWhy }: Incident): readonly KeptReason[] {
  const whys = kind === 'aside' ? [asideWhy] : kind === 'delivered' ? [] : [asideWhy, why];
  return [...new Set(whys.filter((one) => one !== undefined))];
}

/** Whether it waits because something failed, and not because it is under way. */
function isTrouble({ due, aside, oldestKeptAt }: WaitingOfForm, now: number, keepsAll: boolean): boolean {
  if (aside > 0) return true;
  if (due === 0) return false;
  if (oldestKeptAt === undefined) return !keepsAll;
  return now - oldestKeptAt >= (keepsAll ? lateMs : foundMs);
}

/** Nothing waits, or only what was kept since then, and is under way. */
function isOver({ troubleAt }: Incident, { due, aside, oldestKeptAt }: WaitingOfForm, now: number): boolean {
  if (aside > 0) return false;
  if (due === 0) return now - troubleAt >= settleMs;
  return oldestKeptAt !== undefined && now - troubleAt >= lateMs && oldestKeptAt > troubleAt;
}
