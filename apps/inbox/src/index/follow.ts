import { readFileSync } from 'node:fs';
import { folderOf } from '@form-relay/more-outputs/archive_layout';
import { documentPath, type Entry, entryAt, entryOfFolder } from '@form-relay/stored/archive/archive';
import { type ListKeys, listInBucket, openBucket } from '@form-relay/stored/archive/in_bucket';
import { isSweepFile } from '@form-relay/stored/archive/in_folder';
import { isBucket } from '@form-relay/stored/archive/open';
import { readVerdicts } from '@form-relay/stored/marks/verdicts';
import type { TypedField } from '../correspondent.ts';
import type { Sources, StoredAt } from '../entry_index.ts';
import type { Entries } from './entries.ts';
import { type Followed, FollowedFolder, type Tools } from './follow_folder.ts';
import { isGone, modifiedAt, mostDocumentBytes, takeIn, whyNot } from './reader.ts';
import { Seen } from './sqlite.ts';

const mostLatest = 20;
const mostKnown = 20_000;

/** Unreadable files and places, each reported once. */
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

interface FollowContext {
  readonly entries: Entries;
  readonly sources: Sources;
  readonly marks: readonly string[];
  readonly forms: ReadonlyMap<string, readonly TypedField[]>;
  readonly tell: (place: string, what: string) => void;
  readonly progress: (progress: { done: number; of?: number } | undefined) => void;
}

const unwatchedEveryMs = 60_000;

/** Reads all places, then rereads what may have changed. */
export class Follower {
  isDone = false;
  readonly #archives: readonly Followed[];
  readonly #marksRead = new Map<string, number>();
  #isStopped = false;
  #paidAt = 0;
  #of: number | undefined;
  #done = 0;

