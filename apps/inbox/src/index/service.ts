/** Runs in the index's thread: reads all places, follows them, and answers queries. */
import { isLookRequested } from '@form-relay/stored/search_index';
import type { Change, Mark, Progress, Query, Window } from '../api.ts';
import type { TypedField } from '../correspondent.ts';
import type { CountedForm, Forms, Sources } from '../entry_index.ts';
import type { WorkRow } from '../work/work.ts';
import { choose } from './choose.ts';
import { Entries, type KeptFact, type Listed, visible } from './entries.ts';
import { Follower, Troubles } from './follow.ts';
import {
  countForms,
  countOf,
  createQueries,
  type Day,
  numbersOf,
  type PageRequest,
  windowOf,
} from './queries.ts';
import { ReadFlags, whyNot } from './reader.ts';
import { forgetRemoved, forgettingNowAndThen, openTables } from './sqlite.ts';

export interface ServiceOptions {
  readonly sources: Sources;
  readonly folder: string;
  /** Read flags, which outlive the index. */
  readonly readFile: string;
  /** The config's forms, which buckets are searched for, with their fields. */
  readonly forms: ReadonlyMap<string, readonly TypedField[]>;
  readonly marks: readonly string[];
}

interface Emit {
  change(change: Change): void;
  progress(progress: Progress | undefined): void;
}

const pollMs = 1_000;
/** A page counts as open for this long after a query. */
const watchedForMs = 60_000;
const mostCounted = 100;

export type Service = ReturnType<typeof createService>;

