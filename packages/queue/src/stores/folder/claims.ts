import { join } from 'node:path';
import { withTimeout } from '@form-relay/core/kit';
import type { Lease } from '../../store.ts';
import { ClaimedFile, type ClaimingParts } from './claimed_file.ts';
import { codeOf, type DiskFile } from './disk.ts';
import {
  type Entry,
  encodeForm,
  type FileName,
  folderFor,
  isOver,
  nameOf,
  type Status,
  write,
} from './file_format.ts';
import type { OpenedFile, Place } from './layout.ts';
import { type ProcessFolder, removeFolder, type StoreParts, temporaryNameOf } from './process_folder.ts';

interface Wanted {
  readonly most: number;
  readonly mostBytes: number;
}

/** How often to look for due files while there are none. */
const lookMs = 1_000;

/** A due time this far ahead, of an entry kept more than a day from now, comes from a wrong clock. */
const farMs = 2 * 86_400_000;

/** Writes entries, each into a file of its own, and claims them. */
export class Claims {
  /** How many files it has written. */
  written = 0;
  readonly #claimed = new Set<ClaimedFile>();
  readonly #writing = new Set<Promise<unknown>>();
  readonly #parts: ClaimingParts;
  #looking: AsyncGenerator<Place, undefined> | undefined;
  #isEnding = false;
  /** Looks for due files now. */
  wake: () => void = () => {};

  constructor(
    private readonly world: StoreParts,
    private readonly owner: ProcessFolder,
  ) {
    this.#parts = { ...world, owner, write: (entry, status) => this.write(entry, status) };
  }

