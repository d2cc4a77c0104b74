import { ClientError } from '../base/client_error.ts';
import type { Claim, FormKeep, Keep, Kept, KeptReason, Store } from '../base/kept.ts';
import { err, ok } from '../base/result.ts';
import type { Config } from '../config/parse.ts';
import { keep } from '../features/keep/keep.ts';
import type { Keeper, KeepTask, Keeping as KeptNow } from '../form.ts';
import { createOpenStores } from './open_stores.ts';
import { keptOutput } from './owing_output.ts';
import { reasonOf } from './reason.ts';
import { nextTry } from './schedule.ts';
import { packContent } from './stores/content.ts';
import { createTries } from './tries.ts';
import type { World } from './world.ts';

/** Keeps what outputs owe, and delivers it while it runs. */
export interface Keeping extends Keeper {
  /** Begins to try again what this config's store holds, or goes on with another store. */
  start(config: Pick<Config, 'keep'>): void;
  /** Tries one that is claimed, if it may when its host has room, and settles it. Never rejects. */
  turn(claim: Claim, mayBegin?: () => boolean): Promise<void>;
  /** The store that is used now; opened when it is first asked for. */
  store(keep: Keep): Promise<Store>;
  /** Claims nothing more, and leaves what is kept from now on to the store. */
  stop(): void;
  /** Lets tries under way end, and gives back what was claimed. */
  close(): Promise<void>;
}

/** What a visitor waits for a store. */
const keepTimeoutMs = 5_000;

export function createKeeping(world: World): Keeping {
  const { settings, effects } = world;
  const stores = createOpenStores(effects.openStore);
  const tries = createTries(world, stores);
  /** Deliveries that follow their answers, and lie in memory until they have ended. */
  let following = 0;

  return {
    store: stores.get,
    start: ({ keep }) => tries.start(keep),
    turn: tries.turn,
    keep: async (task) => {
      const asked = keep.of(task.form);
      if (!asked) throw new Error('the form keeps nothing');
      try {
        return ok(await keepAll(task, asked));
      } catch (error) {
        if (error instanceof ClientError) return err(error);
        task.tell({ kind: 'broken', error });
        return err('internal_error');
      }
    },
    stop: tries.stop,
    close: async () => {
      await tries.close();
      await stores.close();
    },
  };

  async function keepAll(task: KeepTask, keep: FormKeep): Promise<KeptNow> {
    const { where } = keep;
    const release = stores.hold(where);
    const isMine = isDeliveredNow(task, keep);
    if (isMine) following += task.owed.length;
    const letGo = () => {
      if (isMine) following -= task.owed.length;
      release();
    };
    let claims: readonly Claim[] = [];
    try {
      const now = effects.now();
      const dueAt = dueAtFirst(task, keep, now);
      const entries = task.owed.map(({ output, why }) => entryOf(task, output, reasonOf(why), where, now));
      const store = await stores.get(where);
      const timeoutMs = Math.max(1_000, Math.min(keepTimeoutMs, task.submission.deadline - now));
      claims = await store.keep(entries, { isMine, dueAt, timeoutMs });
      const due = where.sealTo.length > 0 ? {} : { dueAt };
      return claims.length === 0
        ? due
        : { ...due, deliver: () => deliverClaimed(task, claims).finally(letGo) };
    } finally {
      if (claims.length === 0) letGo();
    }
  }

  /**
   * Whether this process delivers it from memory, right behind the answer, as many at once as it relays submissions. What
   * is beyond that waits in the store. So do files: they would stay in memory that the next upload was promised (D92).
   */
  function isDeliveredNow({ livesOn, submission, owed }: KeepTask, { what }: FormKeep): boolean {
    const hasRoom = following + owed.length <= settings.submissionLimit;
    return what === 'always' && livesOn && submission.files.size === 0 && hasRoom && tries.isOpen;
  }

  /** What was tried is left alone for as long as whoever was asked longest for wants it. */
  function dueAtFirst({ owed }: KeepTask, { what, where: { sealTo, forMs } }: FormKeep, now: number): number {
    if (what === 'always' && sealTo.length === 0) return now;
    const asked = owed.map(({ why }) => (why instanceof ClientError ? (why.retryAfterMs ?? 0) : 0));
    return nextTry(now, now, effects.random, { retryAfterMs: Math.max(...asked), forMs });
  }

  function entryOf(
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
      content: packContent(submission, about, { sealTo, keepSecret: settings.keepSecret }),
    };
  }

  /** What was kept before it was tried is delivered from memory: the store is asked for nothing more. */
  async function deliverClaimed({ form, submission }: KeepTask, claims: readonly Claim[]): Promise<void> {
    await Promise.all(claims.map((claim) => tries.firstTurn(claim, { form, submission })));
  }
}
