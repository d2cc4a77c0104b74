/** Reads all places, and again what may have changed in them. */
import { readFileSync } from 'node:fs';
import { setImmediate as breathe } from 'node:timers/promises';
import type { ComparedField } from '@form-relay/relay/features';
import { receivedAt } from '@form-relay/stored/journal/lines_of';
import { readLine } from '@form-relay/stored/journal/read_line';
import { readVerdicts } from '@form-relay/stored/marks/verdicts';
import type { StoredAt } from '../entry_index.ts';
import type { Sources } from '../sources.ts';
import type { Book } from './book.ts';
import type { FigureBook } from './figures.ts';
import { FollowedBucket } from './follow_bucket.ts';
import { FollowedFolder } from './follow_folder.ts';
import type { Followed } from './followed.ts';
import { newLines } from './journal.ts';
import { FollowedJournalBucket } from './journal_bucket.ts';
import { type Intake, isGone, modifiedAt, openBucket, whyNot } from './reader.ts';

export interface World {
  readonly book: Book;
  readonly figures: FigureBook;
  readonly sources: Sources;
  readonly marks: readonly string[];
  readonly forms: ReadonlyMap<string, readonly ComparedField[]>;
  readonly tell: (place: string, what: string) => void;
  /** Runs it in a transaction. */
  readonly writing: (work: () => void) => void;
  /** One transaction for all that follows, or its end: each commit writes out what FTS5 has gathered. */
  readonly bulk: (isBulk: boolean) => void;
  readonly progress: (progress: { done: number; of?: number } | undefined) => void;
}

export interface FollowedState {
  /** Of each archive: its days as they were read. */
  readonly days: readonly (readonly (readonly [folder: string, modifiedMs: number])[])[];
  /** How many bytes of each file of the journal were read. */
  readonly offsets: readonly (readonly [file: string, bytes: number])[];
  readonly objects: readonly string[];
}

const unwatchedEveryMs = 60_000;

export class Follower {
  isDone = false;
  readonly #world: World;
  readonly #archives: readonly Followed[];
  readonly #days: readonly Map<string, number>[];
  readonly #offsets: Map<string, number>;
  readonly #bucketJournal: FollowedJournalBucket | undefined;
  readonly #marksRead = new Map<string, number>();
  #isStopped = false;
  #paidAt = 0;
  #done = 0;

