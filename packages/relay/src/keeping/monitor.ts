import { ClientError, stackOf } from '../base/client_error.ts';
import type { Effects } from '../base/effects.ts';
import type { KeptEnding, Listener, Observer } from '../base/event.ts';
import type { Keep, KeptReason, Store, Waiting } from '../base/kept.ts';
import { inTime } from '../base/soon.ts';
import type { Variables } from '../config/needed_variables.ts';
import type { Config } from '../config/parse.ts';
import { keep } from '../features/keep/keep.ts';
import type { Form } from '../form.ts';
import { failureWords } from '../telling/submission_log.ts';
import { AlertSender } from './alerts.ts';
import type { World } from './attempt.ts';
import { Heartbeat } from './heartbeat.ts';
import { Incidents, type Notice } from './incidents.ts';
import { reasonOf } from './retry_policy.ts';

export interface KeptSeen {
  readonly keep: Keep;
  readonly seen: Seen;
}

interface MonitorWorld extends World {
  readonly variables: Variables;
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

/** The default of `alerts.oldest`. */
const defaultOldestMs = 6 * hour;

/** How long a failure to keep withholds the heartbeat, unless something is kept again. */
const mistrustMs = hour;

/** Monitors kept deliveries: tells the owner and the log what waits, and an outside service that all is well. */
export class KeptMonitor {
  readonly #effects: Effects;
  readonly #status: StoreStatus;
  readonly #alerts: AlertSender;
  readonly #heartbeat: Heartbeat;
  #incidents = new Incidents();
  #config: Config | undefined;
  #stop: (() => void) | undefined;
  #looking: Promise<void> | undefined;
  #nextLookAt = 0;
  /** The first failure that the owner was not told of. */
  #urgentAt: number | undefined;
  /** When the owner was last told. */
  #toldAt: number | undefined;
  #keepFailedAt: number | undefined;

  /** @param storeOf Opens the store that a config names, once. */
  constructor(
    private readonly world: MonitorWorld,
    storeOf: (keep: Keep) => Promise<Store>,
  ) {
    this.#effects = world.effects;
    this.#status = new StoreStatus(world, storeOf);
    this.#alerts = new AlertSender(world);
    this.#heartbeat = new Heartbeat(world, () => this.#whyUnwell());
  }

  observe({ formId = '' }: Parameters<Observer>[0]): Listener {
    return (event) => {
      switch (event.kind) {
        case 'delivery_kept':
          this.#keepFailedAt = undefined;
          if (event.why !== undefined) this.#fail(formId, reasonOf(event.why));
          break;
        case 'keep_failed':
          this.#keepFailedAt = this.#effects.now();
          if (this.#config?.alerts && this.#config.keep)
            this.#alerts.keepFailed(formId, failureWords(event.error), this.#config.alerts);
          break;
        case 'kept_tried':
          this.#heardTry(formId, event.ending);
          break;
      }
    };
  }

  /** The words about waiting deliveries for `/readyz`; `undefined` if nothing does. */
  get words(): string | undefined {
    return this.seen && waitingInWords(this.seen.seen);
  }

  /** The latest answer of the store. */
  get seen(): KeptSeen | undefined {
    const { seen } = this.#status;
    return this.#config?.keep && seen && { keep: this.#config.keep, seen };
  }

  start(next: Config): void {
    if (next.keep?.in.name !== this.#config?.keep?.in.name) this.#incidents = new Incidents();
    this.#config = next;
    this.#nextLookAt = 0;
    this.#heartbeat.start(next.heartbeat);
    this.#stop ??= this.#effects.repeat(second, () => this.#tick());
  }

  /** Waits for alerts under way, and sends no more. */
  async close(): Promise<void> {
    this.#stop?.();
    this.#config = undefined;
    const ending = Promise.all([this.#looking, this.#heartbeat.close(), this.#alerts.close()]);
    await inTime<unknown>(closingMs, ending, () => undefined);
  }

  #tick(): void {
    this.#heartbeat.beat();
    this.#alerts.retry();
    const now = this.#effects.now();
    const isTime = now >= this.#nextLookAt || this.#nextLookAt - now > hour;
    const gather = this.#toldAt !== undefined && now - this.#toldAt < shortlyMs ? gatherMoreMs : gatherMs;
    const isReady =
      this.#urgentAt === undefined ? isTime : now - this.#urgentAt >= gather || this.#urgentAt > now;
    if (this.#looking === undefined && this.#config?.keep && isReady)
      this.#looking = this.#lookNow(this.#config, this.#config.keep);
  }

  /** Why the heartbeat is withheld. */
  async #whyUnwell(): Promise<string | undefined> {
    const { config, variables } = this.world;
    const current = await config.get();
    if (!current || config.state !== 'fresh') return 'the latest config could not be loaded';
    if (variables.missing.length > 0) return `variables are not set: ${variables.missing.join(', ')}`;
    if (!current.keep) return undefined;
    const now = this.#effects.now();
    const failedAt = this.#keepFailedAt;
    if (failedAt !== undefined && now - failedAt < mistrustMs && now >= failedAt)
      return 'what could not be delivered could not be kept';
    const { seen } = await this.#status.again(current.keep);
    if (seen.problem !== undefined) return `where deliveries are kept does not answer: ${seen.problem}`;
    const mostMs = current.alerts?.oldestMs ?? defaultOldestMs;
    const isOld = [...seen.waiting.forms.values()].some(
      ({ due, oldestKeptAt }) => due > 0 && oldestKeptAt !== undefined && now - oldestKeptAt >= mostMs,
    );
    return isOld ? 'something waits for too long; relay kept list shows what' : undefined;
  }

  #heardTry(form: string, ending: KeptEnding): void {
    if (ending.kind === 'deleted') this.#incidents.deleted(form);
    else if ('why' in ending && ending.why) this.#fail(form, ending.why, ending.kind === 'aside');
  }

  #fail(form: string, why: KeptReason, isAside = false): void {
    const now = this.#effects.now();
    if (this.#incidents.failed(form, why, now, isAside)) this.#urgentAt ??= now;
  }

  async #lookNow({ forms, alerts: to }: Config, keep: Keep): Promise<void> {
    const startedAt = this.#effects.now();
    const { known } = this.#incidents;
    this.#urgentAt = undefined;
    try {
      const first = await this.#status.again(keep);
      // A count may miss an entry that is moved meanwhile, but not twice.
      const { seen, store } = this.#incidents.mayEnd(first.seen.waiting)
        ? await this.#status.again(keep)
        : first;
      if (store) {
        const limits = {
          oldestMs: to?.oldestMs ?? defaultOldestMs,
          keepsAll: (form: string) => keepsAll(form === '' ? [...forms.values()] : [forms.get(form)]),
        };
        const notices = this.#incidents.look(seen.waiting, this.#effects.now(), limits, known);
        for (const one of notices) this.#logNotice(one);
        if (notices.length > 0) this.#toldAt = this.#effects.now();
        if (to && notices.length > 0) await this.#alerts.notices(notices, to, store);
      }
    } catch (error) {
      this.#effects.log('error', 'internal_error', { stack: stackOf(error) });
    }
    // Counting a million entries takes long.
    const tookMs = Math.max(0, this.#effects.now() - startedAt);
    this.#nextLookAt = this.#effects.now() + Math.max(minute, 30 * tookMs);
    this.#looking = undefined;
  }

  #logNotice({ kind, forms, waiting, aside, oldestKeptAt, whys }: Notice): void {
    const isOver = kind === 'delivered';
    this.#effects.log(isOver ? 'info' : 'warn', 'kept_waiting', {
      told: kind,
      forms: forms.slice(0, mostNamed),
      waiting,
      ...(aside > 0 && { aside }),
      ...(oldestKeptAt !== undefined && !isOver && { oldest: new Date(oldestKeptAt).toISOString() }),
      ...(whys.length > 0 && { reason: whys.map(({ words }) => words).join('; ') }),
    });
  }
}

