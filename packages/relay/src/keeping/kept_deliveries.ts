import { ClientError } from '../base/client_error.ts';
import type { Claim, FormKeep, Keep, Kept, Store } from '../base/kept.ts';
import { err, ok } from '../base/result.ts';
import type { Config } from '../config/parse.ts';
import { keep } from '../features/keep/keep.ts';
import type { Keeper, KeepTask, Keeping as KeptNow } from '../form.ts';
import type { World } from './attempt.ts';
import { keptOutput } from './output_match.ts';
import { OpenStores, RetryLoop } from './retry_loop.ts';
import { nextTry, reasonOf } from './retry_policy.ts';
import { packContent } from './stores/entry.ts';

/** How long a visitor waits for the store. */
const keepTimeoutMs = 5_000;

/** Keeps deliveries that outputs owe, and retries them. */
export class KeptDeliveries implements Keeper {
  readonly #stores: OpenStores;
  readonly #tries: RetryLoop;
  /** How many deliveries in memory follow their answer. */
  #following = 0;

  constructor(private readonly world: World) {
    this.#stores = new OpenStores(world.effects.openStore);
    this.#tries = new RetryLoop(world, this.#stores);
  }

  /** The store at a place, opened when it is first asked for. */
  store(keep: Keep): Promise<Store> {
    return this.#stores.get(keep);
  }

  /** Begins to retry what this config's store holds, or goes on with another store. */
  start({ keep }: Pick<Config, 'keep'>): void {
    this.#tries.start(keep);
  }

  /** Tries a claimed delivery when its host has room and `mayBegin` agrees, and settles it. Never rejects. */
  attempt(claim: Claim, mayBegin?: () => boolean): Promise<void> {
    return this.#tries.attempt(claim, mayBegin);
  }

  async keep(task: KeepTask): ReturnType<Keeper['keep']> {
    const asked = keep.of(task.form);
    if (!asked) throw new Error('the form keeps nothing');
    try {
      return ok(await this.#keepAll(task, asked));
    } catch (error) {
      if (error instanceof ClientError) return err(error);
      task.tell({ kind: 'broken', error });
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

  async #keepAll(task: KeepTask, keep: FormKeep): Promise<KeptNow> {
    const { where } = keep;
    const release = this.#stores.hold(where);
    const isMine = this.#isDeliveredNow(task, keep);
    if (isMine) this.#following += task.owed.length;
    const letGo = () => {
      if (isMine) this.#following -= task.owed.length;
      release();
    };
    let claims: readonly Claim[] = [];
    try {
      const now = this.world.effects.now();
      const dueAt = this.#dueAtFirst(task, keep, now);
      const entries = task.owed.map((one) => this.#entryOf(task, one, now));
      const store = await this.#stores.get(where);
      const timeoutMs = Math.max(1_000, Math.min(keepTimeoutMs, task.submission.deadline - now));
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
  #isDeliveredNow({ livesOn, submission, owed }: KeepTask, { what }: FormKeep): boolean {
    const hasRoom = this.#following + owed.length <= this.world.settings.submissionLimit;
    return what === 'always' && livesOn && submission.files.size === 0 && hasRoom && this.#tries.isOpen;
  }

  /** Waits for the longest Retry-After. */
  #dueAtFirst({ owed }: KeepTask, { what, where: { forMs } }: FormKeep, now: number): number {
    if (what === 'always') return now;
    const asked = owed.map(({ why }) => (why instanceof ClientError ? (why.retryAfterMs ?? 0) : 0));
    return nextTry(now, now, this.world.effects.random, { retryAfterMs: Math.max(...asked), forMs });
  }

  #entryOf(
    { form, submission }: KeepTask,
    { output: place, why }: KeepTask['owed'][number],
    now: number,
  ): Kept {
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
      content: packContent(submission, about, this.world.settings.keepSecret),
    };
  }

  /** Delivers from memory, without reading the store. */
  async #deliverClaimed({ form, submission }: KeepTask, claims: readonly Claim[]): Promise<void> {
    await Promise.all(claims.map((claim) => this.#tries.firstAttempt(claim, { form, submission })));
  }
}
