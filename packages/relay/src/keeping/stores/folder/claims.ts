import { join } from 'node:path';
import { inTime } from '../../../base/in_time.ts';
import type { Claim } from '../../../base/kept.ts';
import type { BatchWriter } from './batch_writer.ts';
import { ClaimedFile } from './claimed_file.ts';
import { codeOf, type Disk, type DiskFile } from './disk.ts';
import { type Entry, type FileName, isOver, nameOf } from './file_format.ts';
import type { Files, Folders, Place } from './layout.ts';
import { type Marks, type ProcessFolder, removeFolder } from './process_folder.ts';

/** An entry of a file. */
export interface Claimed {
  readonly source: ClaimedFile;
  readonly number: number;
  readonly entry: Entry;
}

export interface Wanted {
  readonly most: number;
  readonly mostBytes: number;
}

interface ClaimsWorld {
  readonly root: string;
  readonly disk: Disk;
  readonly folders: Folders;
  readonly files: Files;
  readonly owner: ProcessFolder;
  readonly writer: BatchWriter;
  readonly inUse: Marks;
  readonly now: () => number;
  readonly uptime: () => number;
}

/** While nothing is due, it is looked for as often. */
const lookMs = 1_000;

/** A due time this far ahead, of an entry kept more than a day from now, comes from a wrong clock. */
const farMs = 2 * 86_400_000;

/** Surplus entries of a claimed file go back if nobody asks for them for this long. */
const heldMs = 2_000;

/** The claims of this process. */
export class Claims {
  readonly #world: ClaimsWorld;
  readonly #claimedFiles = new Map<string, ClaimedFile>();
  /** Claimed together with others, and not yet asked for. */
  #held: Claimed[] = [];
  #looking: AsyncGenerator<Place> | undefined;
  #letGoLater: NodeJS.Timeout | undefined;
  #isEnding = false;
  #wake: () => void = () => {};

  constructor(world: ClaimsWorld) {
    this.#world = world;
  }

