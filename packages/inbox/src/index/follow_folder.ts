/** An archive in a folder, followed by the times of its days' folders. */
import { join } from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';
import { folderOf } from '@form-relay/relay/transports';
import type { Entry } from '@form-relay/stored/archive/archive';
import { entryAt } from '@form-relay/stored/archive/place';
import { flag } from './columns.ts';
import type { Followed } from './followed.ts';
import {
  dayFolders,
  documentsIn,
  type Intake,
  isGone,
  modifiedAt,
  namesIn,
  readPlainly,
  takeIn,
} from './reader.ts';

export interface Tools {
  readonly intake: Intake;
  readonly writing: (work: () => void) => void;
  readonly done: (number: number) => void;
  readonly isStopped: () => boolean;
}

const batch = 200;
const dayMs = 86_400_000;
/** A folder changed so short a time ago may change again in the same tick of its clock. */
const settledMs = 2_000;
/** Between sweeps through all days passes a hundred times what one took, or more. */
const sweepEveryMs = 30_000;
const mostNames = 8;

export class FollowedFolder implements Followed {
  readonly isPaidFor = false;
  readonly #root: string;
  readonly #tools: Tools;
  readonly #days: Map<string, number>;
  /** The documents of the days that changed last, which stay in memory. */
  readonly #names = new Map<string, Set<string>>();
  #sweptAt = 0;
  #sweepMs = 0;

  /** @param days As they were read; changed. */
  constructor(root: string, tools: Tools, days: Map<string, number>) {
    this.#root = root;
    this.#tools = tools;
    this.#days = days;
  }

  count(): number {
    let count = 0;
    for (const folder of dayFolders(this.#root, () => {}))
      if (!this.#isKnown(folder)) count += namesIn(join(this.#root, folder)).length;
    return count;
  }

  #isKnown(folder: string): boolean {
    return this.#days.get(folder) === modifiedAt(join(this.#root, folder));
  }

  async read(path: string) {
    return readPlainly(join(this.#root, path));
  }

  async catchUp(): Promise<void> {
    const start = Date.now();
    const there = new Set<string>();
    const known = [...this.#days.keys()];
    for (const folder of dayFolders(this.#root, this.#tools.intake.tell)) {
      there.add(folder);
      if (!this.#isKnown(folder)) await this.#readDay(folder);
      if (this.#tools.isStopped()) return;
    }
    for (const folder of known) if (!there.has(folder)) await this.#readDay(folder);
    this.#sweptAt = Date.now();
    this.#sweepMs = this.#sweptAt - start;
  }

  async poll(): Promise<void> {
    if (Date.now() - this.#sweptAt > Math.max(sweepEveryMs, this.#sweepMs * 100)) return this.catchUp();
    const now = Date.now();
    for (const form of namesIn(this.#root, true)) {
      if (!form.isDirectory() || form.name.startsWith('.')) continue;
      // Clocks differ a little, and a submission is stored after it came in.
      for (const at of [now - dayMs / 24, now + 60_000]) {
        const day = folderOf({ form: 'x', receivedAt: at }).slice(2);
        const folder = `${form.name}/${day}`;
        if (modifiedAt(join(this.#root, folder)) !== undefined && !this.#isKnown(folder))
          await this.#readDay(folder);
      }
    }
  }

  async refresh(id: string): Promise<void> {
    const { book } = this.#tools.intake;
    const row = book.find(id);
    if (row === undefined) return;
    const place = {
      form: book.forms[book.columns.form[row] as number] ?? '',
      receivedAt: book.columns.at[row] as number,
    };
    await this.#readDay(folderOf(place));
  }

  async #readDay(folder: string): Promise<void> {
    const { intake, writing, done, isStopped } = this.#tools;
    const modified = modifiedAt(join(this.#root, folder));
    const isSettled = modified === undefined || Date.now() - modified > settledMs;
    let there: ReadonlyMap<string, Entry> = new Map();
    try {
      there = documentsIn(this.#root, folder, intake.tell);
    } catch (error) {
      if (!isGone(error)) return intake.tell(folder, 'cannot be listed');
    }
    const isNew = !this.#days.has(folder);
    const known = this.#names.get(folder) ?? (isNew ? new Set<string>() : this.#indexed(folder));
    const added = [...there].filter(([path]) => !known.has(path));
    /** Unreadable documents that may be half written. The next poll reads them again, and reports those that stay so. */
    const unread = new Set<string>();
    const reading = isSettled ? intake : { ...intake, tell: (path: string) => void unread.add(path) };
    for (let from = 0; from < added.length; from += batch) {
      const some = added.slice(from, from + batch);
      writing(() => {
        for (const [path, entry] of some) {
          const bytes = readPlainly(join(this.#root, path));
          if (typeof bytes === 'string') reading.tell(path, bytes);
          else takeIn(reading, entry, bytes);
        }
      });
      done(some.length);
      await breathe();
      if (isStopped()) return;
    }
    const gone = [...known].filter((path) => !there.has(path));
    if (gone.length > 0) {
      writing(() => {
        for (const path of gone) {
          const row = intake.book.find(entryAt(path)?.id ?? '');
          if (row !== undefined) intake.book.unstore(row, intake.archive, path);
        }
      });
    }
    if (modified === undefined) {
      this.#days.delete(folder);
      this.#names.delete(folder);
      return;
    }
    this.#days.set(folder, isSettled ? modified : 0);
    this.#names.delete(folder);
    if (!isSettled || !isNew)
      this.#names.set(folder, new Set([...there.keys()].filter((path) => !unread.has(path))));
    const [oldest] = this.#names.keys();
    if (this.#names.size > mostNames && oldest !== undefined) this.#names.delete(oldest);
  }

  /** The documents of a day as the index has them. */
  #indexed(folder: string): Set<string> {
    const { book, archive } = this.#tools.intake;
    const { columns } = book;
    const [form = '', ...day] = folder.split('/');
    const from = Date.parse(`${day.join('-')}T00:00:00Z`);
    const paths = new Set<string>();
    for (let row = 0; row < columns.count; row += 1) {
      const at = columns.at[row] as number;
      if (!(at >= from && at < from + dayMs) || ((columns.flags[row] as number) & flag.dead) !== 0) continue;
      for (const one of book.entry(row, false)?.stored ?? [])
        if (one.archive === archive && one.path.startsWith(`${form}/`) && one.path.startsWith(`${folder}/`))
          paths.add(one.path);
    }
    return paths;
  }
}
