import type { Form, Readiness, Services } from '@form-relay/core/index';
import { stackOf, withTimeout } from '@form-relay/core/kit';
import { AlertSender } from './alert_sender.ts';
import type { Alerts } from './alerts.ts';
import type { QueueContext, QueueEvent } from './context.ts';
import { Incidents, type Notice } from './incidents.ts';
import type { OpenStores } from './open_stores.ts';
import { wordsOf } from './retry_policy.ts';
import type { QueueConfig } from './store.ts';
import { readingsOf, type Seen, StoreStatus, waitingInWords } from './store_status.ts';

export interface Monitored {
  readonly forms: ReadonlyMap<string, Form>;
  readonly keep?: QueueConfig | undefined;
  readonly alerts?: Alerts | undefined;
}

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** How long alerts wait, so that forms that fail together share one. */
const gatherMs = 2 * second;

/** The same if another alert was sent shortly before. */
const gatherMoreMs = minute;
const shortlyMs = 10 * minute;

/** How long a process that stops waits for alerts. */
const closingMs = 10 * second;

const defaultOldestMs = 6 * hour;

/** Monitors kept deliveries: tells the owner, the log and `/readyz` what waits. */
export class QueueMonitor {
  readonly #services: Services;
  readonly #status: StoreStatus;
  readonly alerts: AlertSender;
  #incidents = new Incidents();
  #config: Monitored | undefined;
  #stop: (() => void) | undefined;
  #looking: Promise<void> | undefined;
  #nextLookAt = 0;
  /** The first failure that the owner was not told of. */
  #urgentAt: number | undefined;
  #toldAt: number | undefined;

  constructor(
    context: QueueContext,
    private readonly stores: OpenStores,
  ) {
    this.#services = context.services;
    this.#status = new StoreStatus(context, stores);
    this.alerts = new AlertSender(context.services, context.settings);
  }

  hear(event: QueueEvent): void {
    switch (event.kind) {
      case 'kept':
        if (event.why !== undefined) this.#fail(event.form, wordsOf(event.why));
        break;
      case 'keep_failed':
        if (this.#config?.alerts && this.#config.keep)
          this.alerts.keepFailed(event.form, wordsOf(event.error), this.#config.alerts);
        break;
      case 'tried':
        if (event.outcome === 'deleted') this.#incidents.deleted(event.form);
        else if (event.why) this.#fail(event.form, event.why.words, event.outcome === 'aside');
        break;
    }
  }

  /** What `/readyz` says of waiting deliveries; `undefined` if nothing waits. */
  get readiness(): Readiness | undefined {
    const says = this.seen && waitingInWords(this.seen);
    return says === undefined ? undefined : { says };
  }

  readings(): ReturnType<typeof readingsOf> {
    const { keep, forms } = this.#config ?? {};
    return keep && forms && this.seen ? readingsOf(keep.in.kind, this.seen, forms, this.#services.now()) : {};
  }

  get seen(): Seen | undefined {
    return this.#config?.keep && this.#status.seen;
  }

  start(next: Monitored): void {
    if (next.keep?.in.name !== this.#config?.keep?.in.name) this.#incidents = new Incidents();
    this.#config = next;
    this.#nextLookAt = 0;
    this.#stop ??= this.#services.repeat(second, () => this.#tick());
  }

  /** Waits for alerts under way, and sends no more. */
  async close(): Promise<void> {
    this.#stop?.();
    this.#config = undefined;
    const ending = Promise.all([this.#looking, this.alerts.close()]);
    await withTimeout<unknown>(closingMs, ending, () => undefined);
  }

  #tick(): void {
    this.alerts.retry();
    const now = this.#services.now();
    const isTime = now >= this.#nextLookAt || this.#nextLookAt - now > hour;
    const gather = this.#toldAt !== undefined && now - this.#toldAt < shortlyMs ? gatherMoreMs : gatherMs;
    const isReady =
      this.#urgentAt === undefined ? isTime : now - this.#urgentAt >= gather || this.#urgentAt > now;
    if (this.#looking === undefined && this.#config?.keep && isReady)
      this.#looking = this.#lookNow(this.#config, this.#config.keep);
  }

  #fail(form: string, reason: string, isAside = false): void {
    const now = this.#services.now();
    if (this.#incidents.failed(form, reason, now, isAside)) this.#urgentAt ??= now;
  }

  async #lookNow({ forms, alerts: to }: Monitored, keep: QueueConfig): Promise<void> {
    const startedAt = this.#services.now();
    const { known } = this.#incidents;
    this.#urgentAt = undefined;
    try {
      const first = await this.#status.again(keep);
      // A count may miss an entry that is moved meanwhile, but not twice.
      const { waiting, problem } = this.#incidents.mayEnd(first.waiting)
        ? await this.#status.again(keep)
        : first;
      if (problem === undefined) {
        const limits = {
          oldestMs: to?.oldestMs ?? defaultOldestMs,
          keepsAll: (form: string) => keepsAll(form === '' ? [...forms.values()] : [forms.get(form)]),
        };
        const notices = this.#incidents.look(waiting, this.#services.now(), limits, known);
        for (const one of notices) this.#logNotice(one);
        if (notices.length > 0) this.#toldAt = this.#services.now();
        if (to && notices.length > 0) await this.alerts.notices(notices, to, await this.stores.get(keep));
      }
    } catch (error) {
      this.#services.log('error', 'internal_error', { stack: stackOf(error) });
    }
    // Counting a million entries takes long.
    const tookMs = Math.max(0, this.#services.now() - startedAt);
    this.#nextLookAt = this.#services.now() + Math.max(minute, 30 * tookMs);
    this.#looking = undefined;
  }

  #logNotice({ kind, forms, waiting, aside, oldestKeptAt, reasons }: Notice): void {
    const isOver = kind === 'delivered';
    this.#services.log(isOver ? 'info' : 'warn', 'kept_waiting', {
      told: kind,
      forms: forms.slice(0, mostNamed),
      waiting,
      ...(aside > 0 && { aside }),
      ...(oldestKeptAt !== undefined && !isOver && { oldest: new Date(oldestKeptAt).toISOString() }),
      ...(reasons.length > 0 && { reason: reasons.join('; ') }),
    });
  }
}

const keepsAll = (forms: readonly (Form | undefined)[]) =>
  forms.some((form) => form?.provided.get('keep')?.what === 'always');

/** `relay kept list` shows the rest. */
const mostNamed = 20;