  /** All of a file's entries; none where somebody else has it. */
  async file({ path, name }: Place): Promise<readonly Claimed[]> {
    const own = { name, path: join(await this.#world.owner.folder(), nameOf(name)) };
    this.#world.inUse.add(name.mark);
    try {
      await this.#world.disk.rename(path, own.path);
    } catch (error) {
      this.#world.inUse.remove(name.mark);
      if (codeOf(error) !== 'ENOENT') throw error;
      // Then it is the own folder that is gone.
      if (await this.#world.disk.isThere(path)) this.#world.folders.forget();
      return [];
    }
    try {
      return await this.#readClaimed(own);
    } catch (error) {
      // It goes back with the next beat.
      this.#world.inUse.remove(name.mark);
      throw error;
    }
  }

  /** A file that is in this process's folder already. */
  source(name: FileName, numbers: Iterable<number>, file: DiskFile | undefined): ClaimedFile {
    // All that was written together is in one.
    return this.#claimedFiles.get(name.mark) ?? this.#newClaimedFile(name, numbers, file);
  }

  /** Claims some that are due, as `Store.claim`. One call at a time. */
  async due(wanted: Wanted, waitMs: number, stop?: AbortSignal): Promise<readonly Claim[]> {
    const stopped = () => this.#wake();
    stop?.addEventListener('abort', stopped);
    try {
      return await this.#due(
        wanted,
        this.#world.uptime() + waitMs,
        () => this.#isEnding || stop?.aborted === true,
      );
    } finally {
      stop?.removeEventListener('abort', stopped);
    }
  }

  /** How many of a file's entries are not settled; `undefined`: it is none of this process's. */
  left(mark: string): number | undefined {
    return this.#claimedFiles.get(mark)?.left();
  }

  /** Something is due that was not before. */
  wake(): void {
    this.#wake();
  }

  /** Nobody claims any more. */
  end(): void {
    this.#isEnding = true;
    clearTimeout(this.#letGoLater);
    this.#wake();
  }

  async giveBack(): Promise<void> {
    this.#held = [];
    await this.#looking?.return(undefined);
    await Promise.all([...this.#claimedFiles.values()].map((one) => one.giveBack()));
  }

  async #due(wanted: Wanted, until: number, isOver: () => boolean): Promise<readonly Claim[]> {
    clearTimeout(this.#letGoLater);
    while (!isOver()) {
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      await this.#hold(wanted);
      const claims = this.#held
        .splice(0, this.#howMany(wanted))
        .map(({ source, number, entry }) => source.claim(number, entry));
      const leftMs = until - this.#world.uptime();
      if (claims.length > 0 || leftMs <= 0) {
        if (this.#held.length > 0) this.#letGoLater = setTimeout(() => void this.#letGo(), heldMs).unref();
        return claims;
      }
      await inTime(Math.min(leftMs, lookMs), woken, () => {});
    }
    return [];
  }

  /** How many of those that are held. */
  #howMany({ most, mostBytes }: Wanted): number {
    let bytes = 0;
    const over = this.#held.findIndex(({ entry }, at) => {
      bytes += entry.kept.content.length;
      return at === most || (at > 0 && bytes > mostBytes);
    });
    return over < 0 ? this.#held.length : over;
  }

  #heldBytes(): number {
    return this.#held.reduce((bytes, { entry }) => bytes + entry.kept.content.length, 0);
  }

  /** Until enough are held, or no more are due. Where it stopped, it goes on. */
  async #hold(wanted: Wanted): Promise<void> {
    let isFromStart = false;
    let problem: unknown;
    while (this.#held.length < wanted.most && this.#heldBytes() < wanted.mostBytes && !this.#isEnding) {
      if (!this.#looking) {
        if (isFromStart) break;
        isFromStart = true;
        await this.#world.folders.check();
        this.#looking = this.#dueFiles();
      }
      const place = await this.#nextDue(this.#looking);
      if (!place) {
        this.#looking = undefined;
        continue;
      }
      try {
        this.#held.push(...(await this.file(place)));
      } catch (error) {
        // It may be this file alone.
        problem ??= error;
      }
    }
    if (problem && this.#held.length === 0) throw problem;
  }

  async #nextDue(places: AsyncGenerator<Place>): Promise<Place | undefined> {
    try {
      const next = await places.next();
      return next.done ? undefined : next.value;
    } catch (error) {
      this.#looking = undefined;
      throw error;
    }
  }

  /** Minute by minute. */
  async *#dueFiles(): AsyncGenerator<Place> {
    for (const { folder, start } of await this.#world.files.minutes()) {
      if (start > this.#world.now() && start < this.#world.now() + farMs) continue;
      let isEmpty = true;
      for await (const place of this.#world.files.in(folder)) {
        if (this.#isDue(place.name)) yield place;
        else isEmpty = false;
      }
      if (isEmpty && isOver(start, this.#world.now())) await this.#tidyUp(join(this.#world.root, folder));
    }
  }

  /** What was kept while the clock was far ahead does not wait until then. */
  #isDue({ status, keptAt }: FileName): boolean {
    if (typeof status !== 'number') return false;
    return (
      status <= this.#world.now() ||
      (status > this.#world.now() + farMs && keptAt > this.#world.now() + farMs / 2)
    );
  }

  async #tidyUp(path: string): Promise<void> {
    try {
      await removeFolder(this.#world.disk, path);
      this.#world.folders.forget();
    } catch {
      // Somebody has put something into it, or has removed it.
    }
  }

  async #readClaimed(own: Place): Promise<readonly Claimed[]> {
    const opened = await this.#world.files.open(own);
    if (!opened) {
      // Where all of the store is away, it comes back, and this goes back with the next beat.
      this.#world.inUse.remove(own.name.mark);
      return [];
    }
    const one = this.#newClaimedFile(own.name, opened.entries.keys(), opened.file);
    // All is settled: a process died before it could remove it.
    if (opened.entries.size === 0) await one.giveBack();
    return [...opened.entries].map(([number, entry]) => ({ source: one, number, entry }));
  }

  #newClaimedFile(name: FileName, numbers: Iterable<number>, file: DiskFile | undefined): ClaimedFile {
    const { mark } = name;
    const gone = () => {
      if (this.#claimedFiles.get(mark) === one) this.#claimedFiles.delete(mark);
      this.#world.inUse.remove(mark);
    };
    const one = new ClaimedFile(name, numbers, file, { ...this.#world, gone });
    this.#claimedFiles.set(mark, one);
    return one;
  }

  /** Nobody has asked for them for a while: another process may. */
  async #letGo(): Promise<void> {
    const free = this.#held;
    this.#held = [];
    const some = new Set(free.map((one) => one.source));
    // What fails is put back when the process ends.
    const letGo = (source: ClaimedFile) =>
      source.letGo(free.filter((one) => one.source === source)).catch(() => {});
    await Promise.all([...some].map(letGo));
  }
}
