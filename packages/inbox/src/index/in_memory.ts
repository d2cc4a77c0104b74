import { documentPath } from '@form-relay/stored/archive/archive';
import { archiveInBucket } from '@form-relay/stored/archive/in_bucket';
import { archiveInFolder } from '@form-relay/stored/archive/in_folder';
import { entryAt } from '@form-relay/stored/archive/place';
import { readEntry } from '@form-relay/stored/archive/read_entry';
import type { Change, Query } from '../api.ts';
import type { EntryIndex, Forms, IndexedEntry } from '../entry_index.ts';
import type { Sources } from '../sources.ts';

interface Held {
  entry: IndexedEntry;
  text: string;
}

/** An index that holds all of the archives in memory: for small ones, and for tests. */
export async function openIndex({
  sources,
}: {
  readonly sources: Sources;
  readonly folder: string;
}): Promise<EntryIndex> {
  const held = new Map<string, Held>();
  const listeners = new Set<(change: Change) => void>();
  const troubles: string[] = [];
  let version = 1;

  const archives = sources.archives.map(({ place }) =>
    place.kind === 'folder' ? archiveInFolder(place.path) : archiveInBucket(place.url),
  );
  const add = async (nth: number, path: string) => {
    const archive = archives[nth];
    const place = entryAt(path);
    if (!archive || !place) return;
    const read = await readEntry({ archive, unseal: undefined }, place);
    if (!read.ok && !place.isSealed) troubles.push(`${path}: ${read.error}`);
    const values = read.ok ? read.value.fields.flatMap(({ values }) => values) : [];
    const text = values.join(' ');
    const known = held.get(place.id)?.entry;
    const entry: IndexedEntry = {
      id: place.id,
      form: place.form,
      receivedAt: place.receivedAt,
      state: known?.state ?? (sources.archives[nth]?.isDropped ? 'dropped' : 'unknown'),
      isDoubted: false,
      isRead: known?.isRead ?? false,
      isSealed: place.isSealed,
      mark: known?.mark,
      sender: values.find((value) => value.includes('@')) ?? '',
      summary: text.slice(0, 120),
      files: read.ok ? read.value.files.length : 0,
      stored: [...(known?.stored ?? []), { archive: nth, path }],
      kept: [],
      journal: [],
    };
    held.set(place.id, { entry, text: text.toLowerCase() });
  };
  for (const [nth, archive] of archives.entries()) {
    try {
      for await (const entry of archive.entries({}, ({ path, what }) => troubles.push(`${path}: ${what}`)))
        await add(nth, documentPath(entry));
    } catch (error) {
      if (!sources.archives[nth]?.isDropped) troubles.push((error as Error).message);
    }
  }

  const isSeen = (form: string, forms: Forms) => forms === undefined || forms.has(form);
  const choose = (query: Query, forms: Forms) =>
    [...held.values()]
      .filter(({ entry, text }) => isSeen(entry.form, forms) && matches(entry, text, query))
      .map(({ entry }) => entry)
      .sort((a, b) => b.receivedAt - a.receivedAt || (a.id < b.id ? 1 : -1));
  const changed = () => {
    version += 1;
    const all = [...held.values()];
    const unread = all.filter(({ entry }) => !entry.isRead).length;
    for (const tell of listeners) tell({ version, total: all.length, unread });
  };
  const update = (id: string, more: Partial<IndexedEntry>, forms?: Forms) => {
    const one = held.get(id);
    if (one && isSeen(one.entry.form, forms)) one.entry = { ...one.entry, ...more };
  };

  return {
    window: async (query, from, count, forms) => {
      const all = choose(query, forms);
      const entries = all
        .slice(from, from + count)
        .map(({ stored: _stored, kept: _kept, journal: _journal, ...entry }) => entry);
      return { version, total: all.length, entries };
    },
    async *ids(query, forms) {
      yield choose(query, forms).map(({ id }) => id);
    },
    get: async (id) => held.get(id)?.entry,
    ofAddress: async (email, forms) =>
      [...held.values()]
        .filter(({ entry, text }) => isSeen(entry.form, forms) && text.includes(email.toLowerCase()))
        .map(({ entry }) => entry),
    sealed: async (after, count, forms) => {
      const all = choose({}, forms)
        .filter(({ isSealed }) => isSealed)
        .reverse();
      const start = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
      const page = all.slice(start, start + count);
      const last = page.at(-1)?.id;
      const hasMore = start + count < all.length && last !== undefined;
      return {
        entries: page.map(({ id, form, receivedAt }) => ({ id, form, receivedAt })),
        ...(hasMore && { next: last }),
        total: all.length,
      };
    },
    setRead: async (ids, isRead, forms) => {
      for (const id of ids) update(id, { isRead }, forms);
      changed();
    },
    setMark: async (id, mark) => {
      update(id, { mark });
      changed();
    },
    refresh: async () => changed(),
    forget: async (ids) => {
      for (const id of ids) held.delete(id);
      changed();
    },
    forms: async () => {
      const counts = new Map<string, { id: string; total: number; unread: number }>();
      for (const { entry } of held.values()) {
        const count = counts.get(entry.form) ?? { id: entry.form, total: 0, unread: 0 };
        counts.set(entry.form, count);
        count.total += 1;
        if (!entry.isRead) count.unread += 1;
      }
      return [...counts.values()];
    },
    outputs: async () => [],
    figures: async () => ({ hasJournal: false, days: [], failures: [] }),
    troubles: async () => ({ count: troubles.length, latest: troubles.slice(-20) }),
    onChange: (then) => {
      listeners.add(then);
      return () => void listeners.delete(then);
    },
    onProgress: (then) => {
      then(undefined);
      return () => {};
    },
    close: async () => {},
  };
}

function matches(entry: IndexedEntry, text: string, query: Query): boolean {
  const { search = '', form, since = -Infinity, until = Infinity, state, sender = '', unread, mark } = query;
  return (
    search
      .toLowerCase()
      .split(/\s+/)
      .every((word) => text.includes(word)) &&
    (form === undefined || entry.form === form) &&
    entry.receivedAt >= since &&
    entry.receivedAt < until &&
    (state === undefined || (state === 'doubted' ? entry.isDoubted : entry.state === state)) &&
    entry.sender.toLowerCase().includes(sender.toLowerCase()) &&
    (!unread || !entry.isRead) &&
    (mark === undefined || entry.mark === mark)
  );
}
