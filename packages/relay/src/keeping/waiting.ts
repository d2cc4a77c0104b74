import { ClientError } from '../base/client_error.ts';
import { stackOf } from '../base/error_stack.ts';
import { inTime } from '../base/in_time.ts';
import type { Keep, KeptReason, Store, Waiting } from '../base/kept.ts';
import type { World } from './world.ts';

/** What was last seen in the store. */
export interface Seen {
  readonly at: number;
  readonly waiting: Waiting;
  /** Why the store says nothing now; then `waiting` is what it said before. */
  readonly problem: string | undefined;
}

/** Looks at what waits, never twice at once. */
export interface Look {
  readonly seen: Seen | undefined;
  /** Gives the store too, where it answers. Never rejects. */
  again(keep: Keep): Promise<{ readonly seen: Seen; readonly store: Store | undefined }>;
}

/** A folder with a million of them is read in some seconds. */
const timeoutMs = 30_000;

export function createLook({ effects }: World, storeOf: (keep: Keep) => Promise<Store>): Look {
  let seen: Seen | undefined;
  let looking: ReturnType<Look['again']> | undefined;
  /** One that was given up may still go on: a store that hangs is not asked again and again. */
  let counting: Promise<{ readonly store: Store; readonly waiting: Waiting }> | undefined;
  return {
    get seen() {
      return seen;
    },
    again: (keep) => {
      looking ??= look(keep).finally(() => {
        looking = undefined;
      });
      return looking;
    },
  };

  async function count(keep: Keep) {
    const store = await storeOf(keep);
    return { store, waiting: await store.count() };
  }

  async function look(keep: Keep): ReturnType<Look['again']> {
    try {
      counting ??= count(keep).finally(() => {
        counting = undefined;
      });
      const { store, waiting } = await inTime(timeoutMs, counting, () => {
        throw new ClientError(`it did not say within ${timeoutMs / 1_000} s what waits`);
      });
      seen = { at: effects.now(), waiting, problem: undefined };
      return { seen, store };
    } catch (error) {
      const isKnown = error instanceof ClientError;
      if (!isKnown) effects.log('error', 'internal_error', { stack: stackOf(error) });
      const problem = isKnown ? error.message : 'internal error';
      seen = { at: effects.now(), waiting: seen?.waiting ?? { forms: new Map() }, problem };
      return { seen, store: undefined };
    }
  }
}

/** What waits, in numbers: no form is named to strangers. `undefined`: nothing does. */
export function waitingInWords(
  { waiting: { forms }, problem }: Seen,
  { sealTo }: Pick<Keep, 'sealTo'>,
): string | undefined {
  if (problem !== undefined) return 'where deliveries are kept does not answer; the log says why';
  const all = [...forms.values()];
  const due = all.reduce((sum, one) => sum + one.due, 0);
  const aside = all.reduce((sum, one) => sum + one.aside, 0);
  if (due + aside === 0) return undefined;
  const oldest = Math.min(...all.map(({ oldestKeptAt = Infinity }) => oldestKeptAt));
  const since =
    oldest === Infinity ? '' : `, the oldest since ${new Date(oldest).toISOString().slice(0, 19)}Z`;
  // Nobody else delivers what is sealed.
  const forOwner = sealTo.length > 0 ? due + aside : aside;
  const own = forOwner > 0 ? `; ${forOwner} of them for the owner` : '';
  return `${due + aside} ${due + aside === 1 ? 'delivery waits' : 'deliveries wait'}${since}${own}`;
}

/** Reads so many at most, and no longer. */
const mostRead = 200;
const readingMs = 5_000;

/** Why something of a form waits, or is set aside, where another process knows it. */
export const reasonIn = (store: Store, form: string, isAside: boolean): Promise<KeptReason | undefined> =>
  inTime(readingMs, firstReason(store, form, isAside), () => undefined);

async function firstReason(store: Store, form: string, isAside: boolean): Promise<KeptReason | undefined> {
  let read = 0;
  for await (const { kept, aside } of store.list()) {
    const isAsked = (form === '' || kept.form === form) && (!isAside || aside !== undefined);
    if (kept.why && isAsked) return kept.why;
    read += 1;
    if (read >= mostRead) return undefined;
  }
  return undefined;
}
