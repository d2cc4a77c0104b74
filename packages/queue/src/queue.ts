import type { Form, Result } from '@form-relay/core/index';
import { ClientError, err, ok, stackOf } from '@form-relay/core/kit';
import type { QueueContext } from './context.ts';
import { OpenStores } from './open_stores.ts';
import { keptOutput } from './output_match.ts';
import { RetryLoop } from './retry_loop.ts';
import { type DeliveryError, nextTry, reasonOf } from './retry_policy.ts';
import type { FormQueue, Lease, OpenStore, QueueConfig, Queued, Store } from './store.ts';
import { packContent, type QueuedSubmission } from './stores/content.ts';

/** Deliveries of a submission that its outputs have not got. */
interface QueueTask {
  readonly form: Form;
  readonly submission: QueuedSubmission;
  readonly deadline: number;
  readonly asked: FormQueue;
  readonly failed: readonly FailedDelivery[];
  readonly livesOn: boolean;
}

export interface FailedDelivery {
  /** Its place in the form's `outputs`, from 0. */
  readonly output: number;
  /** The failure of the first try; `undefined`: it was not tried yet. */
  readonly why: DeliveryError | undefined;
}

/** `deliver`: it is delivered from memory, after the answer. */
interface QueuedNow {
  readonly dueAt: number;
  readonly deliver?: () => Promise<void>;
}

/** How long a visitor waits for the store. */
const keepTimeoutMs = 5_000;

/** Keeps failed deliveries in a store, and retries them. */
export class Queue {
  readonly #stores: OpenStores;
  readonly #tries: RetryLoop;
  /** How many deliveries in memory follow their answer. */
  #following = 0;

  constructor(
    private readonly context: QueueContext,
    open: OpenStore,
  ) {
    this.#stores = new OpenStores(open);
    this.#tries = new RetryLoop(context, this.#stores);
  }

  /** The store at a place, opened when it is first asked for. */
  store(keep: QueueConfig): Promise<Store> {
    return this.#stores.get(keep);
  }

  /** Begins to retry what this config's store holds, or goes on with another store. */
  start(keep: QueueConfig | undefined): void {
    this.#tries.start(keep);
  }

  /** Tries a claimed delivery when its host has room and `mayBegin` agrees, and settles it. Never rejects. */
  attempt(claim: Lease, mayBegin?: () => boolean): Promise<void> {
    return this.#tries.attempt(claim, mayBegin);
  }

  async keep(task: QueueTask): Promise<Result<QueuedNow, DeliveryError>> {
    try {
      return ok(await this.#keepAll(task));
    } catch (error) {
      if (error instanceof ClientError) return err(error);
      this.context.services.log('error', 'internal_error', {
        request_id: task.submission.requestId,
        stack: stackOf(error),
      });
      return err('internal_error');
    }
  }

  /** Ends claiming: what is kept from now on waits in the store. */
  stop(): void {
    this.#tries.stop();
  }

  /** Waits for tries under way, and gives back all claims. */
  async close(): Promise<void> {
    await this.#tries.close();
    await this.#stores.close();
  }

  async #keepAll(task: QueueTask): Promise<QueuedNow> {
    const { where } = task.asked;
    const release = this.#stores.hold(where);
    const isMine = this.#isDeliveredNow(task);
    if (isMine) this.#following += task.failed.length;
    const letGo = () => {
      if (isMine) this.#following -= task.failed.length;
      release();
    };
    let claims: readonly Lease[] = [];
    try {
      const now = this.context.services.now();
      const dueAt = this.#dueAtFirst(task, now);
      const entries = task.failed.map((one) => this.#entryOf(task, one, now));
      const store = await this.#stores.get(where);
      const timeoutMs = Math.max(1_000, Math.min(keepTimeoutMs, task.deadline - now));
      claims = await store.keep(entries, { isMine, dueAt, timeoutMs });
      return claims.length === 0
        ? { dueAt }
        : { dueAt, deliver: () => this.#deliverClaimed(task, claims).finally(letGo) };
    } finally {
      if (claims.length === 0) letGo();
    }
  }

  /**
   * Whether this process delivers it from memory right after the answer, SUBMISSION_LIMIT deliveries at once. More wait in the
   * store, and so do files, whose memory the next upload needs.
   */
  #isDeliveredNow({ livesOn, submission, failed, asked: { what } }: QueueTask): boolean {
    const hasRoom = this.#following + failed.length <= this.context.settings.submissionLimit;
    return what === 'always' && livesOn && submission.files.size === 0 && hasRoom && this.#tries.isOpen;
  }

  /** Waits for the longest Retry-After. */
  #dueAtFirst({ failed, asked: { what, where } }: QueueTask, now: number): number {
    const { forMs } = where;
    if (what === 'always') return now;
    const asked = failed.map(({ why }) => (why instanceof ClientError ? (why.retryAfterMs ?? 0) : 0));
    return nextTry(now, now, this.context.services.random, { retryAfterMs: Math.max(...asked), forMs });
  }

  #entryOf({ form, submission }: QueueTask, { output: place, why }: FailedDelivery, now: number): Queued {
    const about = {
      id: `${submission.requestId}-${place}`,
      form: form.id,
      output: keptOutput(form, place),
      receivedAt: submission.receivedAt,
    };
    return {
      ...about,
      keptAt: now,
      tries: why === undefined ? 0 : 1,
      why: reasonOf(why),
      content: packContent(submission, about, this.context.keys.keepSecret),
    };
  }

  /** Delivers from memory, without reading the store. */
  async #deliverClaimed({ form, submission }: QueueTask, claims: readonly Lease[]): Promise<void> {
    await Promise.all(claims.map((claim) => this.#tries.firstAttempt(claim, { form, submission })));
  }
}
