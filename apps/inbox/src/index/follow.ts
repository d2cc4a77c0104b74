import { readFileSync } from 'node:fs';
import { isBucket } from '@form-relay/stored/archive/open';
import { readVerdicts } from '@form-relay/stored/marks/verdicts';
import type { TypedField } from '../correspondent.ts';
import type { Sources, StoredAt } from '../entry_index.ts';
import type { Entries } from './entries.ts';
import { FollowedBucket } from './follow_bucket.ts';
import { type Followed, FollowedFolder } from './follow_folder.ts';
import { type Intake, isGone, modifiedAt, whyNot } from './reader.ts';
import { Seen } from './sqlite.ts';

const mostLatest = 20;
const mostKnown = 20_000;

/** Files and places that could not be read, each reported once. */
export class Troubles {
  readonly latest: string[] = [];
  count = 0;
  readonly #known = new Set<string>();

  add(place: string, what: string): void {
    const words = `${place}: ${what}`;
    if (this.#known.has(words)) return;
    if (this.#known.size < mostKnown) this.#known.add(words);
    this.count += 1;
    this.latest.unshift(words);
    this.latest.length = Math.min(this.latest.length, mostLatest);
  }
}

/** Reads all places, and again what may have changed in them. */

interface FollowContext {
  readonly entries: Entries;
  readonly sources: Sources;
  readonly marks: readonly string[];
  readonly forms: ReadonlyMap<string, readonly TypedField[]>;
  readonly tell: (place: string, what: string) => void;
  /** Runs it in a transaction. */
  readonly writing: (work: () => void) => void;
  readonly progress: (progress: { done: number; of?: number } | undefined) => void;
}

const unwatchedEveryMs = 60_000;

export class Follower {
  isDone = false;
  readonly #archives: readonly Followed[];
  readonly #marksRead = new Map<string, number>();
  #isStopped = false;
  #paidAt = 0;
  #done = 0;

  constructor(private readonly context: FollowContext) {
    const { sources, entries } = context;
    const isStopped = () => this.#isStopped;
    this.#archives = sources.archives.map(({ place, name }, archive) => {
      const tell = (path: string, what: string) => context.tell(`${name}/${path}`, what);
      const intake: Intake = { entries, archive, tell, fields: context.forms };
      const tools = {
        intake,
        writing: context.writing,
        done: (number: number) => this.#tell(number),
        isStopped,
      };
      return isBucket(place)
        ? new FollowedBucket(place, tools, [...context.forms.keys()])
        : new FollowedFolder(place, tools, new Seen(entries.db, `archive ${archive}`));
    });
  }

  stop(): void {
    this.#isStopped = true;
  }

  #of: number | undefined;

  #tell(number: number): void {
    this.#done += number;
    if (!this.isDone) this.context.progress({ done: this.#done, of: this.#of });
  }

  /** Runs for each archive; an unreadable one is reported, and stays as it was. */
  async #each(work: (one: Followed) => Promise<void>): Promise<void> {
    for (const [nth, one] of this.#archives.entries()) {
      try {
        await work(one);
      } catch (error) {
        const { isDropped, name = '' } = this.context.sources.archives[nth] ?? {};
        // Nothing was turned away yet.
        if (!isDropped || !isGone(error)) this.context.tell(name, whyNot(error));
        if (isDiskFull(error)) throw error;
      }
    }
  }

  async catchUp(): Promise<void> {
    let of: number | undefined = 0;
    await this.#each(async (one) => {
      of = one.count && of !== undefined ? of + one.count() : undefined;
    });
    this.#of = of;
    await this.#each((one) => one.catchUp());
    this.#marks();
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
    this.#marks();
  }

  async refresh(ids: readonly string[]): Promise<void> {
    await this.#each((one) => one.refresh(ids));
    this.#marks();
  }

  async document({ archive, path }: StoredAt): Promise<Uint8Array | string> {
    return (await this.#archives[archive]?.read(path)) ?? 'is not there';
  }

  #marks(): void {
    const { entries, marks, tell, writing } = this.context;
    for (const file of marks) {
      const modified = modifiedAt(file);
      if (modified === undefined || modified === this.#marksRead.get(file)) continue;
      const all = readVerdicts(readFileSync(file, 'utf8'), (line) =>
        tell(`${file}:${line}`, 'is not a verdict'),
      );
      writing(() => {
        for (const [id, { verdict, at }] of all) entries.setMark(id, verdict, at);
      });
      this.#marksRead.set(file, modified);
    }
  }
}

/** SQLite states the reason only in its message. */
const isDiskFull = (error: unknown): boolean =>
  error instanceof Error &&
  /disk is full|disk full|ENOSPC|SQLITE|disk I\/O/i.test(`${error.name} ${error.message}`);
