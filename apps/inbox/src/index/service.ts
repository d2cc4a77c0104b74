/** The index's thread: reads all places, follows them, and answers. */
import { isLookRequested } from '@form-relay/stored/search_index';
import type { Mark, Query, Window } from '../api.ts';
import type { TypedField } from '../correspondent.ts';
import type { CountedForm, Forms, IndexedEntry, Sources } from '../entry_index.ts';
import type { WorkRow } from '../work/work.ts';
import {
  choose,
  countMarks,
  countOf,
  countSealed,
  marked,
  ofAddress,
  type PageAsked,
  pageOf,
  rowsAfter,
  rowsOf,
  windowOf,
} from './choose.ts';
import { Entries, type KeptFact, type Listed, visible } from './entries.ts';
import { countForms, type Day, numbersOf, reasonsOf } from './figures.ts';
import { Follower, Troubles } from './follow.ts';
import { ReadFlags, whyNot } from './reader.ts';
import { type Database, forgetRemoved, forgettingNowAndThen, openTables } from './sqlite.ts';

export interface ServiceOptions {
  readonly sources: Sources;
  readonly folder: string;
  /** Read flags, which outlive the index. */
  readonly readFile: string;
  /** Forms of the config, which are looked for in buckets, with their fields. */
  readonly forms: ReadonlyMap<string, readonly TypedField[]>;
  /** Files of marks. */
  readonly marks: readonly string[];
}

export interface Emit {
  change(change: { version: number; total: number; unread: number }): void;
  progress(progress: { done: number; of?: number } | undefined): void;
}

const pollMs = 1_000;
/** So long after a question, somebody may look at the answer. */
const watchedForMs = 60_000;
const mostCounted = 100;

export class Service {
  readonly #db: Database;
  readonly #entries: Entries;
  readonly #follower: Follower;
  #version = 1;
  #emittedVersion = 0;
  #isWatching = false;
  #queriedAt = 0;
  #isClosed = false;
  #work: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  /** The counts of this version. */
  readonly #counted = new Map<string, unknown>();
  readonly #troubles = new Troubles();
  readonly #readFlags: ReadFlags;
  readonly #forgetRemoved: () => void;

