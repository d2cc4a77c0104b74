import { ClientError, stackOf } from '@form-relay/base/client_error';
import { unlessStopped, withTimeout } from '@form-relay/base/with_timeout';
import type { Form, Readiness, Services } from '@form-relay/core/index';
import type { FormCounts, QueueCounts } from '@form-relay/stores/store';
import { AlertSender, pauseMs } from './alert_sender.ts';
import type { Alerts } from './alerts.ts';
import type { OpenStores, QueueConfig } from './open_stores.ts';
import type { AttemptOutcome, QueueContext, QueueEvent } from './queue.ts';
import { wordsOf } from './retry_policy.ts';
import { readingsOf, type StoreStatus, totalOf, waitingInWords } from './store_status.ts';

/** The reasons to alert the owner about waiting deliveries. */
export type NoticeKind =
  /** Deliveries of one more form wait. */
  | 'kept'
  /** Deliveries still wait; sent once a day. */
  | 'waiting'
  /** There are more dead letters. */
  | 'aside'
  /** All deliveries have succeeded. */
  | 'delivered';

export interface Notice {
  readonly kind: NoticeKind;
  /** The forms whose deliveries wait, sorted. Empty if the store cannot tell forms apart and no failure named a form. */
  readonly forms: readonly string[];
  readonly waiting: number;
  /** How many of them are dead letters. */
  readonly deadLetters: number;
  readonly oldestKeptAt: number | undefined;
  /**
   * Why there is a dead letter and why the latest delivery waits, as far as known, without values and
   * secrets; for `aside`, only the former.
   */
  readonly reasons: readonly string[];
}

/** The time from the first failed delivery until no delivery waits. */
interface Incident {
  /** Forms with failed deliveries. */
  readonly failed: Set<string>;
  /** Why the latest delivery failed. */
  reason?: string;
  /** Why the latest dead letter became one. */
  deadLetterReason?: string;
  /** How many checks in a row found no late delivery. */
  calm: number;
  reported?: { readonly at: number; readonly deadLetters: number; readonly forms: readonly string[] };
}

/**
 * The age from which a waiting delivery counts as late. A younger one may be in progress, because the first
 * retry comes after a minute.
 */
const lateMs = 120_000;

/**
 * The number of calm checks that end an incident. A count may miss an entry that is being moved, and the last
 * failure counts as late only at the third check, a minute after the second.
 */
const calmEnough = 3;

const dayMs = 86_400_000;

/** Whether this much time has passed. Also true if the clock was set back, so that no alert is suppressed. */
const hasPassed = (since: number, ms: number, now: number): boolean => now < since || now - since >= ms;

const begun = (): Incident => ({ failed: new Set(), calm: 0 });

/** Decides on alerts for all forms together, based on the store's counts (`look`). Failures only add the reasons. */
export class Incidents {
  #incident = begun();

  failed(form: string, reason: string, outcome: AttemptOutcome): void {
    const incident = this.#incident;
    incident.failed.add(form);
    incident.reason = reason;
    incident.calm = 0;
    if (outcome === 'aside') incident.deadLetterReason = reason;
  }

