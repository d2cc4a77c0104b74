import { randomUUID } from 'node:crypto';
import { readFile, stat, unlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ClientError } from '@form-relay/base/client_error';
import type { Config } from '@form-relay/core/config';
import type { Services } from '@form-relay/core/services';
import type { Settings } from '@form-relay/core/settings';
import type { Leases } from '@form-relay/queue/index';
import { type Archive, type Entry, entryAt } from '@form-relay/stored/archive/archive';
import { isBucket, openArchive } from '@form-relay/stored/archive/open';
import { type RemoveEntry, removeFrom } from '@form-relay/stored/archive/prune';
import type { ActionDone } from '../api.ts';
import type { ArchiveSource, IndexedEntry, StoredAt } from '../entry_index.ts';

/** Everything that actions on submissions need. */
export interface ActionContext {
  /** The latest valid config. */
  readonly config: () => Config | undefined | Promise<Config | undefined>;
  readonly settings: Settings;
  /** Services of a relay without a retry loop of its own. */
  readonly services: Services;
  /** In the order of `Sources.archives`. */
  readonly archives: readonly ActionArchive[];
  /** In the order of `Sources.stores`. */
  readonly stores: readonly Leases[];
}

/** An archive that actions can read and change. The `place` of an archive for dropped submissions ends with `.dropped`. */
export interface ActionArchive extends ArchiveSource {
  readonly archive: Archive;
  readonly remove: RemoveEntry;
}

export const openForActions = (source: ArchiveSource): ActionArchive => ({
  ...source,
  archive: openArchive(source.place),
  remove: removeFrom(source.place),
});

export interface Located extends StoredAt {
  readonly in: ActionArchive;
  readonly entry: Entry;
}

/** Checks where an entry is stored: indexes may be stale, paths forged, and documents planted. */
export function locate(
  { id, form, stored }: Pick<IndexedEntry, 'id' | 'form' | 'stored'>,
  { archives }: Pick<ActionContext, 'archives'>,
): readonly Located[] {
  return stored.flatMap((one) => {
    const place = archives[one.archive];
    const entry = entryAt(one.path);
    return place && entry?.id === id && entry.form === form ? [{ ...one, in: place, entry }] : [];
  });
}

export const rootOf = ({ place, isDropped }: ArchiveSource): string =>
  isDropped ? place.replace(/\/\.dropped$/, '') : place;

export const done = (words: string): ActionDone => ({ isDone: true, words });

/** @param why Without a final full stop. */
export const refused = (why: string): ActionDone => ({
  isDone: false,
  words: `${why.charAt(0).toUpperCase()}${why.slice(1)}.`,
});

/** A refusal by the receiver. */
export const untaken = (why: string): ActionDone => ({ ...refused(why), isUntaken: true });

/** Locks older than this belong to a killed process: a delivery takes half a minute at most. */
const staleMs = 10 * 60_000;

const underWay = new Set<string>();

const busy = refused('someone else is restoring it right now');

/** Runs the work unless another inbox holds the lock file next to the document. Buckets have no such lock. */
export async function withLock(
  places: readonly Located[],
  work: () => Promise<ActionDone>,
): Promise<ActionDone> {
  const names = places.map(({ in: { name }, path }) => `${name}\0${path}`);
  if (names.some((name) => underWay.has(name))) return busy;
  for (const name of names) underWay.add(name);
  const token = randomUUID();
  const locks: string[] = [];
  try {
    for (const { in: place, path } of places) {
      if (isBucket(place.place)) continue;
      const document = join(place.place, path);
      const stem = basename(document).replace(/\.json(\.age)?$/, '');
      const lock = join(dirname(document), `.${stem}.restoring.tmp`);
      if (!(await isTaken(lock, token))) return busy;
      locks.push(lock);
    }
    return await work();
  } finally {
    for (const name of names) underWay.delete(name);
    for (const lock of locks) await unlink(lock).catch(() => {});
  }
}

async function isTaken(lock: string, token: string): Promise<boolean> {
  try {
    await writeFile(lock, token, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw new ClientError('the document is no longer in the archive');
    if (code !== 'EEXIST') throw new ClientError(`${dirname(lock)} cannot be written (${code})`);
    const age = Date.now() - ((await stat(lock).catch(() => undefined))?.mtimeMs ?? Infinity);
    if (!(age > staleMs)) return false;
    await unlink(lock).catch(() => {});
    await writeFile(lock, token, { flag: 'wx', mode: 0o600 }).catch(() => {});
  }
  // Another process may have taken over the same stale lock.
  return (await readFile(lock, 'utf8').catch(() => '')) === token;
}
