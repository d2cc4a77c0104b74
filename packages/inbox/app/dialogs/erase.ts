/** Erases in requests of a size that the server takes, so that progress can be shown. */
import type { Erased } from '../../src/api.ts';
import { post, wordsOf } from '../ask.ts';

/** The server takes 10,000 ids and 1 MB, and an id has up to 300 characters. */
const idsAtOnce = 1_000;

export interface Erasing {
  readonly erased: number;
  /** Ids that the server has dealt with. */
  readonly done: number;
  readonly left: readonly string[];
  /** Why not all ids were sent. */
  readonly broken?: string;
}

export async function erase(
  email: string,
  ids: readonly string[],
  stop: AbortSignal,
  on: (now: Erasing) => void,
): Promise<Erasing> {
  let now: Erasing = { erased: 0, done: 0, left: [] };
  on(now);
  while (now.done < ids.length) {
    if (stop.aborted) return { ...now, broken: 'Stopped.' };
    const some = ids.slice(now.done, now.done + idsAtOnce);
    try {
      const { entries, left } = await post<Erased>('/api/person/erase', { email, ids: some });
      now = {
        erased: now.erased + entries,
        done: now.done + some.length,
        left: [...new Set([...now.left, ...left])],
      };
    } catch (error) {
      return { ...now, broken: wordsOf(error) };
    }
    on(now);
  }
  return now;
}