  /** @param isPaused Whether to leave the alert to a later check. */
  look({ forms }: QueueCounts, now: number, isPaused = false): Notice | undefined {
    const incident = this.#incident;
    const late = [...forms].filter(([, counts]) => isLate(counts, incident, now));
    incident.calm = late.length > 0 ? 0 : incident.calm + 1;
    const waiting = totalOf({ forms: new Map(late) });
    // A store that cannot tell forms apart counts everything under an empty name.
    const names = late.flatMap(([name]) => (name === '' ? [...incident.failed] : [name])).toSorted();
    const { reported } = incident;
    if (reported)
      incident.reported = { ...reported, deadLetters: Math.min(reported.deadLetters, waiting.deadLetters) };
    const kind = isPaused ? undefined : kindOf(incident, waiting, names, now);
    if (incident.calm >= calmEnough && (kind === 'delivered' || !reported)) this.#incident = begun();
    if (!kind) return undefined;
    incident.reported = { at: now, deadLetters: waiting.deadLetters, forms: names };
    const { due, deadLetters, oldestKeptAt } = waiting;
    // A notice about dead letters leaves out reasons that may pass by themselves.
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

/**
 * Whether deliveries wait because of a failure rather than being in progress. If the store reports no ages,
 * there must have been a failure.
 */
const isLate = ({ due, deadLetters, oldestKeptAt }: FormCounts, { reason }: Incident, now: number): boolean =>
  deadLetters > 0 ||
  (due > 0 && (oldestKeptAt === undefined ? reason !== undefined : now - oldestKeptAt >= lateMs));

export interface Monitored {
  readonly forms: ReadonlyMap<string, Form>;
  readonly keep?: QueueConfig | undefined;
  readonly alerts?: Alerts | undefined;
}

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** How long a stopping process waits for alerts. */
const closingMs = 10 * second;

/** The timeout of a count. A folder with a million entries takes some seconds. */
const countMs = 30 * second;

/** Monitors queued deliveries: reports waiting ones to the owner, the log and `/readyz`. */
export class QueueMonitor {
  readonly #services: Services;
  readonly alerts: AlertSender;
  #incidents = new Incidents();
  #config: Monitored | undefined;
  #stop: (() => void) | undefined;
  readonly #closing = new AbortController();
  #status: StoreStatus | undefined;
  #looking: Promise<void> | undefined;
  /** Kept after a timeout, so that a hanging store does not get one call after another. */
  #counting: Promise<QueueCounts> | undefined;
  #nextLookAt = 0;
  #alertedAt = -Infinity;
  /** Why submissions were lost that the owner has not been told about, by form. */
  readonly #lost = new Map<string, string>();
  #lostAlertedAt = -Infinity;

  constructor(
    context: QueueContext,
    private readonly stores: OpenStores,
  ) {
    this.#services = context.services;
    this.alerts = new AlertSender(context.services, context.settings, context.hold);
  }

  onEvent(event: QueueEvent): void {
    switch (event.kind) {
      case 'kept':
        if (event.why !== undefined) this.#incidents.failed(event.form, wordsOf(event.why), 'put_off');
        break;
      case 'keep_failed':
        this.#lost.set(event.form, wordsOf(event.error));
        this.#tellLost();
        break;
      case 'tried':
        if (event.why) this.#incidents.failed(event.form, event.why.words, event.outcome);
        break;
    }
  }

  /** The text of `/readyz` about waiting deliveries; `undefined` if nothing waits. */
  get readiness(): Readiness | undefined {
    const says = this.#config?.keep && this.#status && waitingInWords(this.#status);
    return says === undefined ? undefined : { says };
  }

  readings(): ReturnType<typeof readingsOf> {
    const { keep, forms } = this.#config ?? {};
    if (!keep || !forms || !this.#status) return {};
    const { isFolder, schemes } = keep.in.type;
    return readingsOf(isFolder ? 'folder' : (schemes[0] ?? ''), this.#status, forms, this.#services.now());
  }

  start(next: Monitored): void {
    if (next.keep?.in.name !== this.#config?.keep?.in.name) this.#incidents = new Incidents();
    this.#config = next;
    this.#nextLookAt = 0;
    this.#stop ??= this.#services.repeat(second, () => this.#tick());
  }

  /** Waits for alerts in progress, and sends no more. */
  async close(): Promise<void> {
    this.#stop?.();
    this.#closing.abort();
    this.#tellLost(true);
    this.#config = undefined;
    await withTimeout<unknown>(closingMs, Promise.all([this.#looking, this.alerts.close()]), () => undefined);
  }

  #tick(): void {
    this.alerts.retry();
    this.#tellLost();
    const now = this.#services.now();
    const isTime = now >= this.#nextLookAt || this.#nextLookAt - now > hour;
    if (isTime && !this.#looking && this.#config?.keep)
      this.#looking = this.#look(this.#config, this.#config.keep);
  }

  #tellLost(isLast = false): void {
    const now = this.#services.now();
    if (this.#lost.size === 0 || !(isLast || hasPassed(this.#lostAlertedAt, pauseMs, now))) return;
    if (this.#config?.alerts) this.alerts.keepFailed(this.#lost, this.#config.alerts);
    this.#lost.clear();
    this.#lostAlertedAt = now;
  }

  /** Never rejects. */
  async #look({ alerts: to }: Monitored, keep: QueueConfig): Promise<void> {
    const startedAt = this.#services.now();
    try {
      const status = await unlessStopped(this.#count(keep), this.#closing.signal);
      const now = this.#services.now();
      if (status && status.problem === undefined) {
        const isPaused = !hasPassed(this.#alertedAt, pauseMs, now);
        const notice = this.#incidents.look(status.waiting, now, isPaused);
        if (notice) {
          this.#alertedAt = now;
          this.#logNotice(notice);
          if (to) await this.alerts.notice(notice, to, await this.stores.leases(keep));
        }
      }
    } catch (error) {
      this.#services.log('error', 'internal_error', { stack: stackOf(error) });
    }
    // Checks are rarer if counting takes long, as it does for a million entries.
    const tookMs = Math.max(0, this.#services.now() - startedAt);
    this.#nextLookAt = this.#services.now() + Math.max(minute, 30 * tookMs);
    this.#looking = undefined;
  }

  async #count(keep: QueueConfig): Promise<StoreStatus> {
    const { log, now } = this.#services;
    let waiting = this.#status?.waiting ?? { forms: new Map() };
    let problem: string | undefined;
    try {
      this.#counting ??= this.stores
        .leases(keep)
        .then((store) => store.count())
        .finally(() => {
          this.#counting = undefined;
        });
      waiting = await withTimeout(countMs, this.#counting, () => {
        throw new ClientError(`the store did not count the waiting deliveries within ${countMs / second} s`);
      });
    } catch (error) {
      const isKnown = error instanceof ClientError;
      if (!isKnown) log('error', 'internal_error', { stack: stackOf(error) });
      problem = isKnown ? error.message : 'internal error';
    }
    this.#status = { at: now(), waiting, problem };
    return this.#status;
  }

  #logNotice({ kind, forms, waiting, deadLetters, oldestKeptAt, reasons }: Notice): void {
    this.#services.log(kind === 'delivered' ? 'info' : 'warn', 'kept_waiting', {
      told: kind,
      forms: forms.slice(0, mostNamed),
      waiting,
      ...(deadLetters > 0 && { aside: deadLetters }),
      ...(oldestKeptAt !== undefined && { oldest: new Date(oldestKeptAt).toISOString() }),
      ...(reasons.length > 0 && { reason: reasons.join('; ') }),
    });
  }
}

/** `relay kept list` shows the rest. */
const mostNamed = 20;
