/** The daily removal of old submissions (`archive: {for: …}`), also used by `relay archive prune`. */
import { existsSync } from 'node:fs';
import { unlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Result } from '@form-relay/base/result';
import { droppedFolder } from '@form-relay/more-outputs/archive_layout';
import { forgetInIndexes } from '../search_index.ts';
import type { Tell } from './archive.ts';
import { createBucketWriter, listInBucket, openBucket } from './in_bucket.ts';
import { archiveInFolder, failure, gone, removingIn, removingNothing, treeIn } from './in_folder.ts';
import { type Pruned, type PruneRule, prune, pruneKeys } from './prune.ts';

/** An archive from which submissions are removed. */
export interface PrunedArchive {
  prune(rule: PruneRule, tell: Tell, isDryRun?: boolean): Promise<Pruned>;
  /** Creates a file at the root; `false` if it exists. */
  create(name: string): Promise<boolean>;
  read(name: string): Promise<Result<Uint8Array, string>>;
  write(name: string, text: string): Promise<void>;
  remove(name: string): Promise<void>;
}

export const openPruned = (archive: string): PrunedArchive =>
  archive.startsWith('s3://') ? prunedBucket(archive) : prunedFolder(archive);

export type PruneEnding =
  | { readonly kind: 'removed'; readonly submissions: number }
  /** Another process removes submissions today. */
  | { readonly kind: 'claimed' }
  /** Nothing was removed, and the owner should check. */
  | { readonly kind: 'held'; readonly reason: string };

/** Removes old submissions from an archive. Rejects with a `ClientError`. */
export type PruneArchive = (task: {
  /** A folder, or `s3://bucket/prefix`. */
  readonly archive: string;
  /** A form's days that ended before this time are removed; milliseconds since the epoch. `undefined`: the form is kept. */
  readonly before: (form: string) => number | undefined;
  readonly now: number;
}) => Promise<PruneEnding>;

/**
 * Removes old submissions once a day, in one of the processes. If the removal looks like a mistake, removes
 * nothing and says why.
 */
export const pruneDaily: PruneArchive = async ({ archive, before, now }) => {
  if (!isMade(archive)) return { kind: 'removed', submissions: 0 };
  const open = openPruned(archive);
  const today = dayOf(now);
  const last = await readLast(open);
  if (last.claimed === today || !(await open.create(claimOf(today)))) return { kind: 'claimed' };
  if (last.claimed !== undefined) await open.remove(claimOf(last.claimed));
  await writeLast(open, { ...last, claimed: today });
  const ending = await pruneUnlessHeld(open, { before }, now, () => {});
  if (ending.kind === 'removed' && ending.submissions > 0) forgetInIndexes(archive, process.env);
  return ending;
};

/** Whether the archive exists. The folder of rejected submissions is created when needed; any other archive must exist. */
export const isMade = (archive: string): boolean =>
  basename(archive) !== droppedFolder || existsSync(archive);

/** Removes what is due. `isSure`: even if that looks like a mistake. */
export async function pruneUnlessHeld(
  open: PrunedArchive,
  rule: PruneRule,
  now: number,
  tell: Tell,
  isSure = false,
): Promise<Exclude<PruneEnding, { kind: 'claimed' }> & { readonly pruned: Pruned }> {
  const last = await readLast(open);
  if (!isSure) {
    const due = await open.prune(rule, () => {}, true);
    const reason = whyHeld(due, last.pruned, now);
    if (reason !== undefined) return { kind: 'held', reason, pruned: due };
  }
  const pruned = await open.prune(rule, tell);
  await writeLast(open, { ...last, pruned: dayOf(now) });
  return { kind: 'removed', submissions: pruned.submissions, pruned };
}

const dayMs = 86_400_000;

/** Relays may be off for a weekend. */
const mostDays = 3;

/** Why nothing should be removed, in words. In a healthy archive, all due entries became due after the last removal. */
function whyHeld(due: Pruned, lastDay: string | undefined, now: number): string | undefined {
  const { submissions, files, orphans, overdueMs } = due;
  if (submissions + files + orphans === 0) return undefined;
  const sinceDays = lastDay === undefined ? 0 : (Date.parse(dayOf(now)) - Date.parse(lastDay)) / dayMs;
  if (sinceDays < 0)
    return `the last removal was on ${lastDay}, which is in the future: this machine's clock is or was wrong`;
  if (sinceDays > mostDays)
    return `the last removal was on ${lastDay}, ${sinceDays} days ago: the clock was changed, or the relay was off`;
  if (overdueMs <= mostDays * dayMs) return undefined;
  const what = submissions === 1 ? '1 submission' : `${submissions} submissions`;
  return `${what} would be removed, far more than usual: the oldest has been due for ${Math.floor(overdueMs / dayMs)} days`;
}

/** The file created by the process that removes submissions on a day. */
const claimOf = (day: string) => `.${day}.swept`;

/** The file with the days of the last removal and of the last claim. */
const lastName = '.last.swept';
const mostLastBytes = 1_000;

interface Last {
  readonly pruned?: string | undefined;
  readonly claimed?: string | undefined;
}

/** Other content does not count as a removal, so that long-overdue submissions wait for the owner. */
async function readLast(open: PrunedArchive): Promise<Last> {
  const read = await open.read(lastName);
  const [, pruned, claimed] = read.ok
    ? (/^\{"pruned":"(\d{4}-\d\d-\d\d|)","claimed":"(\d{4}-\d\d-\d\d|)"\}\n$/.exec(
        Buffer.from(read.value).toString('latin1'),
      ) ?? [])
    : [];
  return { pruned: pruned || undefined, claimed: claimed || undefined };
}

const writeLast = (open: PrunedArchive, { pruned = '', claimed = '' }: Last) =>
  open.write(lastName, `${JSON.stringify({ pruned, claimed })}\n`);

const dayOf = (now: number) => new Date(now).toISOString().slice(0, 10);

function prunedFolder(root: string): PrunedArchive {
  const create = async (name: string, text: string) => {
    try {
      await writeFile(join(root, name), text, { flag: 'wx', mode: 0o600 });
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw failure(root, error);
    }
  };
  const remove = (name: string) => gone(unlink(join(root, name)));
  return {
    prune: (rule, tell, isDryRun) =>
      prune(treeIn(root), isDryRun ? removingNothing : removingIn(root), rule, tell),
    create: (name) => create(name, ''),
    read: (name) => archiveInFolder(root).read(name, mostLastBytes),
    async write(name, text) {
      // Remove the file first, to avoid writing through a link.
      await remove(name);
      await create(name, text);
    },
    remove,
  };
}

function prunedBucket(url: string): PrunedArchive {
  const { aws, waiting, bucket, prefix, reader } = openBucket(url);
  const writer = createBucketWriter(aws, waiting, bucket);
  return {
    prune: (rule, tell, isDryRun) => {
      const remove = async (keys: readonly string[]) => writer.remove(keys.map((key) => prefix + key));
      return pruneKeys(listInBucket(reader, prefix), isDryRun ? async () => {} : remove, rule, tell);
    },
    create: (name) => writer.create(prefix + name),
    read: (name) => reader.read(prefix + name, mostLastBytes),
    write: (name, text) => writer.put(prefix + name, text),
    remove: (name) => reader.remove(prefix + name),
  };
}
