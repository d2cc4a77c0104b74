/** The index's thread: reads all places, follows them, and answers. */
import { writeFileSync } from 'node:fs';
import { setImmediate as breathe } from 'node:timers/promises';
import type { ComparedField } from '@form-relay/relay/features';
import { searchFor } from '@form-relay/stored/person/address';
import type { Mark, Query, Window } from '../api.ts';
import type { Forms } from '../entry_index.ts';
import type { Sources } from '../sources.ts';
import { Book, type KeptFact } from './book.ts';
import { choose } from './choose.ts';
import { Columns, flag, stateNumber } from './columns.ts';
import { FigureBook } from './figures.ts';
import { type FollowedState, Follower } from './follow.ts';
import { countMarks, marked } from './marks.ts';
import { holdsAddress } from './of_address.ts';
import { ReadFlags } from './read_flags.ts';
import { whyNot } from './reader.ts';
import { filesIn, forgetSaved, loadSaved, makeFolder, save } from './saved.ts';
import { sealedAfter } from './sealed.ts';
import { Troubles } from './troubles.ts';
import { unkeptRows } from './unkept.ts';
import { Views } from './views.ts';

export interface ServiceOptions {
  readonly sources: Sources;
  readonly folder: string;
  /** Read flags, which outlive the index. */
  readonly readFile: string;
  /** Forms of the config, which are looked for in buckets, with their fields. */
  readonly forms: ReadonlyMap<string, readonly ComparedField[]>;
  /** Files of marks. */
  readonly marks: readonly string[];
}

interface State {
  readonly forms: string[];
  readonly outputs: string[];
  readonly counts: FigureBook['counts'];
  readonly failures: FigureBook['failures'];
  readonly kept: readonly string[];
  readonly followed: FollowedState;
}

export interface Told {
  change(change: { version: number; total: number; unread: number }): void;
  progress(progress: { done: number; of?: number } | undefined): void;
}

const pollMs = 1_000;
const saveAfterMs = 5_000;
/** So long after a question, somebody may look at the answer. */
const watchedForMs = 60_000;
const piece = 5_000;

export class Service {
  readonly #options: ServiceOptions;
  readonly #told: Told;
  readonly #files;
  readonly #sources: string;
  readonly #book: Book;
  readonly #figures = new FigureBook();
  readonly #follower: Follower;
  #kept: ReadonlySet<string> = new Set();
  /** Rows that the journal calls kept, and that the last listing lacked. */
  #unkept: ReadonlySet<number> = new Set();
  #version = 1;
  #saved = 0;
  #changedAt = 0;
  #toldVersion = 0;
  #isDirty = false;
  #isBulk = false;
  #isHalfWritten = false;
  #isWatching = false;
  #askedAt = 0;
  #isClosed = false;
  #work: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  readonly #views: Views;
  readonly #held = new Map<number, Uint32Array>();
  #nextHeld = 1;
  readonly #troubles = new Troubles();
  readonly #readFlags: ReadFlags;

  constructor(options: ServiceOptions, told: Told) {
    this.#options = options;
    this.#told = told;
    this.#files = filesIn(options.folder);
    this.#readFlags = new ReadFlags(options.readFile);
    this.#sources = JSON.stringify([options.sources.archives, options.sources.journal]);
    makeFolder(options.folder);
    const saved = this.#open();
    this.#book = saved.book;
    this.#views = new Views(saved.book);
    this.#follower = saved.follower;
    this.#work = this.#fill(saved.isNew);
  }

