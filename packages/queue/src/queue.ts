import { setTimeout as sleep } from 'node:timers/promises';
import { ClientError, stackOf } from '@form-relay/base/client_error';
import type { Form, PluginContext, Submission } from '@form-relay/core/index';
import { heldAt } from '@form-relay/stores/entry';
import { failed } from '@form-relay/stores/failures';
import type {
  FailureReason,
  HeldDelivery,
  HeldSubmissions,
  Hold,
  Lease,
  Leases,
  Listed,
  Queued,
} from '@form-relay/stores/store';
import { type ContentKeys, packContent, type QueuedSubmission } from './content.ts';
import { holdMark, isHeld, outputsOf, released, submissionOf, withdraw } from './held.ts';
import { type FormQueue, type OpenStore, OpenStores, type QueueConfig } from './open_stores.ts';
import { findOutput, outputIdentity } from './output_match.ts';
import { RetryLoop } from './retry_loop.ts';
import { type DeliveryError, isBusy, nextTry, reasonOf, wordsOf } from './retry_policy.ts';

export interface FailedDelivery {
  /** The index in the form's `outputs`. */
  readonly output: number;
  /** The failure of the first attempt; `undefined` if there was no attempt yet. */
  readonly why: DeliveryError | undefined;
}

/** How long a visitor waits for the store. */
const keepTimeoutMs = 5_000;

/** How long `release` and `drop` wait for entries that others have leased, and how often they check. */
const settleHeldMs = 8_000;
const pauseMs = 50;
/** How many passes must find nothing, because a pass may miss an entry that is being moved. */
const passesAbsent = 2;

async function isListed(store: Leases, isWanted: (one: Listed) => boolean): Promise<boolean> {
  for await (const one of store.list()) if (isWanted(one)) return true;
  return false;
}

/** Queues failed deliveries in a store, and retries them. */
export class Queue {
  readonly stores: OpenStores;
  readonly tries: RetryLoop;
  /** How many deliveries will be delivered from memory after the response. */
  #following = 0;
  /** The latest call of `release` or `drop`; calls run one after another. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly context: QueueContext,
    open: OpenStore,
  ) {
    this.stores = new OpenStores(open);
    this.tries = new RetryLoop(context, this.stores);
  }

  /** Resolves with `undefined` if all deliveries are queued, or else with the reason. */
  async keep(
    submission: Submission,
    queue: FormQueue,
    failed: readonly FailedDelivery[],
  ): Promise<DeliveryError | undefined> {
    const { form, deliveries } = submission;
    const { emit } = this.context;
    let deliver: (() => Promise<void>) | undefined;
    try {
      deliver = await this.#keepAll(submission, queue, failed);
    } catch (caught) {
      const error = caught instanceof ClientError ? caught : 'internal_error';
      if (error === 'internal_error') submission.log('error', error, { stack: stackOf(caught) });
      // A flood of rejected entries must not fill the log.
      if (!isBusy(error))
        submission.log('error', 'keep_failed', {
          outputs: failed.map(({ output }) => output),
          reason: wordsOf(error),
        });
      emit({ kind: 'keep_failed', form: form.id, error });
      return error;
    }
    for (const { output, why } of failed) {
      const { type } = form.outputs[output] ?? { type: '' };
      const { tries = 0, ms = 0 } = deliveries[output] ?? {};
      deliveries[output] = { output, type, outcome: 'kept', tries, ms, ...(why && { error: why }) };
      emit({ kind: 'kept', form: form.id, why });
    }
    if (deliver) await submission.defer(deliver);
    return undefined;
  }

  /** Stores all deliveries of a submission, and does not try them until `release`. */
  async hold(
    submission: Submission,
    where: QueueConfig,
    { key, until, why, outputs: places = outputsOf(submission) }: Hold,
  ): Promise<number> {
    const { form, services, deadline, requestId, receivedAt, values, files, page, deliveries } = submission;
    const stored = { requestId, receivedAt, values, files, page, hops: submission.tracing.hops || undefined };
    const now = services.now();
    const entries = places.map((output, index) => ({
      ...this.#entryOf(form, stored, { output, why: undefined }, heldAt),
      why: { code: index === 0 ? holdMark(key) : `${holdMark(key)} +${index}`, words: why },
    }));
    if (entries.length > 0) {
      const timeoutMs = Math.max(1_000, Math.min(keepTimeoutMs, deadline - now));
      const store = await this.stores.leases(where);
      await store.keep(entries, { isMine: false, dueAt: until, timeoutMs });
    }
    for (const output of places)
      deliveries[output] = {
        output,
        type: form.outputs[output]?.type ?? '',
        outcome: 'held',
        tries: 0,
        ms: 0,
      };
    return places.length;
  }