  constructor(private readonly context: FollowContext) {
    const { sources, entries } = context;
    const isStopped = () => this.#isStopped;
    this.#archives = sources.archives.map(({ place, name }, archive) => {
      const tools: Tools = {
        ...{ entries, archive, isStopped, fields: context.forms },
        tell: (path, what) => context.tell(`${name}/${path}`, what),
        done: (number) => this.#progress(number),
      };
      return isBucket(place)
        ? new FollowedBucket(place, tools)
        : new FollowedFolder(place, tools, new Seen(entries.db, `archive ${archive}`));
    });
  }

  stop(): void {
    this.#isStopped = true;
  }

  #progress(number: number): void {
    this.#done += number;
    if (!this.isDone) this.context.progress({ done: this.#done, of: this.#of });
  }

  /** Runs for each archive. If an archive cannot be read, reports it and keeps its entries. */
  async #each(work: (one: Followed) => Promise<void>): Promise<void> {
    for (const [nth, one] of this.#archives.entries()) {
      try {
        await work(one);
      } catch (error) {
        const { isDropped, name = '' } = this.context.sources.archives[nth] ?? {};
        // `.dropped` does not exist before the first rejection.
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

  /** @param isWatched Whether a page is open; otherwise buckets are polled once a minute. */
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
    return (await this.#archives[archive]?.read(path)) ?? 'does not exist';
  }

  #marks(): void {
    const { entries, marks, tell } = this.context;
    for (const file of marks) {
      const modified = modifiedAt(file);
      if (modified === undefined || modified === this.#marksRead.get(file)) continue;
      const all = readVerdicts(readFileSync(file, 'utf8'), (line) =>
        tell(`${file}:${line}`, 'is not a verdict'),
      );
      entries.write(() => {
        for (const [id, { verdict, at }] of all) entries.setMark(id, verdict, at);
      });
      this.#marksRead.set(file, modified);
    }
  }
}

/** SQLite gives the reason only in its message. */
const isDiskFull = (error: unknown): boolean =>
  error instanceof Error &&
  /disk is full|disk full|ENOSPC|SQLITE|disk I\/O/i.test(`${error.name} ${error.message}`);

const readAtOnce = 16;
const listEveryMs = 15 * 60_000;
/** An object may be written this much later than the time in its name. */
const slackMs = 2 * 60_000;
const mostFormsAtOnce = 10;

/**
 * Follows an archive in a bucket: lists everything every 15 minutes and, between, only the new objects of
 * each form, at most ten requests a second.
 */
class FollowedBucket implements Followed {
  readonly isPaidFor = true;
  readonly #list: ListKeys;
  readonly #bucket: ReturnType<typeof openBucket>;
  #listedAt = 0;
  readonly #polledAt = new Map<string, number>();
  #turn = 0;

  constructor(
    url: string,
    private readonly tools: Tools,
  ) {
    this.#bucket = openBucket(url);
    this.#list = listInBucket(this.#bucket.reader, this.#bucket.prefix);
  }

  async read(path: string): Promise<Uint8Array | string> {
    const { reader, prefix } = this.#bucket;
    const read = await reader.read(prefix + path, mostDocumentBytes);
    return read.ok ? read.value : read.error;
  }

  async catchUp(): Promise<void> {
    const { entries, archive, isStopped } = this.tools;
    const startedAt = Date.now();
    const listing = entries.listing(archive);
    for await (const { keys } of this.#list('', '')) {
      await this.#takeAll(keys, listing.see);
      if (isStopped()) return;
    }
    const gone = listing.unseen();
    if (gone.length > 0) entries.write(() => gone.forEach((path) => void entries.unstore({ archive, path })));
    this.#listedAt = startedAt;
    this.#polledAt.clear();
  }

  async poll(): Promise<void> {
    if (Date.now() - this.#listedAt > listEveryMs) return this.catchUp();
    const { fields, entries } = this.tools;
    const forms = [...new Set([...fields.keys(), ...entries.forms()])];
    for (let nth = 0; nth < Math.min(forms.length, mostFormsAtOnce); nth += 1) {
      const form = forms[this.#turn++ % forms.length] as string;
      const since = (this.#polledAt.get(form) ?? this.#listedAt) - slackMs;
      const polledAt = Date.now();
      const folder = folderOf({ form, receivedAt: since });
      const after = `${folder}/${new Date(since).toISOString().replaceAll(/[-:.]/g, '')}`;
      for await (const { keys } of this.#list(`${folder.split('/', 1)[0]}/`, after))
        await this.#takeAll(keys);
      this.#polledAt.set(form, polledAt);
    }
  }

  async refresh(ids: readonly string[]): Promise<void> {
    for (const id of ids) await this.#refresh(id);
  }

  async #refresh(id: string): Promise<void> {
    const { entries, archive } = this.tools;
    const entry = entries.get(id);
    if (!entry) return;
    const { receivedAt } = entry;
    const folder = folderOf(entry);
    const stem = new Date(receivedAt).toISOString().replaceAll(/[-:.]/g, '');
    const there: string[] = [];
    for await (const { keys } of this.#list(`${folder}/${stem}`, '')) there.push(...keys);
    const gone = entry.stored.filter((one) => one.archive === archive && !there.includes(one.path));
    if (gone.length > 0) entries.write(() => gone.forEach((one) => void entries.unstore(one)));
    await this.#takeAll(there);
  }

  async #takeAll(keys: readonly string[], seen: (row: number) => void = () => {}): Promise<void> {
    const { entries, archive, tell, done, isStopped } = this.tools;
    const added: Entry[] = [];
    for (const key of keys) {
      if (key.startsWith('.dropped/') || isSweepFile(key)) continue;
      const entry = entryAt(key);
      if (!entry) {
        if (!entryOfFolder(key.slice(0, key.lastIndexOf('/'))))
          tell(key, 'is not part of an archive; ignored');
        continue;
      }
      const row = entries.rowAt({ archive, path: key });
      if (row !== undefined) seen(row);
      else added.push(entry);
    }
    for (let from = 0; from < added.length && !isStopped(); from += readAtOnce * 4) {
      const some = added.slice(from, from + readAtOnce * 4);
      const read = await inTurns(some, (entry) => this.read(documentPath(entry)));
      entries.write(() => {
        for (const [index, entry] of some.entries()) {
          const bytes = read[index] ?? 'is gone';
          if (typeof bytes === 'string') tell(documentPath(entry), bytes);
          else takeIn(this.tools, entry, bytes);
          const row = entries.find(entry.id);
          if (row !== undefined) seen(row);
        }
      });
      done(some.length);
    }
  }
}

async function inTurns<T, U>(items: readonly T[], work: (item: T) => Promise<U>): Promise<readonly U[]> {
  const results: U[] = [];
  let next = 0;
  const turn = async () => {
    for (let nth = next++; nth < items.length; nth = next++) results[nth] = await work(items[nth] as T);
  };
  await Promise.all(Array.from({ length: readAtOnce }, turn));
  return results;
}