  #open() {
    const isDropped = this.#options.sources.archives.map(({ isDropped }) => isDropped);
    const columns = new Columns();
    const state = loadSaved<State>(this.#files, this.#sources, columns);
    if (!state) forgetSaved(this.#files);
    const book = new Book(this.#files.database, isDropped);
    if (state) {
      book.columns = columns;
      book.forms = state.forms;
      book.outputs = state.outputs;
      this.#figures.counts = state.counts;
      this.#figures.failures = state.failures;
      this.#kept = new Set(state.kept);
    }
    return { book, isNew: !state, follower: this.#follow(book, state?.followed) };
  }

  #follow(book: Book, state: FollowedState | undefined): Follower {
    const { sources, forms, marks } = this.#options;
    return new Follower(
      {
        book,
        figures: this.#figures,
        sources,
        marks,
        forms,
        tell: (place, what) => this.#troubles.add(place, what),
        writing: (work) => this.#write(work),
        bulk: (isBulk) => this.#bulk(isBulk),
        progress: (progress) => this.#told.progress(progress),
      },
      state,
    );
  }

  /** All writing goes through here, so that a killed process leaves its mark. */
  #write(work: () => void): void {
    if (!this.#isDirty) writeFileSync(this.#files.dirty, '', { mode: 0o600 });
    this.#isDirty = true;
    if (this.#isBulk) work();
    else {
      this.#book.begin();
      work();
      this.#book.commit();
    }
    this.#changed();
  }

  #bulk(isBulk: boolean): void {
    this.#isBulk = isBulk;
    if (isBulk) this.#book.begin();
    else this.#book.commit();
  }

  #changed(): void {
    this.#version += 1;
    this.#changedAt = Date.now();
    this.#views.clear();
  }

  #tellChange(): void {
    if (this.#toldVersion === this.#version) return;
    this.#toldVersion = this.#version;
    const { columns } = this.#book;
    let [total, unread] = [0, 0];
    for (let row = 0; row < columns.count; row += 1) {
      const flags = columns.flags[row] as number;
      if ((flags & flag.dead) !== 0) continue;
      total += 1;
      if ((flags & flag.read) === 0) unread += 1;
    }
    this.#told.change({ version: this.#version, total, unread });
  }

  async #fill(isNew: boolean): Promise<void> {
    await this.#guarded(() => this.#follower.catchUp());
    if (isNew) await this.#guarded(async () => this.#restoreFlags());
    this.#told.progress(undefined);
    this.#tellChange();
    await this.#guarded(async () => this.#save());
    this.#plan();
  }

