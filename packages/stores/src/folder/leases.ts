import { join } from 'node:path';
import { withTimeout } from '@form-relay/base/with_timeout';
import { failed } from '../failures.ts';
import type { Lease } from '../store.ts';
import { codeOf } from './disk.ts';
import type { Written } from './entry_writer.ts';
import { type Entry, type FileName, isOver, nameOf } from './file_format.ts';
import type { Place } from './layout.ts';
import { LeasedFile, type LeaseParts } from './leased_file.ts';
import { removeFolder } from './process_folder.ts';

/** How often to look for due files while there are none. */
const lookMs = 1_000;

/** A due time this far ahead, of an entry kept more than a day from now, comes from a wrong clock. */
const farMs = 2 * 86_400_000;

export class LeasedFiles {
  readonly #files = new Map<string, LeasedFile>();
  #isEnding = false;
  /** Looks for due files now. */
  wake: () => void = () => {};

  constructor(private readonly context: LeaseParts) {}

  /** Leases a file with all its entries, unless a newer relay wrote it; `undefined` if another process has it, or if nothing in it waits as it is. */
  async file({ path, name }: Place): Promise<LeasedFile | undefined> {
    const { disk, files, folders, inUse, owner } = this.context;
    if (await files.isNewer({ path, name })) throw failed('store_newer');
    const own = { name, path: join(await owner.folder(), nameOf(name)) };
    inUse.add(name.mark);
    try {
      await disk.rename(path, own.path);
    } catch (error) {
      inUse.delete(name.mark);
      if (codeOf(error) !== 'ENOENT') throw error;
      // This process's own folder is gone.
      if (await disk.isThere(path)) folders.forget();
      return undefined;
    }
    let leased: LeasedFile | undefined;
    try {
      const entries = await files.read(own);
      if (entries && entries.size > 0) leased = this.#own(name, entries.keys(), entries);
      // A process died before it could remove the file.
      else if (entries) await disk.remove(own.path);
      return leased;
    } finally {
      // If it could not be read, the file goes back with the next beat.
      if (!leased) inUse.delete(name.mark);
    }
  }

  /** The file with an entry that this process has written into its own folder. */
  written({ name, entries }: Written): LeasedFile {
    return this.#files.get(name.mark) ?? this.#own(name, Array(name.total).keys(), entries);
  }

  /** How many entries of a file wait; `undefined` if this process doesn't have the file. */
  left(mark: string): number | undefined {
    return this.#files.get(mark)?.left;
  }

  #own(name: FileName, left: Iterable<number>, entries: ReadonlyMap<number, Entry>): LeasedFile {
    const gone = () => {
      this.#files.delete(name.mark);
      this.context.inUse.delete(name.mark);
    };
    const one = new LeasedFile(name, left, entries, this.context, gone);
    this.#files.set(name.mark, one);
    return one;
  }

  /** Leases some that are due, as `Leases.lease`. One call at a time. */
  async due(most: number, mostBytes: number, waitMs: number, stop?: AbortSignal): Promise<readonly Lease[]> {
    const until = this.context.uptime() + waitMs;
    const wake = () => this.wake();
    stop?.addEventListener('abort', wake);
    try {
      while (!this.#isEnding && !stop?.aborted) {
        const woken = new Promise<void>((resolve) => {
          this.wake = resolve;
        });
        const leases = await this.#some(most, mostBytes);
        const leftMs = until - this.context.uptime();
        if (leases.length > 0 || leftMs <= 0) return leases;
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

  async giveBack(): Promise<void> {
    await Promise.all([...this.#files.values()].map((one) => one.giveBack()));
  }

  async #some(most: number, mostBytes: number): Promise<readonly Lease[]> {
    const leases: Lease[] = [];
    let bytes = 0;
    let isSplit = false;
    let problem: unknown;
    await this.context.folders.check();
    for await (const place of this.#dueFiles()) {
      if (leases.length >= most || this.#isEnding) break;
      // The next call begins with it.
      if (leases.length > 0 && leases.length + place.name.left > most) break;
      try {
        const file = await this.file(place);
        if (!file) continue;
        const all = file.leases();
        for (const { kept } of all) bytes += kept.content.length;
        if (leases.length + all.length <= most && (bytes <= mostBytes || leases.length + all.length === 1)) {
          leases.push(...all);
          continue;
        }
        if (leases.length > 0) await file.giveBack();
        else await file.split().finally(() => file.giveBack());
        isSplit = leases.length === 0;
        break;
      } catch (error) {
        // Other files may be fine.
        problem ??= error;
      }
    }
    if (problem && leases.length === 0) throw problem;
    return isSplit ? this.#some(most, mostBytes) : leases;
  }

  /** Minute by minute. */
  async *#dueFiles(): AsyncGenerator<Place> {
    const { root, files, now } = this.context;
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
      await removeFolder(this.context.disk, path);
      this.context.folders.forget();
    } catch {
      // Another process has put a file into it, or has removed it.
    }
  }
}

/** Entries kept while the clock was far ahead must not wait for that time. */
function isDue({ status, keptAt }: FileName, now: number): boolean {
  if (typeof status !== 'number') return false;
  return status <= now || (status > now + farMs && keptAt > now + farMs / 2);
}
