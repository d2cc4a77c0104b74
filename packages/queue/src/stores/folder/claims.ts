import { join } from 'node:path';
import { withTimeout } from '@form-relay/core/kit';
import type { Lease } from '../../store.ts';
import { ClaimedFile, type ClaimingParts } from './claimed_file.ts';
import { codeOf, type DiskFile } from './disk.ts';
import { type Entry, type FileName, isOver, nameOf } from './file_format.ts';
import type { Place } from './layout.ts';
import { removeFolder } from './process_folder.ts';

export interface Claimed {
  readonly source: ClaimedFile;
  readonly number: number;
  readonly entry: Entry;
}

interface Wanted {
  readonly most: number;
  readonly mostBytes: number;
}

/** How often to look for due files while there are none. */
const lookMs = 1_000;

/** A due time this far ahead, of an entry kept more than a day from now, comes from a wrong clock. */
const farMs = 2 * 86_400_000;

/** Surplus entries of a claimed file go back if nobody asks for them for this long. */
const heldMs = 2_000;

export class Claims {
  readonly #claimedFiles = new Map<string, ClaimedFile>();
  /** Entries that were claimed with others of their file, and not asked for yet. */
  #held: Claimed[] = [];
  #looking: AsyncGenerator<Place, undefined> | undefined;
  #letGoLater: NodeJS.Timeout | undefined;
  #isEnding = false;
  /** Looks for due files now. */
  wake: () => void = () => {};

  constructor(private readonly world: ClaimingParts) {}

  /** Claims all of a file's entries; none if another process has the file. */
  async file({ path, name }: Place): Promise<readonly Claimed[]> {
    const { disk, folders, inUse, owner } = this.world;
    const own = { name, path: join(await owner.folder(), nameOf(name)) };
    inUse.add(name.mark);
    try {
      await disk.rename(path, own.path);
    } catch (error) {
      inUse.remove(name.mark);
      if (codeOf(error) !== 'ENOENT') throw error;
      // This process's own folder is gone.
      if (await disk.isThere(path)) folders.forget();
      return [];
    }
    try {
      return await this.#readClaimed(own);
    } catch (error) {
      // The file goes back with the next beat.
      inUse.remove(name.mark);
      throw error;
    }
  }

  /** A file that this process has written into its own folder, once for all of its entries. */
  source(name: FileName, numbers: Iterable<number>, file: DiskFile | undefined): ClaimedFile {
    return this.#claimedFiles.get(name.mark) ?? this.#newClaimedFile(name, numbers, file);
  }

  /** Claims some that are due, as `Store.claim`. One call at a time. */
  async due(wanted: Wanted, waitMs: number, stop?: AbortSignal): Promise<readonly Lease[]> {
    const wake = () => this.wake();
    stop?.addEventListener('abort', wake);
    try {
      return await this.#due(wanted, this.world.uptime() + waitMs, stop);
    } finally {
      stop?.removeEventListener('abort', wake);
    }
  }

  /** How many of a file's entries are not settled; `undefined` if this process doesn't have the file. */
  left(mark: string): number | undefined {
    return this.#claimedFiles.get(mark)?.left();
  }

  end(): void {
    this.#isEnding = true;
    clearTimeout(this.#letGoLater);
    this.wake();
  }

  async giveBack(): Promise<void> {
    this.#held = [];
    await this.#looking?.return(undefined);
    await Promise.all([...this.#claimedFiles.values()].map((one) => one.giveBack()));
  }

  async #due(wanted: Wanted, until: number, stop?: AbortSignal): Promise<readonly Lease[]> {
    clearTimeout(this.#letGoLater);
    while (!this.#isEnding && !stop?.aborted) {
      const woken = new Promise<void>((resolve) => {
        this.wake = resolve;
      });
      await this.#hold(wanted);
      const claims = this.#held
        .splice(0, this.#howMany(wanted))
        .map(({ source, number, entry }) => source.claim(number, entry));
      const leftMs = until - this.world.uptime();
      if (claims.length > 0 || leftMs <= 0) {
        if (this.#held.length > 0) this.#letGoLater = setTimeout(() => void this.#letGo(), heldMs).unref();
        return claims;
      }
      await withTimeout(Math.min(leftMs, lookMs), woken, () => {});
    }
    return [];
  }

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

  /** Claims files until enough entries are held or no more are due. Each call goes on where the last one stopped. */
  async #hold(wanted: Wanted): Promise<void> {
    let isFromStart = false;
    let problem: unknown;
    while (this.#held.length < wanted.most && this.#heldBytes() < wanted.mostBytes && !this.#isEnding) {
      let looking = this.#looking;
      if (!looking) {
        if (isFromStart) break;
        isFromStart = true;
        await this.world.folders.check();
        looking = this.#dueFiles();
      }
      // If it ends or fails, the next look is from the start.
      this.#looking = undefined;
      const { value: place } = await looking.next();
      if (!place) continue;
      this.#looking = looking;
      try {
        this.#held.push(...(await this.file(place)));
      } catch (error) {
        // Other files may be fine.
        problem ??= error;
      }
    }
    if (problem && this.#held.length === 0) throw problem;
  }

  /** Minute by minute. */
  async *#dueFiles(): AsyncGenerator<Place, undefined> {
    const { root, files, now } = this.world;
    for (const { folder, start } of await files.minutes()) {
      if (start > now() && start < now() + farMs) continue;
      let isEmpty = true;
      for await (const place of files.in(folder)) {
        if (isDue(place.name, now())) yield place;
        else isEmpty = false;
      }
      if (isEmpty && isOver(start, now())) await this.#tidyUp(join(root, folder));
    }
  }

  async #tidyUp(path: string): Promise<void> {
    try {
      await removeFolder(this.world.disk, path);
      this.world.folders.forget();
    } catch {
      // Another process has put a file into it, or has removed it.
    }
  }

  async #readClaimed(own: Place): Promise<readonly Claimed[]> {
    const opened = await this.world.files.open(own);
    if (!opened) {
      // If the whole store is away, the file goes back with the next beat after its return.
      this.world.inUse.remove(own.name.mark);
      return [];
    }
    const one = this.#newClaimedFile(own.name, opened.entries.keys(), opened.file);
    // All entries are settled: a process died before it could remove the file.
    if (opened.entries.size === 0) await one.giveBack();
    return [...opened.entries].map(([number, entry]) => ({ source: one, number, entry }));
  }

  #newClaimedFile(name: FileName, numbers: Iterable<number>, file: DiskFile | undefined): ClaimedFile {
    const { mark } = name;
    const gone = () => {
      if (this.#claimedFiles.get(mark) === one) this.#claimedFiles.delete(mark);
      this.world.inUse.remove(mark);
    };
    const one = new ClaimedFile(name, numbers, file, this.world, gone);
    this.#claimedFiles.set(mark, one);
    return one;
  }

  /** Returns entries that were not asked for, so that another process can claim them. */
  async #letGo(): Promise<void> {
    const free = this.#held;
    this.#held = [];
    const sources = new Set(free.map((one) => one.source));
    // Failures don't matter: the file is put back when the process ends.
    const letGo = (source: ClaimedFile) =>
      source.letGo(free.filter((one) => one.source === source)).catch(() => {});
    await Promise.all([...sources].map(letGo));
  }
}

/** Entries kept while the clock was far ahead must not wait for that time. */
function isDue({ status, keptAt }: FileName, now: number): boolean {
  if (typeof status !== 'number') return false;
  return status <= now || (status > now + farMs && keptAt > now + farMs / 2);
}