  #plan(): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#work = this.#work.then(() =>
        this.#guarded(async () => {
          await this.#follower.poll(this.#isWatched());
          this.#tellChange();
          if (this.#isDirty && Date.now() - this.#changedAt > saveAfterMs) this.#save();
        }),
      );
      void this.#work.then(() => this.#plan());
    }, pollMs);
  }

  /** A failure ends in words. What was half written stays marked as dirty, and is built anew at the next start. */
  async #guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#isHalfWritten = true;
      if (!this.#isClosed) this.#troubles.add('the index', whyNot(error));
    }
  }

  #save(): void {
    if (this.#isHalfWritten || (!this.#isDirty && this.#saved > 0)) return;
    const { forms, outputs, columns } = this.#book;
    const { counts, failures } = this.#figures;
    const state: State = {
      forms,
      outputs,
      counts,
      failures,
      kept: [...this.#kept],
      followed: this.#follower.state(),
    };
    save(this.#files, this.#sources, columns, state);
    this.#isDirty = false;
    this.#saved += 1;
  }

  /** Of an index before this one. */
  #restoreFlags(): void {
    for (const [id, isRead] of this.#readFlags.read()) {
      const row = this.#book.find(id);
      if (row !== undefined) this.#book.setRead(row, isRead);
    }
    this.#changed();
  }

  /** @param isWatching Whether somebody waits for changes. */
  watch(isWatching: boolean): void {
    this.#isWatching = isWatching;
  }

  #isWatched(): boolean {
    return this.#isWatching || Date.now() - this.#askedAt < watchedForMs;
  }

  async window(query: Query, from: number, count: number, forms: Forms): Promise<Window> {
    const wasWatched = this.#isWatched();
    this.#askedAt = Date.now();
    if (!wasWatched && this.#follower.isDone)
      await this.#alone(() => this.#guarded(() => this.#follower.poll(true)));
    const view = this.#views.of(query, forms);
    const entries = [...view.subarray(Math.max(0, from), Math.max(0, from) + Math.min(count, 1_000))].flatMap(
      (row) => {
        const entry = this.#book.entry(row, false);
        if (!entry) return [];
        const { stored: _, kept: __, journal: ___, ...shown } = entry;
        return [shown];
      },
    );
    return { version: this.#version, total: view.length, entries };
  }

  /** Keeps a view as it is now, to be read in pieces until it is released. */
  hold(query: Query, forms: Forms): number {
    this.#held.set(this.#nextHeld, this.#views.of(query, forms));
    return this.#nextHeld++;
  }

  heldIds(held: number, from: number): readonly string[] {
    return [...(this.#held.get(held) ?? []).slice(from, from + piece)]
      .map((row) => this.#book.idOf(row))
      .filter(Boolean);
  }

  heldCount(held: number): number {
    return this.#held.get(held)?.length ?? 0;
  }

  release(held: number): void {
    this.#held.delete(held);
  }

  get(id: string) {
    const row = this.#book.find(id);
    return row === undefined ? undefined : this.#book.entry(row);
  }

  async ofAddress(email: string, forms: Forms) {
    if (email.trim() === '') return [];
    const view = choose(this.#book, { search: searchFor(email) }, forms);
    const found = [];
    for (const row of view) {
      const entry = this.#book.entry(row);
      if (entry && (await holdsAddress(entry.stored, email, (at) => this.#follower.document(at))))
        found.push(entry);
    }
    return found;
  }

  sealed(after: string | undefined, count: number, forms: Forms) {
    return sealedAfter(this.#book, after, count, forms);
  }

  /** Returns how many it changed. */
  setRead(ids: readonly string[], isRead: boolean, forms: Forms): number {
    const changed = [...new Set(ids)].flatMap((id) => {
      const row = this.#book.find(id);
      const form = row === undefined ? '' : (this.#book.forms[this.#book.columns.form[row] as number] ?? '');
      if (row === undefined || (forms && !forms.has(form))) return [];
      // While the index is built, the flags of the file are not in it yet.
      const isChange = !this.#follower.isDone || this.#book.isRead(row) !== isRead;
      return isChange ? [{ id, row }] : [];
    });
    if (changed.length === 0) return 0;
    this.#readFlags.add(
      changed.map(({ id }) => id),
      isRead,
    );
    this.#write(() => {
      for (const { row } of changed) this.#book.setRead(row, isRead);
    });
    this.#tellChange();
    return changed.length;
  }

  setMark(id: string, mark: Mark): void {
    const row = this.#book.find(id);
    if (row === undefined) return;
    this.#write(() => this.#book.setMark(row, mark, Date.now()));
    this.#tellChange();
  }

  countMarks(forms: readonly string[], since: number) {
    return countMarks(this.#book, forms, since);
  }

  marked(forms: readonly string[]) {
    return marked(this.#book, forms);
  }

  async refresh(id: string): Promise<void> {
    await this.#alone(async () => {
      await this.#follower.refresh(id);
      this.#tellChange();
    });
  }

  async forget(ids: readonly string[]): Promise<void> {
    await this.#alone(async () => {
      this.#write(() => {
        for (const id of ids) {
          const row = this.#book.find(id);
          if (row !== undefined) this.#book.forget(row);
        }
      });
      this.#tellChange();
    });
  }

  /** Kept deliveries, which the thread of the server lists. @param areAll No store hides any. */
  async keep(all: readonly KeptFact[], areAll: boolean): Promise<void> {
    const { stores } = this.#options.sources;
    for (const { store, id } of all.filter(isDamaged))
      this.#troubles.add(
        `${stores[store]?.name}: ${id}`,
        'is damaged; relay kept show says what is left of it',
      );
    await this.#alone(async () => {
      this.#kept = this.#book.keep(
        all.filter((one) => !isDamaged(one)),
        this.#kept,
        (work) => this.#write(work),
      );
      const unkept = areAll ? unkeptRows(this.#book, this.#kept) : new Set<number>();
      // The journal may tell of one before it is listed, so one listing without it shows nothing.
      const unknown = [...unkept].filter((row) => this.#unkept.has(row));
      for (const row of unknown) this.#book.columns.state[row] = stateNumber('unknown');
      this.#unkept = unkept;
      if (unknown.length > 0) this.#changed();
      this.#tellChange();
    });
  }

  /** Not between the steps of other work that writes. */
  async #alone(work: () => Promise<void>): Promise<void> {
    const before = this.#work;
    const done = before.then(work);
    this.#work = done.catch(() => {});
    await done;
  }

  forms() {
    const { forms, columns } = this.#book;
    const all = forms.map((id) => ({ id, total: 0, unread: 0, print: 0 }));
    for (let row = 0; row < columns.count; row += 1) {
      const [flags, form] = [columns.flags[row] as number, all[columns.form[row] as number]];
      if ((flags & flag.dead) !== 0 || !form) continue;
      form.total += 1;
      if ((flags & flag.read) === 0) form.unread += 1;
      const one =
        (row << 16) ^ (flags << 8) ^ ((columns.state[row] as number) << 2) ^ (columns.mark[row] as number);
      form.print = (Math.imul(form.print, 31) + one) | 0;
    }
    return all.filter(({ total }) => total > 0);
  }

  outputs() {
    return this.#book.outputs;
  }

  figures(
    choice: { readonly form?: string; readonly since?: number; readonly until?: number },
    forms: Forms,
  ) {
    return this.#figures.answer(choice, forms, this.#options.sources.journal !== undefined);
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
    if (this.#follower.isDone) await this.#guarded(async () => this.#save());
    this.#book.close();
    await breathe();
  }
}

const isDamaged = ({ output }: KeptFact) => output === '';
