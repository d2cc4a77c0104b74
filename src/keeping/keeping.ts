import { ClientError } from '../client_error.ts';
import type { Config } from '../config/parse.ts';
import type { Claim, FormKeep, Keep, Kept, KeptReason, Store } from '../kept.ts';
import { err, ok } from '../result.ts';
import { packContent } from '../stores/content.ts';
import type { Keeper, KeepTask, Keeping as KeptNow } from '../street/keeper.ts';
import { keptOutput } from './owing_output.ts';
import { reasonOf } from './reason.ts';
import { nextTry } from './schedule.ts';
import { createTries, type Tries } from './tries.ts';
import type { World } from './world.ts';

/** Keeps what outputs owe, and delivers it while it runs. */
export interface Keeping extends Keeper {
  /** Begins to try again what this config's store holds, or goes on with another store. */
  start(config: Pick<Config, 'keep'>): void;
  /** Tries one that is claimed, and settles it. Never rejects. */
  turn(claim: Claim): Promise<void>;
  /** The store that is used now; opened when it is first asked for. */
  store(keep: Keep): Promise<Store>;
  /** Lets tries under way end, and gives back what was claimed. */
  close(): Promise<void>;
}

/** What a visitor waits for a store. */
const keepTimeoutMs = 5_000;

export function createKeeping(world: World): Keeping {
  const { settings, effects } = world;
  /** By the place's name, which a config may change while the relay runs. */
  const stores = new Map<string, Promise<Store>>();
  const storeOf = (keep: Keep): Promise<Store> => {
    const key = JSON.stringify([keep.in.name, keep.filesIn]);
    const store = stores.get(key) ?? effects.openStore(keep);
    stores.set(key, store);
    store.catch(() => stores.delete(key));
    return store;
  };
  const tries: Tries = createTries(world, storeOf);

  return {
    store: storeOf,
    start: ({ keep }) => tries.start(keep),
    turn: (claim) => tries.turn(claim),
    keep: async (task) => {
      const { keep } = task.form;
      if (!keep) throw new Error('the form keeps nothing');
      try {
        return ok(await keepAll(task, keep));
      } catch (error) {
        if (error instanceof ClientError) return err(error);
        task.tell({ kind: 'broken', error });
        return err('internal_error');
      }
    },
    close: async () => {
      await tries.close();
      for (const store of stores.values()) await (await store.catch(() => undefined))?.close();
    },
  };

  async function keepAll(task: KeepTask, { what, where }: FormKeep): Promise<KeptNow> {
    const { submission, livesOn } = task;
    const now = effects.now();
    const entries = task.owed.map(({ output, why }) => entryOf(task, output, reasonOf(why), where, now));
    const store = await storeOf(where);
    const isSealed = where.sealTo.length > 0;
    // Files would stay in memory that the next upload was promised (D92): they are read again when it is their turn.
    const isMine = what === 'always' && livesOn && submission.files.size === 0;
    const dueAt = what === 'always' && !isSealed ? now : nextTry(now, now, effects.random);
    const timeoutMs = Math.max(1_000, Math.min(keepTimeoutMs, submission.deadline - now));
    const claims = await store.keep(entries, { isMine, dueAt, timeoutMs });
    const due = isSealed ? {} : { dueAt };
    return claims.length === 0 ? due : { ...due, deliver: () => deliverClaimed(task, claims) };
  }

  function entryOf(
    { form, submission }: KeepTask,
    place: number,
    why: KeptReason | undefined,
    { sealTo }: Keep,
    now: number,
  ): Kept {
    const id = `${submission.requestId}-${place}`;
    return {
      id,
      form: form.id,
      output: keptOutput(form, place),
      receivedAt: submission.receivedAt,
      keptAt: now,
      tries: why === undefined ? 0 : 1,
      why,
      content: packContent(submission, { id, form: form.id }, { sealTo, keepSecret: settings.keepSecret }),
    };
  }

  /** What was kept before it was tried is delivered from memory: the store is asked for nothing more. */
  async function deliverClaimed({ form, submission }: KeepTask, claims: readonly Claim[]): Promise<void> {
    await Promise.all(claims.map((claim) => tries.turn(claim, { form, submission })));
  }
}