const keepsAll = (forms: readonly (Form | undefined)[]) =>
  forms.some((form) => form && keep.of(form)?.what === 'always');

/** `relay kept list` shows the rest. */
const mostNamed = 20;

/** The latest answer of the store. */
export interface Seen {
  readonly at: number;
  readonly waiting: Waiting;
  /** Why the store doesn't answer; then `waiting` is its last answer. */
  readonly problem: string | undefined;
}

/** The timeout of a count. A folder with a million entries takes some seconds. */
const timeoutMs = 30_000;

/** Counts what waits, never twice at once. */
class StoreStatus {
  #seen: Seen | undefined;
  #looking: ReturnType<StoreStatus['again']> | undefined;
  /** Goes on after a timeout, so that a store that hangs is not asked again and again. */
  #counting: Promise<{ readonly store: Store; readonly waiting: Waiting }> | undefined;

  constructor(
    private readonly world: World,
    private readonly storeOf: (keep: Keep) => Promise<Store>,
  ) {}

  get seen(): Seen | undefined {
    return this.#seen;
  }

  /** Also resolves with the store, if it answers. Never rejects. */
  again(keep: Keep): Promise<{ readonly seen: Seen; readonly store: Store | undefined }> {
    this.#looking ??= this.#look(keep).finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #count(keep: Keep) {
    const store = await this.storeOf(keep);
    return { store, waiting: await store.count() };
  }

  async #look(keep: Keep): ReturnType<StoreStatus['again']> {
    const { log, now } = this.world.effects;
    try {
      this.#counting ??= this.#count(keep).finally(() => {
        this.#counting = undefined;
      });
      const { store, waiting } = await inTime(timeoutMs, this.#counting, () => {
        throw new ClientError(`it did not say within ${timeoutMs / 1_000} s what waits`);
      });
      this.#seen = { at: now(), waiting, problem: undefined };
      return { seen: this.#seen, store };
    } catch (error) {
      const isKnown = error instanceof ClientError;
      if (!isKnown) log('error', 'internal_error', { stack: stackOf(error) });
      const problem = isKnown ? error.message : 'internal error';
      const waiting = this.#seen?.waiting ?? { forms: new Map() };
      this.#seen = { at: now(), waiting, problem };
      return { seen: this.#seen, store: undefined };
    }
  }
}

/** Counts of waiting deliveries in words, without names of forms, since `/readyz` is public. `undefined` if nothing does. */
export function waitingInWords({ waiting: { forms }, problem }: Seen): string | undefined {
  if (problem !== undefined) return 'where deliveries are kept does not answer; the log says why';
  const all = [...forms.values()];
  const due = all.reduce((sum, one) => sum + one.due, 0);
  const aside = all.reduce((sum, one) => sum + one.aside, 0);
  if (due + aside === 0) return undefined;
  const oldest = Math.min(...all.map(({ oldestKeptAt = Infinity }) => oldestKeptAt));
  const since =
    oldest === Infinity ? '' : `, the oldest since ${new Date(oldest).toISOString().slice(0, 19)}Z`;
  const own = aside > 0 ? `; ${aside} of them for the owner` : '';
  return `${due + aside} ${due + aside === 1 ? 'delivery waits' : 'deliveries wait'}${since}${own}`;
}
