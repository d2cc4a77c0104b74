/** Removes the data found about a person, and records the erasure without naming them. */
import { resolve } from 'node:path';
import { ClientError } from '@form-relay/base/client_error';
import { documentPath } from '../archive/archive.ts';
import type { RemoveEntry } from '../archive/prune.ts';
import { appendVerdict, forgetVerdicts } from '../marks/verdicts.ts';
import type { FoundOne, PersonArchive, PersonStore } from './find.ts';

export interface ErasingArchive extends PersonArchive {
  /** Removes the document last, so that an interrupted removal can be found again. */
  readonly remove: RemoveEntry;
  /** The file with the verdicts on its submissions, if there is one. */
  readonly verdicts?: string | undefined;
  /** The file that records erasures, if there is one. */
  readonly record?: string | undefined;
}

export interface Erasing {
  readonly archives: readonly ErasingArchive[];
  readonly stores: readonly PersonStore[];
  /** The file that records erasures from stores. */
  readonly record?: string | undefined;
  readonly now: () => number;
}

export interface ErasedCounts {
  readonly documents: number;
  readonly deliveries: number;
  /** The data that could not be removed, each with the reason. */
  readonly left: readonly string[];
}

/** Removes deliveries first, so that nothing is delivered that is no longer in an archive. */
export async function erase(found: readonly FoundOne[], context: Erasing): Promise<ErasedCounts> {
  const left: string[] = [];
  let deliveries = 0;
  let documents = 0;
  for (const [index, place] of context.stores.entries()) {
    const ids = new Set(
      found.flatMap((one) => (one.kind === 'kept' && one.store === index ? [one.delivery] : [])),
    );
    if (ids.size === 0) continue;
    await recorded(context.record, context.now, left, ids.size, async () => {
      const removed = await eraseKept(place, ids, left);
      deliveries += removed;
      return removed;
    });
  }
  for (const [index, place] of context.archives.entries()) {
    const own = found.flatMap((one) => (one.kind === 'archived' && one.archive === index ? [one] : []));
    if (own.length === 0) continue;
    await recorded(place.record, context.now, left, own.length, async () => {
      // Forget the verdicts while the documents still exist, so that a second run can find their ids.
      const isForgotten = await attempt(left, place.verdicts ?? place.name, async () => {
        if (place.verdicts !== undefined)
          await forgetVerdicts(place.verdicts, new Set(own.map(({ id }) => id)));
      });
      if (!isForgotten) return 0;
      let removed = 0;
      for (const { entry } of own) {
        const path = documentPath(entry);
        if (await attempt(left, `${place.name}/${path}`, () => place.remove(path))) removed += 1;
      }
      documents += removed;
      return removed;
    });
  }
  return { documents, deliveries, left };
}

async function eraseKept(
  { name, leases }: PersonStore,
  ids: ReadonlySet<string>,
  left: string[],
): Promise<number> {
  const gone = new Set<string>();
  await attempt(left, name, async () => {
    for await (const lease of leases.leaseMatching(({ kept }) => ids.has(kept.id))) {
      await lease.done();
      gone.add(lease.kept.id);
    }
    if (gone.size === ids.size) return;
    // An entry that another process is delivering cannot be leased; a delivered entry is gone.
    for await (const { kept } of leases.list())
      if (ids.has(kept.id) && !gone.has(kept.id))
        left.push(`${name}: ${kept.id} is being delivered right now; try again in a minute`);
  });
  return gone.size;
}

/** Records the start, too, so that a killed run leaves a trace. */
async function recorded(
  file: string | undefined,
  now: () => number,
  left: string[],
  found: number,
  work: () => Promise<number>,
): Promise<void> {
  const write = async (what: object) => {
    if (file !== undefined)
      await appendVerdict(file, `${JSON.stringify({ at: new Date(now()).toISOString(), ...what })}\n`);
  };
  const isNoted = await attempt(left, file ?? '', () => write({ state: 'begun', found }));
  // If the start cannot be recorded, erase nothing, because owners may have to prove the erasure.
  if (!isNoted) return;
  const removed = await work();
  await attempt(left, file ?? '', () => write({ state: 'ended', found, removed }));
}

/** Runs the work; if it fails, adds the reason to `left`. */
async function attempt(left: string[], place: string, work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    left.push(`${place}: ${inWords(error)}`);
    return false;
  }
}

function inWords(error: unknown): string {
  if (error instanceof ClientError) return error.message;
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) throw error;
  return `the operation failed (${code})`;
}

/** Beside the archive's folder rather than in it, because only the relay writes to the folder. */
export const recordFileOf = (folder: string): string => `${resolve(folder)}.erased.jsonl`;
