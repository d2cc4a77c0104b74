import type { Config } from '@form-relay/core/config';
import type { Services } from '@form-relay/core/services';
import type { Settings } from '@form-relay/core/settings';
import type { Store } from '@form-relay/queue/index';
import { type Archive, type Entry, entryAt } from '@form-relay/stored/archive/archive';
import { openArchive } from '@form-relay/stored/archive/open';
import { type RemoveEntry, removeFrom } from '@form-relay/stored/archive/remove_entry';
import type { ActionDone } from '../api.ts';
import type { IndexedEntry, StoredAt } from '../entry_index.ts';
import type { ArchiveSource } from '../sources.ts';

/** The means of acting on submissions. */
export interface ActionContext {
  /** The latest config that loads. */
  readonly config: () => Config | undefined | Promise<Config | undefined>;
  readonly settings: Settings;
  /** The services of a relay that retries nothing itself. */
  readonly services: Services;
  /** In the order of `Sources.archives`. */
  readonly archives: readonly ActionArchive[];
  /** In the order of `Sources.stores`. */
  readonly stores: readonly Store[];
}

/** An archive that can be read and changed. The root of its entries is its place: that of a dropped one ends with `.dropped`. */
export interface ActionArchive extends ArchiveSource {
  readonly archive: Archive;
  readonly remove: RemoveEntry;
}

export const openForActions = (source: ArchiveSource): ActionArchive => ({
  ...source,
  archive: openArchive(source.place),
  remove: removeFrom(source.place),
});

/** A copy of a submission. */
export interface Located extends StoredAt {
  readonly in: ActionArchive;
  readonly entry: Entry;
}

/** Where an entry is stored, checked: an index may be stale, a path in it lead anywhere, and a document be planted. */
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

/** The folder of an archive itself. */
export const rootOf = ({ place, isDropped }: ArchiveSource): string =>
  isDropped ? place.replace(/\/\.dropped$/, '') : place;

export const done = (words: string): ActionDone => ({ isDone: true, words });

/** @param why Without a full stop. */
export const refused = (why: string): ActionDone => ({
  isDone: false,
  words: `${why.charAt(0).toUpperCase()}${why.slice(1)}.`,
});