export function createService({ sources, forms, marks, folder, readFile }: ServiceOptions, emit: Emit) {
  const db = openTables(folder, JSON.stringify(sources.archives));
  const forgetSoon = forgettingNowAndThen(db);
  const readFlags = new ReadFlags(readFile);
  const troubles = new Troubles();
  /** Counts cached for this version of the index. */
  const counted = new Map<string, unknown>();
  let version = 1;
  let emittedVersion = 0;
  let isWatching = false;
  let queriedAt = 0;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;

  const changed = () => {
    version += 1;
    counted.clear();
  };
  const entries = new Entries(
    db,
    sources.archives.map(({ isDropped }) => isDropped),
    changed,
  );
  const tell = (place: string, what: string) => troubles.add(place, what);
  const follower = new Follower({ entries, sources, marks, forms, tell, progress: emit.progress });
  const queries = createQueries(entries, (at) => follower.document(at));

  /** Computes each count once per version. */
  const once = <T>(name: string, count: () => T): T => {
    if (counted.size > mostCounted) counted.clear();
    if (!counted.has(name)) counted.set(name, count());
    return counted.get(name) as T;
  };

  const emitChange = () => {
    if (emittedVersion === version) return;
    emittedVersion = version;
    const sql = `SELECT count(*) AS total, count(*) FILTER (WHERE read = 0) AS unread FROM entry WHERE ${visible}`;
    emit.change({ version, ...(db.get<Omit<Change, 'version'>>(sql) as Omit<Change, 'version'>) });
  };

  /** Returns a failure as text. */
  const guarded = async (run: () => Promise<void> | void) => {
    try {
      await run();
    } catch (error) {
      if (!isClosed) tell('the index', whyNot(error));
    }
  };

  /** Restores flags that this index lacks because it is new, or because a process was killed. */
  const restoreFlags = () => {
    const size = readFlags.size();
    if (db.get('SELECT 1 FROM about WHERE flags = ?', size)) return;
    for (const [id, isRead] of readFlags.read()) entries.setRead(id, isRead);
    db.run('UPDATE about SET flags = ?', size);
  };

  const fill = async () => {
    await guarded(() =>
      db.bulk(async () => {
        await follower.catchUp();
        if (follower.isDone) restoreFlags();
      }),
    );
    changed();
    await guarded(forgetSoon);
    emit.progress(undefined);
    emitChange();
    plan();
  };

  let work = fill();

  const isWatched = () => isWatching || Date.now() - queriedAt < watchedForMs;

  function plan(): void {
    if (isClosed) return;
    timer = setTimeout(() => {
      work = work.then(() =>
        guarded(async () => {
          await (isLookRequested(folder) ? follower.catchUp() : follower.poll(isWatched()));
          emitChange();
          forgetSoon();
        }),
      );
      void work.then(plan);
    }, pollMs);
  }

  /** Keeps the work out of the steps of other writes. */
  const exclusively = async (run: () => Promise<void> | void) => {
    const done = work.then(run);
    work = done.catch(() => {});
    await done;
  };

  const removing = (run: () => Promise<void> | void) =>
    exclusively(async () => {
      await run();
      emitChange();
      await guarded(forgetSoon);
    });

  const write = (run: () => void) => {
    entries.write(run);
    emitChange();
  };

  return {
    ...queries,

    /** @param now Whether a client waits for changes. */
    watch(now: boolean): void {
      isWatching = now;
    },

    /** @param isCounted Default: yes. Otherwise the total is that of an earlier query, or a partial count. */
    async window(query: Query, from: number, count: number, forms: Forms, isCounted = true): Promise<Window> {
      const wasWatched = isWatched();
      queriedAt = Date.now();
      if (!wasWatched && follower.isDone) await exclusively(() => guarded(() => follower.poll(true)));
      const choice = choose(db, query, forms);
      const key = JSON.stringify([choice.sql, choice.values]);
      const entries = windowOf(db, choice, from, count);
      const end = from + entries.length;
      if (!isCounted && count > 0 && entries.length === count && !counted.has(key))
        return { version, total: end, hasMore: true, entries };
      const isWhole = entries.length > 0 && entries.length < count;
      const total = once(key, () => (isWhole ? end : countOf(db, choice)));
      return { version, total, entries };
    },

    page(request: PageRequest) {
      queriedAt = Date.now();
      return queries.page(request);
    },

    /** Returns how many changed. */
    setRead(ids: readonly string[], isRead: boolean, forms: Forms): number {
      const unlike = [...new Set(ids)].filter((id) => {
        const entry = db.get<Listed>('SELECT form, read FROM entry WHERE id = ?', id);
        if (!entry || (forms && !forms.has(entry.form))) return false;
        // Until the index is complete, it lacks some flags of the file.
        return !follower.isDone || (entry.read === 1) !== isRead;
      });
      if (unlike.length === 0) return 0;
      const before = readFlags.size();
      readFlags.add(unlike, isRead);
      write(() => {
        for (const id of unlike) entries.setRead(id, isRead);
        db.run('UPDATE about SET flags = ? WHERE flags = ?', readFlags.size(), before);
      });
      return unlike.length;
    },

    setMark: (id: string, mark: Mark | undefined): void => write(() => entries.setMark(id, mark, Date.now())),

    /** Indexes work that people added, as recorded in the store. @param isAll Replaces all rows. */
    annotate: (rows: readonly WorkRow[], isAll = false): void => write(() => entries.setWork(rows, isAll)),

    /** Ids with work whose submission is in no place. `undefined` until all places have been read. */
    unknownWork: (): readonly string[] | undefined => (follower.isDone ? entries.unknownWork() : undefined),

    /** Reads the places of these submissions again immediately. */
    refresh: (ids: readonly string[]): Promise<void> => removing(() => follower.refresh(ids)),

    /** Drops removed entries from the index. */
    forget: (ids: readonly string[]): Promise<void> =>
      removing(() => entries.write(() => ids.forEach((id) => void entries.forget(id)))),

    /** Takes queued deliveries, which the server's thread lists. */
    async keep(all: readonly KeptFact[]): Promise<void> {
      const isDamaged = ({ output }: KeptFact) => output === '';
      for (const { store, id } of all.filter(isDamaged))
        tell(
          `${sources.stores[store]?.name}: ${id}`,
          'is damaged; run relay kept show to see what is left of it',
        );
      await exclusively(() => {
        entries.keep(all.filter((one) => !isDamaged(one)));
        emitChange();
      });
    },

    forms: (): readonly CountedForm[] => once('forms', () => countForms(db)),

    /** Cached, because a page asks again after each change event. */
    numbers(query: Query, forms: Forms, days: readonly Day[]) {
      const choice = choose(db, query, forms);
      return once(JSON.stringify(['numbers', choice, days]), () => numbersOf(db, choice, days));
    },

    troubles: () => ({ count: troubles.count, latest: troubles.latest }),

    async close(): Promise<void> {
      isClosed = true;
      clearTimeout(timer);
      follower.stop();
      await work;
      try {
        forgetRemoved(db);
      } finally {
        db.close();
      }
    },
  };
}
