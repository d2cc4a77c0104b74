import { ClientError, stackOf } from '@form-relay/base/client_error';
import { withTimeout } from '@form-relay/base/with_timeout';
import type { Form, Readiness, Services } from '@form-relay/core/index';
import type { QueueCounts } from '@form-relay/stores/store';
import { AlertSender, pauseMs } from './alert_sender.ts';
import type { Alerts } from './alerts.ts';
import { hasPassed, Incidents, type Notice } from './incidents.ts';
import type { OpenStores, QueueConfig } from './open_stores.ts';
import type { QueueContext, QueueEvent } from './queue.ts';
import { wordsOf } from './retry_policy.ts';
import { readingsOf, type StoreStatus, waitingInWords } from './store_status.ts';

export interface Monitored {
  readonly forms: ReadonlyMap<string, Form>;
  readonly keep?: QueueConfig | undefined;
  readonly alerts?: Alerts | undefined;
}

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** How long a process that stops waits for alerts. */
const closingMs = 10 * second;

/** The timeout of a count. A folder with a million entries takes some seconds. */
const countMs = 30 * second;

/** Monitors kept deliveries: tells the owner, the log and `/readyz` what waits. */
export class QueueMonitor {
  readonly #services: Services;
  readonly alerts: AlertSender;
  #incidents = new Incidents();
  #config: Monitored | undefined;
  #stop: (() => void) | undefined;
  #status: StoreStatus | undefined;
  #looking: Promise<void> | undefined;
  /** Goes on after a timeout, so that a store that hangs does not get call after call. */
  #counting: Promise<QueueCounts> | undefined;
  #nextLookAt = 0;
  #alertedAt = -Infinity;
  /** Why submissions were lost without a report to the owner, by form. */
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

  /** Waits for alerts under way, and sends no more. */
  async close(): Promise<void> {
    this.#stop?.();
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
      const { waiting, problem } = await this.#count(keep);
      const now = this.#services.now();
      if (problem === undefined) {
        const isPaused = !hasPassed(this.#alertedAt, pauseMs, now);
        const notice = this.#incidents.look(waiting, now, isPaused);
        if (notice) {
          this.#alertedAt = now;
          this.#logNotice(notice);
          if (to) await this.alerts.notice(notice, to, await this.stores.leases(keep));
        }
      }
    } catch (error) {
      this.#services.log('error', 'internal_error', { stack: stackOf(error) });
    }
    // Counting a million entries takes long.
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