  async release(where: QueueConfig, key: string): Promise<number> {
    return this.#eachHeld(where, key, async (lease) => {
      const now = this.context.services.now();
      await lease.reschedule(now, released(lease.kept, now));
    });
  }

  async *listHeld(
    where: QueueConfig,
    form: Form,
    keyOf: Parameters<HeldSubmissions['list']>[1],
  ): AsyncGenerator<HeldDelivery> {
    const { keys, settings } = this.context;
    const store = await this.stores.leases(where);
    for await (const { kept, deadLetter } of store.list()) {
      if (deadLetter || kept.form !== form.id || !isHeld(kept)) continue;
      const submission = submissionOf(kept, new Map([[form.id, form]]), keys, settings);
      const { place } = kept.output;
      if (submission && kept.why?.code === holdMark(keyOf({ submission, place })))
        yield { submission, place, output: findOutput(form, kept.output) };
    }
  }

  /** Removes the entries. Only the first one is withdrawn, so that features undo what they did for the submission once. */
  async drop(
    where: QueueConfig,
    key: string,
    takesBack: Parameters<HeldSubmissions['drop']>[1],
  ): Promise<number> {
    let first: Queued | undefined;
    const dropped = await this.#eachHeld(where, key, async (lease) => {
      await lease.done();
      if (lease.kept.why?.code === holdMark(key)) first = lease.kept;
    });
    const { config, keys, settings } = this.context;
    const submission = first && submissionOf(first, await config.forms(), keys, settings);
    if (submission && (takesBack === undefined || (await takesBack()))) await withdraw(submission);
    return dropped;
  }

  /**
   * Runs the calls one after another, because entries share files and a pass leases whole files. Other
   * processes and commands hold their leases only briefly.
   */
  #eachHeld(where: QueueConfig, key: string, settle: (lease: Lease) => Promise<void>): Promise<number> {
    const settled = this.#turn.then(() => this.#settleHeld(where, holdMark(key), settle));
    this.#turn = settled.catch(() => {});
    return settled;
  }

  async #settleHeld(
    where: QueueConfig,
    mark: string,
    settle: (lease: Lease) => Promise<void>,
  ): Promise<number> {
    const store = await this.stores.leases(where);
    const isWanted = ({ kept }: Listed) =>
      kept.why?.code === mark || kept.why?.code.startsWith(`${mark} `) === true;
    const until = performance.now() + settleHeldMs;
    let number = 0;
    for (let absent = 0; absent < passesAbsent; ) {
      for await (const lease of store.leaseMatching(isWanted)) {
        await settle(lease);
        number += 1;
      }
      absent = (await isListed(store, isWanted)) ? 0 : absent + 1;
      if (absent > 0) continue;
      if (performance.now() > until) throw failed('timed_out', { timeoutMs: settleHeldMs });
      await sleep(pauseMs);
    }
    return number;
  }

  /** Waits for attempts in progress, and returns all leases. */
  async close(): Promise<void> {
    await this.tries.close();
    await this.stores.close();
  }

  /** Resolves once all entries are durable; with a function that delivers them from memory, if that is to follow the response. */
  async #keepAll(
    submission: Submission,
    { what, where }: FormQueue,
    failed: readonly FailedDelivery[],
  ): Promise<(() => Promise<void>) | undefined> {
    const { form, deadline, requestId, receivedAt, values, files, page, tracing } = submission;
    // Copy only what deliveries need, because the queue outlives the request.
    const stored = { requestId, receivedAt, values, files, page, hops: tracing.hops || undefined };
    const isMine = what === 'always' && this.#hasRoom(submission, failed.length);
    const following = isMine ? failed.length : 0;
    this.#following += following;
    const letGo = () => {
      this.#following -= following;
    };
    let leases: readonly Lease[] = [];
    try {
      const now = this.context.services.now();
      const dueAt = what === 'always' ? now : this.#dueAtFirst(failed, where.forMs, now);
      const entries = failed.map((one) => this.#entryOf(form, stored, one, now));
      const store = await this.stores.leases(where);
      const timeoutMs = Math.max(1_000, Math.min(keepTimeoutMs, deadline - now));
      leases = await store.keep(entries, { isMine, dueAt, timeoutMs });
      if (leases.length === 0) return undefined;
      return () => this.#deliverLeased(form, stored, leases).finally(letGo);
    } finally {
      if (leases.length === 0) letGo();
    }
  }

  /**
   * Whether this process may deliver from memory right after the response, SUBMISSION_LIMIT deliveries at
   * once. Others wait in the store, as do those with files, whose memory the next upload needs.
   */
  #hasRoom({ request, files }: Submission, deliveries: number): boolean {
    const hasRoom = this.#following + deliveries <= this.context.settings.submissionLimit;
    return request.livesOn === true && files.size === 0 && hasRoom && this.tries.isOpen;
  }

  /** Waits for the longest Retry-After. */
  #dueAtFirst(failed: readonly FailedDelivery[], forMs: number, now: number): number {
    const waits = failed.map(({ why }) => (why instanceof ClientError ? (why.retryAfterMs ?? 0) : 0));
    return nextTry(now, now, this.context.services.random, { retryAfterMs: Math.max(...waits), forMs });
  }

  #entryOf(
    form: Form,
    stored: QueuedSubmission,
    { output: place, why }: FailedDelivery,
    now: number,
  ): Queued {
    const about = {
      id: `${stored.requestId}-${place}`,
      form: form.id,
      output: outputIdentity(form, place),
      receivedAt: stored.receivedAt,
    };
    return {
      ...about,
      keptAt: now,
      tries: why === undefined ? 0 : 1,
      why: why && reasonOf(why),
      content: packContent(stored, about, this.context.keys.keepSecret),
    };
  }

  async #deliverLeased(form: Form, submission: QueuedSubmission, leases: readonly Lease[]): Promise<void> {
    const { attempts, rest } = this.tries;
    await Promise.all(leases.map((lease) => attempts.run(lease, { known: { form, submission }, rest })));
  }
}

/** The services of one relay's queue. */
export interface QueueContext extends PluginContext {
  readonly keys: ContentKeys;
  readonly keep: () => QueueConfig | undefined;
  readonly emit: (event: QueueEvent) => void;
}

export type QueueEvent =
  | { readonly kind: 'kept'; readonly form: string; readonly why: DeliveryError | undefined }
  /** A submission is lost, and its visitor sees an error. */
  | { readonly kind: 'keep_failed'; readonly form: string; readonly error: DeliveryError }
  | {
      readonly kind: 'tried';
      readonly form: string;
      readonly outcome: AttemptOutcome;
      readonly why?: FailureReason | undefined;
    };

export type AttemptOutcome = 'delivered' | 'put_off' | 'aside';