  constructor(
    private readonly options: ServiceOptions,
    private readonly emit: Emit,
  ) {
    const { sources, forms, marks, folder } = options;
    this.#readFlags = new ReadFlags(options.readFile);
    this.#db = openTables(folder, JSON.stringify(sources.archives));
    this.#forgetRemoved = forgettingNowAndThen(this.#db);
    this.#entries = new Entries(
      this.#db,
      sources.archives.map(({ isDropped }) => isDropped),
    );
    this.#follower = new Follower({
      entries: this.#entries,
      sources,
      marks,
      forms,
      tell: (place, what) => this.#troubles.add(place, what),
      writing: (work) => this.#write(work),
      progress: (progress) => emit.progress(progress),
    });
    this.#work = this.#fill();
  }

  #write(work: () => void): void {
    this.#entries.write(work);
    this.#changed();
  }

  #changed(): void {
    this.#version += 1;
    this.#counted.clear();
  }

  /** Counts once for each version. */
  #once<T>(name: string, count: () => T): T {
    if (this.#counted.size > mostCounted) this.#counted.clear();
    if (!this.#counted.has(name)) this.#counted.set(name, count());
    return this.#counted.get(name) as T;
  }

  #tellChange(): void {
    if (this.#emittedVersion === this.#version) return;
    this.#emittedVersion = this.#version;
    const sql = `SELECT count(*) AS total, count(*) FILTER (WHERE read = 0) AS unread FROM entry WHERE ${visible}`;
    const { total, unread } = this.#db.get<{ total: number; unread: number }>(sql) ?? { total: 0, unread: 0 };
    this.emit.change({ version: this.#version, total, unread });
  }

  async #fill(): Promise<void> {
    await this.#guarded(() =>
      this.#entries.bulk(async () => {
        await this.#follower.catchUp();
        if (this.#follower.isDone) this.#restoreFlags();
      }),
    );
    this.#changed();
    await this.#guarded(async () => this.#forgetRemoved());
    this.emit.progress(undefined);
    this.#tellChange();
    this.#plan();
  }

  #plan(): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#work = this.#work.then(() =>
        this.#guarded(async () => {
          const mustLook = isLookRequested(this.options.folder);
          await (mustLook ? this.#follower.catchUp() : this.#follower.poll(this.#isWatched()));
          this.#tellChange();
          this.#forgetRemoved();
        }),
      );
      void this.#work.then(() => this.#plan());
    }, pollMs);
  }

  /** A failure ends in words. */
  async #guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!this.#isClosed) this.#troubles.add('the index', whyNot(error));
    }
  }

  /** Adds the flags that this index lacks because it is new, or a process was killed. */
  #restoreFlags(): void {
    const size = this.#readFlags.size();
    if (this.#db.get('SELECT 1 FROM about WHERE flags = ?', size)) return;
    for (const [id, isRead] of this.#readFlags.read()) this.#entries.setRead(id, isRead);
    this.#db.run('UPDATE about SET flags = ?', size);
  }

  /** @param isWatching Whether somebody waits for changes. */
  watch(isWatching: boolean): void {
    this.#isWatching = isWatching;
  }

  #isWatched(): boolean {
    return this.#isWatching || Date.now() - this.#queriedAt < watchedForMs;
  }

  /** @param isCounted Default: yes. Else the total is that of an earlier question, or of the entries so far. */
  async window(query: Query, from: number, count: number, forms: Forms, isCounted = true): Promise<Window> {
    const wasWatched = this.#isWatched();
    this.#queriedAt = Date.now();
    if (!wasWatched && this.#follower.isDone)
      await this.#exclusively(() => this.#guarded(() => this.#follower.poll(true)));
    const choice = choose(this.#db, query, forms);
    const key = JSON.stringify([choice.sql, choice.values]);
    const entries = windowOf(this.#db, choice, from, count);
    const end = from + entries.length;
    if (!isCounted && count > 0 && entries.length === count && !this.#counted.has(key))
      return { version: this.#version, total: end, hasMore: true, entries };
    const isWhole = entries.length > 0 && entries.length < count;
    const total = this.#once(key, () => (isWhole ? end : countOf(this.#db, choice)));
    return { version: this.#version, total, entries };
  }

  page(asked: PageAsked) {
    this.#queriedAt = Date.now();
    return pageOf(this.#db, asked);
  }

  rows(query: Query, forms: Forms, after?: string) {
    return rowsAfter(this.#db, choose(this.#db, query, forms), after);
  }

  rowsOf(ids: readonly string[], forms: Forms) {
    return rowsOf(this.#db, ids, forms);
  }

  get(id: string): IndexedEntry | undefined {
    return this.#entries.get(id);
  }

  /** Entries in which this address occurs, ignoring case, dropped ones included; sealed ones are not found. */
  ofAddress(email: string, forms: Forms): Promise<readonly IndexedEntry[]> {
    return ofAddress(this.#db, this.#entries, email, forms, (at) => this.#follower.document(at));
  }

  countSealed(forms: Forms): number {
    return countSealed(this.#db, forms);
  }

  /** Returns how many it changed. */
  setRead(ids: readonly string[], isRead: boolean, forms: Forms): number {
    const changed = [...new Set(ids)].filter((id) => {
      const entry = this.#db.get<Listed>('SELECT form, read FROM entry WHERE id = ?', id);
      if (!entry || (forms && !forms.has(entry.form))) return false;
      // While the index is built, the flags of the file are not in it yet.
      return !this.#follower.isDone || (entry.read === 1) !== isRead;
    });
    if (changed.length === 0) return 0;
    const before = this.#readFlags.size();
    this.#readFlags.add(changed, isRead);
    this.#write(() => {
      for (const id of changed) this.#entries.setRead(id, isRead);
      this.#db.run('UPDATE about SET flags = ? WHERE flags = ?', this.#readFlags.size(), before);
    });
    this.#tellChange();
    return changed.length;
  }

  setMark(id: string, mark: Mark | undefined): void {
    this.#write(() => this.#entries.setMark(id, mark, Date.now()));
    this.#tellChange();
  }

  /** Takes in what people added, which the store has. @param isAll In place of all from before. */
  annotate(rows: readonly WorkRow[], isAll = false): void {
    this.#write(() => this.#entries.setWork(rows, isAll));
    this.#tellChange();
  }

  /** The ids to which people added something and that no place has. `undefined` until all places were read. */
  unknownWork(): readonly string[] | undefined {
    return this.#follower.isDone ? this.#entries.unknownWork() : undefined;
  }

  /** The marks in some forms. @param since Milliseconds since the epoch. */
  countMarks(forms: readonly string[], since: number) {
    return countMarks(this.#db, forms, since);
  }

  /** The marked submissions of some forms that are stored, but for sealed ones. */
  marked(forms: readonly string[]) {
    return marked(this.#entries, forms);
  }

  /** Looks at the places of submissions at once. */
  refresh(ids: readonly string[]): Promise<void> {
    return this.#removing(() => this.#follower.refresh(ids));
  }

  /** Forgets entries that were removed. */
  forget(ids: readonly string[]): Promise<void> {
    return this.#removing(async () =>
      this.#write(() => {
        for (const id of ids) this.#entries.forget(id);
      }),
    );
  }

  async #removing(work: () => Promise<void>): Promise<void> {
    await this.#exclusively(async () => {
      await work();
      this.#tellChange();
      await this.#guarded(async () => this.#forgetRemoved());
    });
  }

  /** Kept deliveries, which the thread of the server lists. */
  async keep(all: readonly KeptFact[]): Promise<void> {
    const { stores } = this.options.sources;
    for (const { store, id } of all.filter(isDamaged))
      this.#troubles.add(
        `${stores[store]?.name}: ${id}`,
        'is damaged; run relay kept show to see what is left of it',
      );
    await this.#exclusively(async () => {
      this.#entries.keep(
        all.filter((one) => !isDamaged(one)),
        (work) => this.#write(work),
      );
      this.#tellChange();
    });
  }

  /** Not between the steps of other work that writes. */
  async #exclusively(work: () => Promise<void>): Promise<void> {
    const before = this.#work;
    const done = before.then(work);
    this.#work = done.catch(() => {});
    await done;
  }

  forms(): readonly CountedForm[] {
    // Different for each state and mark.
    const print = 'unicode(state) * length(state) * 64 + ifnull(length(mark), 0) * 4 + doubted * 2 + read';
    return this.#once('forms', () => countForms(this.#db, print));
  }

  /** Why entries of a choice need a look, the most frequent reasons first. */
  reasons(query: Query, forms: Forms) {
    return reasonsOf(this.#db, query, choose(this.#db, query, forms));
  }

  numbers(query: Query, forms: Forms, days: readonly Day[]) {
    const choice = choose(this.#db, query, forms);
    // A page asks again with each change that it hears of.
    return this.#once(JSON.stringify(['numbers', choice, days]), () => numbersOf(this.#db, choice, days));
  }

  troubles() {
    const { count, latest } = this.#troubles;
    return { count, latest };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#follower.stop();
    await this.#work;
    try {
      forgetRemoved(this.#db);
    } finally {
      this.#db.close();
    }
  }
}

const isDamaged = ({ output }: KeptFact) => output === '';
