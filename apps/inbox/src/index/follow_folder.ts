/** Follows an archive in a folder by the modification times of its day folders. */
import { join } from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';
import { folderOf } from '@form-relay/more-outputs/archive_layout';
import type { Entry } from '@form-relay/stored/archive/archive';
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
import type { Seen } from './sqlite.ts';

export interface Tools extends Intake {
  readonly done: (number: number) => void;
  readonly isStopped: () => boolean;
}

const batch = 200;
const dayMs = 86_400_000;
/** A folder changed less than this ago may change again within the same tick of its clock. */
const settledMs = 2_000;
/** The minimum time between sweeps through all days; slow sweeps wait a hundred times their own duration. */
const sweepEveryMs = 30_000;

export class FollowedFolder implements Followed {
  readonly isPaidFor = false;
  #sweptAt = 0;
  #sweepMs = 0;

  /** @param days Modification time of each day folder when it was read. */
  constructor(
    private readonly root: string,
    private readonly tools: Tools,
    private readonly days: Seen,
  ) {}

  count(): number {
    let count = 0;
    for (const folder of dayFolders(this.root, () => {}))
      if (!this.#isKnown(folder)) count += namesIn(join(this.root, folder)).length;
    return count;
  }

  #isKnown(folder: string): boolean {
    return this.days.get(folder) === modifiedAt(join(this.root, folder));
  }

  async read(path: string) {
    return readPlainly(join(this.root, path));
  }

  async catchUp(): Promise<void> {
    const start = Date.now();
    const there = new Set<string>();
    const known = this.days.names();
    for (const folder of dayFolders(this.root, this.tools.tell)) {
      there.add(folder);
      if (!this.#isKnown(folder)) await this.#readDay(folder);
      if (this.tools.isStopped()) return;
    }
    for (const folder of known) if (!there.has(folder)) await this.#readDay(folder);
    this.#sweptAt = Date.now();
    this.#sweepMs = this.#sweptAt - start;
  }

  async poll(): Promise<void> {
    if (Date.now() - this.#sweptAt > Math.max(sweepEveryMs, this.#sweepMs * 100)) return this.catchUp();
    const now = Date.now();
    for (const form of namesIn(this.root, true)) {
      if (!form.isDirectory() || form.name.startsWith('.')) continue;
      // Clocks differ slightly, and a submission is stored after it arrives.
      for (const at of [now - dayMs / 24, now + 60_000]) {
        const day = folderOf({ form: 'x', receivedAt: at }).slice(2);
        const folder = `${form.name}/${day}`;
        if (modifiedAt(join(this.root, folder)) !== undefined && !this.#isKnown(folder))
          await this.#readDay(folder);
      }
    }
  }

  async refresh(ids: readonly string[]): Promise<void> {
    const days = ids.flatMap((id) => {
      const known = this.tools.entries.known(id);
      return known ? [folderOf({ form: known.form, receivedAt: known.at })] : [];
    });
    for (const day of new Set(days)) await this.#readDay(day);
  }

  async #readDay(folder: string): Promise<void> {
    const { entries, archive, tell, done, isStopped } = this.tools;
    const modified = modifiedAt(join(this.root, folder));
    const isSettled = modified === undefined || Date.now() - modified > settledMs;
    let there: ReadonlyMap<string, Entry> = new Map();
    try {
      there = documentsIn(this.root, folder, tell);
    } catch (error) {
      if (!isGone(error)) return tell(folder, 'cannot be listed');
    }
    const known = new Set(entries.pathsIn(archive, folder));
    const added = [...there].filter(([path]) => !known.has(path));
    // An unreadable document may be half written. The next poll reads it again, and reports it if it still cannot be read.
    const reading = isSettled ? this.tools : { ...this.tools, tell: () => {} };
    for (let from = 0; from < added.length; from += batch) {
      const some = added.slice(from, from + batch);
      entries.write(() => {
        for (const [path, entry] of some) {
          const bytes = readPlainly(join(this.root, path));
          if (typeof bytes === 'string') reading.tell(path, bytes);
          else takeIn(reading, entry, bytes);
        }
      });
      done(some.length);
      await breathe();
      if (isStopped()) return;
    }
    const gone = [...known].filter((path) => !there.has(path));
    if (gone.length > 0) entries.write(() => gone.forEach((path) => void entries.unstore({ archive, path })));
    if (modified === undefined) this.days.delete(folder);
    else this.days.set(folder, isSettled ? modified : 0);
  }
}

/** An archive that the index reads and follows. */
export interface Followed {
  /** Whether each poll costs a paid request. */
  readonly isPaidFor: boolean;
  count?(): number;
  catchUp(): Promise<void>;
  poll(): Promise<void>;
  refresh(ids: readonly string[]): Promise<void>;
  read(path: string): Promise<Uint8Array | string>;
}
