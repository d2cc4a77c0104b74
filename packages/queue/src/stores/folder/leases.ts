import { join } from 'node:path';
import { withTimeout } from '@form-relay/core/kit';
import type { Lease } from '../../store.ts';
import { codeOf } from './disk.ts';
import { type Entry, type FileName, isOver, letterAt, nameOf, settledLetter } from './file_format.ts';
import type { Place } from './layout.ts';
import { LeasedFile, type LeaseParts } from './leased_file.ts';
import { removeFolder } from './process_folder.ts';

/** How often to look for due files while there are none. */
const lookMs = 1_000;

/** A due time this far ahead, of an entry kept more than a day from now, comes from a wrong clock. */
const farMs = 2 * 86_400_000;

export class Leases {
  readonly #leasedFiles = new Set<LeasedFile>();
  #isEnding = false;
  /** Looks for due files now. */
  wake: () => void = () => {};

  constructor(private readonly context: LeaseParts) {}

  /** Leases a file; `undefined` if another process has it, or if nothing in it waits as it is. */
  async file({ path, name }: Place): Promise<LeasedFile | undefined> {
    const { disk, files, folders, inUse, owner } = this.context;
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
      const [only] = entries?.values() ?? [];
      if (only && (name.total === 1 || only.isUnread)) leased = this.own(name, only);
      else if (entries) await this.#split(own, entries);
      return leased;
    } finally {
      // If it could not be read or split, the file goes back with the next beat.
      if (!leased) inUse.delete(name.mark);
    }
  }

  /** A file that is in this process's own folder. */
  own(name: FileName, entry: Entry): LeasedFile {
    const one: LeasedFile = new LeasedFile(name, entry, this.context, () => {
      this.#leasedFiles.delete(one);
      this.context.inUse.delete(name.mark);
    });
    this.#leasedFiles.add(one);
    return one;
  }

  /** Leases some that are due, as `Store.lease`. One call at a time. */
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
    await Promise.all([...this.#leasedFiles].map((one) => one.giveBack()));
  }

  async #some(most: number, mostBytes: number): Promise<readonly Lease[]> {
    const leases: Lease[] = [];
    let bytes = 0;
    let hasSplit = false;
    let problem: unknown;
    await this.context.folders.check();
    for await (const place of this.#dueFiles()) {
      if (leases.length >= most || this.#isEnding) break;
      // One each time: splitting all of a full store takes minutes.
      if (hasSplit && place.name.total > 1) continue;
      hasSplit ||= place.name.total > 1;
      try {
        const one = await this.file(place);
        if (!one) continue;
        bytes += one.entry.kept.content.length;
        if (leases.length > 0 && bytes > mostBytes) {
          await one.giveBack();
          break;
        }
        leases.push(one.lease());
      } catch (error) {
        // Other files may be fine.
        problem ??= error;
      }
    }
    if (problem && leases.length === 0) throw problem;
    return leases.length === 0 && hasSplit ? this.#some(most, mostBytes) : leases;
  }

  /** Version 0.1.0 put entries that came at the same time into one file. Each gets a file of its own, and waits as before. */
  async #split({ path, name }: Place, entries: ReadonlyMap<number, Entry>): Promise<void> {
    const { disk, writer } = this.context;
    if (entries.size > 0) {
      const file = await disk.open(path, true);
      try {
        for (const [number, entry] of entries) {
          await writer.write(entry, { status: name.status });
          await file.write([settledLetter], letterAt(number));
        }
      } finally {
        await file.close();
      }
    }
    await disk.remove(path);
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