  /** Resolves when the entry is on the disk. @param late Nothing appears any more once it is aborted. */
  write(entry: Entry, status: Status, late?: AbortSignal): Promise<undefined> {
    return this.#noted(async () => {
      const target = () => this.world.folders.made(folderFor(status, this.world.now()));
      const file = await this.#writeInto(target, this.#nameFor(entry, status), entry, late);
      await file.close();
      return undefined;
    });
  }

  /** Writes it into this process's own folder, which claims it. */
  writeMine(entry: Entry, status: Status, late?: AbortSignal): Promise<ClaimedFile> {
    return this.#noted(async () => {
      const { inUse } = this.world;
      const name = this.#nameFor(entry, status);
      inUse.add(name.mark);
      try {
        return this.#add(name, entry, await this.#writeInto(() => this.owner.folder(), name, entry, late));
      } catch (error) {
        inUse.remove(name.mark);
        throw error;
      }
    });
  }

  /** Whether this process wrote that file when it had already written `than` files. */
  isLater({ mark }: FileName, than: number): boolean {
    const { id } = this.owner;
    return mark.startsWith(id) && Number.parseInt(mark.slice(id.length), 16) > than;
  }

  /** Claims a file; none of its entries if another process has it. */
  async claim({ path, name }: Place): Promise<readonly ClaimedFile[]> {
    const { disk, files, folders, inUse } = this.world;
    const own = { name, path: join(await this.owner.folder(), nameOf(name)) };
    inUse.add(name.mark);
    let isKnown = false;
    try {
      await disk.rename(path, own.path);
      const opened = await files.open(own);
      // If the whole store is away, the file goes back with the next beat after its return.
      if (!opened) return [];
      const [first] = opened.entries.values();
      isKnown = first !== undefined && (!opened.file || name.total === 1);
      return first && isKnown ? [this.#add(name, first, opened.file)] : await this.#split(own, opened);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
      // This process's own folder is gone.
      if (await disk.isThere(path)) folders.forget();
      return [];
    } finally {
      // After a failure, the file goes back with the next beat.
      if (!isKnown) inUse.remove(name.mark);
    }
  }

  /** Claims some that are due, as `Store.claim`. One call at a time. */
  async due(wanted: Wanted, waitMs: number, stop?: AbortSignal): Promise<readonly Lease[]> {
    const until = this.world.uptime() + waitMs;
    const wake = () => this.wake();
    stop?.addEventListener('abort', wake);
    try {
      while (!this.#isEnding && !stop?.aborted) {
        const woken = new Promise<void>((resolve) => {
          this.wake = resolve;
        });
        const claimed = await this.#claimDue(wanted);
        const leftMs = until - this.world.uptime();
        if (claimed.length > 0 || leftMs <= 0) return claimed.map((one) => one.lease());
        await withTimeout(Math.min(leftMs, lookMs), woken, () => {});
      }
      return [];
    } finally {
      stop?.removeEventListener('abort', wake);
    }
  }

  end(): void {
    this.#isEnding = true;
    this.wake();
  }

  /** Waits for all writes, and puts back all that is claimed. */
  async giveBack(): Promise<void> {
    while (this.#writing.size > 0) await Promise.allSettled(this.#writing);
    await this.#looking?.return(undefined);
    await Promise.all([...this.#claimed].map((one) => one.giveBack()));
  }

  async #noted<T>(work: () => Promise<T>): Promise<T> {
    const writing = work();
    this.#writing.add(writing);
    try {
      return await writing;
    } finally {
      this.#writing.delete(writing);
    }
  }

  #add(name: FileName, entry: Entry, file: DiskFile | undefined): ClaimedFile {
    const claimed = new ClaimedFile(name, entry, file, this.#parts, () => {
      this.#claimed.delete(claimed);
      this.world.inUse.remove(name.mark);
    });
    this.#claimed.add(claimed);
    return claimed;
  }

  /** Version 0.1.0 wrote several entries into a file. Each gets its own: a crash in between leaves two of some. */
  async #split({ path, name }: Place, { file, entries }: OpenedFile): Promise<readonly ClaimedFile[]> {
    const own: ClaimedFile[] = [];
    try {
      for (const entry of entries.values()) own.push(await this.writeMine(entry, name.status));
      await this.world.disk.remove(path);
      return own;
    } catch (error) {
      await Promise.allSettled(own.map((one) => one.drop()));
      throw error;
    } finally {
      await file?.close();
    }
  }

  /** Claims files until there are enough or no more are due. Each call goes on where the last one stopped. */
  async #claimDue({ most, mostBytes }: Wanted): Promise<readonly ClaimedFile[]> {
    const claimed: ClaimedFile[] = [];
    let bytes = 0;
    let isFromStart = false;
    let problem: unknown;
    while (claimed.length < most && bytes < mostBytes && !this.#isEnding) {
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
        for (const one of await this.claim(place)) {
          const size = one.entry.kept.content.length;
          const fits = claimed.length === 0 || (claimed.length < most && bytes + size <= mostBytes);
          bytes += size;
          if (fits) claimed.push(one);
          else await one.giveBack();
        }
      } catch (error) {
        // Other files may be fine.
        problem ??= error;
      }
    }
    if (problem && claimed.length === 0) throw problem;
    return claimed;
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

  async #writeInto(
    target: () => Promise<string>,
    name: FileName,
    entry: Entry,
    late: AbortSignal | undefined,
  ): Promise<DiskFile> {
    try {
      return await this.#writeOnce(target, name, entry, late);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
      // Another process has removed the folder.
      this.world.folders.forget();
      return this.#writeOnce(target, name, entry, late);
    }
  }

  /** Writes under a temporary name first: readers only find whole files. */
  async #writeOnce(
    target: () => Promise<string>,
    name: FileName,
    entry: Entry,
    late: AbortSignal | undefined,
  ): Promise<DiskFile> {
    const { disk, folders } = this.world;
    const temporary = join(await this.owner.folder(), temporaryNameOf(name.mark));
    const file = await disk.create(temporary);
    try {
      await file.write(write(name.mark, [entry]), 0);
      await file.sync();
      const folder = await target();
      late?.throwIfAborted();
      await disk.rename(temporary, join(folder, nameOf(name)));
      await folders.sync(folder);
      return file;
    } catch (error) {
      await file.close().catch(() => {});
      await disk.remove(temporary).catch(() => {});
      throw error;
    }
  }

  #nameFor({ kept }: Entry, status: Status): FileName {
    this.written += 1;
    return {
      status,
      keptAt: Math.max(0, Math.floor(kept.keptAt)),
      left: 1,
      total: 1,
      mark: this.owner.id + this.written.toString(16).padStart(8, '0'),
      form: encodeForm(kept.form),
    };
  }
}

/** Entries kept while the clock was far ahead must not wait for that time. */
function isDue({ status, keptAt }: FileName, now: number): boolean {
  if (typeof status !== 'number') return false;
  return status <= now || (status > now + farMs && keptAt > now + farMs / 2);
}
