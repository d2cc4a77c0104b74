import { ClientError } from '../base/client_error.ts';
import type { Claim, FormKeep, Keep, Kept, KeptReason, Store } from '../base/kept.ts';
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

/** Keeps what outputs owe, and delivers it while it runs. */
export class KeptDeliveries implements Keeper {
  readonly #world: World;
  readonly #stores: OpenStores;
  readonly #tries: RetryLoop;
  /** Deliveries that follow their answers, and lie in memory until they have ended. */
  #following = 0;

  constructor(world: World) {
    this.#world = world;
    this.#stores = new OpenStores(world.effects.openStore);
    this.#tries = new RetryLoop(world, this.#stores);
  }

  /** The store that is used now; opened when it is first asked for. */
  store(keep: Keep): Promise<Store> {
    return this.#stores.get(keep);
  }

  /** Begins to try again what this config's store holds, or goes on with another store. */
  start({ keep }: Pick<Config, 'keep'>): void {
    this.#tries.start(keep);
  }

  /** Tries one that is claimed, if it may when its host has room, and settles it. Never rejects. */
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

  /** Claims nothing more, and leaves what is kept from now on to the store. */
  stop(): void {
    this.#tries.stop();
  }

  /** Lets tries under way end, and gives back what was claimed. */
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
      const now = this.#world.effects.now();
      const dueAt = this.#dueAtFirst(task, keep, now);
      const entries = task.owed.map(({ output, why }) =>
        this.#entryOf(task, output, reasonOf(why), where, now),
      );
      const store = await this.#stores.get(where);
      const timeoutMs = Math.max(1_000, Math.min(keepTimeoutMs, task.submission.deadline - now));
      claims = await store.keep(entries, { isMine, dueAt, timeoutMs });
      const due = where.sealTo.length > 0 ? {} : { dueAt };
      return claims.length === 0
        ? due
        : { ...due, deliver: () => this.#deliverClaimed(task, claims).finally(letGo) };
    } finally {
      if (claims.length === 0) letGo();
    }
  }

  /**
   * Whether this process delivers it from memory, right behind the answer, as many at once as it relays submissions. What
   * is beyond that waits in the store. So do files: they would stay in memory that the next upload was promised (D92).
   */
  #isDeliveredNow({ livesOn, submission, owed }: KeepTask, { what }: FormKeep): boolean {
    const hasRoom = this.#following + owed.length <= this.#world.settings.submissionLimit;
    return what === 'always' && livesOn && submission.files.size === 0 && hasRoom && this.#tries.isOpen;
  }

  /** Waits for the longest Retry-After. */
  #dueAtFirst({ owed }: KeepTask, { what, where: { sealTo, forMs } }: FormKeep, now: number): number {
    if (what === 'always' && sealTo.length === 0) return now;
    const asked = owed.map(({ why }) => (why instanceof ClientError ? (why.retryAfterMs ?? 0) : 0));
    return nextTry(now, now, this.#world.effects.random, { retryAfterMs: Math.max(...asked), forMs });
  }

  #entryOf(
    { form, submission }: KeepTask,
    place: number,
    why: KeptReason | undefined,
    { sealTo }: Keep,
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
      why,
      content: packContent(submission, about, { sealTo, keepSecret: this.#world.settings.keepSecret }),
    };
  }

  /** Delivers from memory what was kept before the first attempt: no need to ask the store. */
  async #deliverClaimed({ form, submission }: KeepTask, claims: readonly Claim[]): Promise<void> {
    await Promise.all(claims.map((claim) => this.#tries.firstAttempt(claim, { form, submission })));
  }
}