  constructor(world: World, state: FollowedState | undefined) {
    this.#world = world;
    const { sources } = world;
    this.#days = sources.archives.map((_, nth) => new Map(state?.days[nth]));
    this.#offsets = new Map(state?.offsets);
    const isStopped = () => this.#isStopped;
    this.#archives = sources.archives.map(({ place, name }, archive) => {
      const tell = (path: string, what: string) => world.tell(`${name}/${path}`, what);
      const intake: Intake = { book: world.book, archive, tell, fields: world.forms };
      const tools = {
        intake,
        writing: world.writing,
        done: (number: number) => this.#tell(number),
        isStopped,
      };
      return place.kind === 'folder'
        ? new FollowedFolder(place.path, tools, this.#days[archive] ?? new Map())
        : new FollowedBucket(openBucket(place), tools, [...world.forms.keys()]);
    });
    const place = sources.journal?.place;
    this.#bucketJournal =
      place?.kind === 's3'
        ? new FollowedJournalBucket(openBucket(place), new Set(state?.objects))
        : undefined;
  }

  state(): FollowedState {
    return {
      days: this.#days.map((days) => [...days]),
      offsets: [...this.#offsets],
      objects: this.#bucketJournal ? this.#bucketJournal.objects() : [],
    };
  }

  stop(): void {
    this.#isStopped = true;
  }

  #of: number | undefined;

  #tell(number: number): void {
    this.#done += number;
    if (!this.isDone)
      this.#world.progress({ done: this.#done, ...(this.#of !== undefined && { of: this.#of }) });
  }

  /** Runs for each archive; one that cannot be read is told, and stays as it was. */
  async #each(work: (one: Followed) => Promise<void>): Promise<void> {
    for (const [nth, one] of this.#archives.entries()) {
      try {
        await work(one);
      } catch (error) {
        const { isDropped, name = '' } = this.#world.sources.archives[nth] ?? {};
        // Nothing was turned away yet.
        if (!isDropped || !isGone(error)) this.#world.tell(name, whyNot(error));
        if (isDiskFull(error)) throw error;
      }
    }
  }

  async catchUp(): Promise<void> {
    this.#world.bulk(true);
    try {
      let of: number | undefined = 0;
      await this.#each(async (one) => {
        of = one.count && of !== undefined ? of + one.count() : undefined;
      });
      this.#of = of;
      await this.#each((one) => one.catchUp());
      await this.#journal(true);
      this.#marks();
    } finally {
      this.#world.bulk(false);
    }
    this.#paidAt = Date.now();
    this.isDone = !this.#isStopped;
  }

  /** @param isWatched Somebody looks; else buckets are looked at once a minute. */
  async poll(isWatched: boolean): Promise<void> {
    if (!this.isDone) return;
    const isDue = isWatched || Date.now() - this.#paidAt > unwatchedEveryMs;
    if (isDue) this.#paidAt = Date.now();
    await this.#each(async (one) => {
      if (isDue || !one.isPaidFor) await one.poll();
    });
    if (isDue || !this.#bucketJournal) await this.#journal(false);
    this.#marks();
  }

  async refresh(id: string): Promise<void> {
    await this.#each((one) => one.refresh(id));
    await this.#journal(false);
    this.#marks();
  }

  async document({ archive, path }: StoredAt): Promise<Uint8Array | string> {
    return (await this.#archives[archive]?.read(path)) ?? 'is not there';
  }

  async #journal(isAll: boolean): Promise<void> {
    const { journal } = this.#world.sources;
    if (!journal) return;
    try {
      if (this.#bucketJournal) {
        for await (const lines of this.#bucketJournal.newLines(isAll)) this.#take(lines);
      } else if (journal.place.kind === 'folder') {
        for (const lines of newLines(journal.place.path, this.#offsets)) {
          this.#take(lines);
          await breathe();
          if (this.#isStopped) return;
        }
      }
    } catch (error) {
      if (isDiskFull(error)) throw error;
      // The relay makes it with its first line.
      if (!isGone(error)) this.#world.tell(journal.name, whyNot(error));
    }
  }

  #take(lines: readonly string[]): void {
    const { book, figures, writing, tell, sources } = this.#world;
    writing(() => {
      for (const text of lines) {
        if (text === '') continue;
        const line = readLine(text);
        if (!line) {
          tell(sources.journal?.name ?? '', 'a line is none of a journal; left alone');
        } else if (line.kind === 'stats') figures.take(line);
        else if (!book.isForgotten(line.id)) {
          const at = receivedAt(line);
          const facts = book.journal({ id: line.id, form: line.form, at }, text);
          // The lines of its retries tell it about and may come first.
          if (line.kind === 'submission' && book.columns.at[facts.row] !== at) {
            book.columns.at[facts.row] = at;
            book.columns.reorder();
          }
          figures.take(line, facts);
        }
      }
    });
  }

  #marks(): void {
    const { book, marks, tell, writing } = this.#world;
    for (const file of marks) {
      const modified = modifiedAt(file);
      if (modified === undefined || modified === this.#marksRead.get(file)) continue;
      this.#marksRead.set(file, modified);
      const all = readVerdicts(readFileSync(file, 'utf8'), (line) =>
        tell(`${file}:${line}`, 'is no verdict'),
      );
      writing(() => {
        for (const [id, { verdict, at }] of all) {
          const row = book.find(id);
          if (row !== undefined) book.setMark(row, verdict, at);
        }
      });
    }
  }
}

/** SQLite says so in words alone. */
export const isDiskFull = (error: unknown): boolean =>
  error instanceof Error &&
  /disk is full|disk full|ENOSPC|SQLITE|disk I\/O/i.test(`${error.name} ${error.message}`);
