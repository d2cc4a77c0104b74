/** Keeps deliveries in a folder, which the processes of a machine may share. */
import { join, resolve } from 'node:path';
import type { ClientError } from '@form-relay/base/client_error';
import { withTimeout } from '@form-relay/base/with_timeout';
import { folderFailure, tryFolder } from '@form-relay/clients/folder';
import { foreignIn, heldAt, usualMostKept } from '../entry.ts';
import { failed } from '../failures.ts';
import { Leasing } from '../lease_book.ts';
import type {
  KeepOptions,
  Lease,
  Leases,
  Listed,
  QueueCounts,
  Queued,
  Remedies,
  Store,
  StoreContext,
} from '../store.ts';
import { FolderCounts } from './counts.ts';
import { codeOf, type Disk, systemDisk } from './disk.ts';
import { EntryWriter, type Written } from './entry_writer.ts';
import { decodeForm, type Entry, type FileName, isOver, nameOf, type Status } from './file_format.ts';
import { Files, Folders, type Place } from './layout.ts';
import { type LeasedEntry, LeasedFile, type LeaseParts } from './leased_file.ts';
import { beatMs, deadAfterMs, ProcessFolder, removeFolder } from './process_folder.ts';

export const openFolder = (path: string, { now, mostKept }: StoreContext, remedies: Remedies): Store =>
  folderStore(path, { now, uptime: () => performance.now(), disk: systemDisk(), mostKept }, remedies);

/** A store in the folder, as seen by its context. */
export function folderStore(path: string, context: FolderContext, remedies: Remedies): Store {
  const leases = new FolderLeases(path, context);
  return {
    leases,
    counts: new FolderCounts(path, context.disk),
    remedies,
    probe: async () => {
      await tryFolder(path, { writes: false });
      return [{ level: 'ok', says: 'exists, and this user may write to it; nothing was written' }];
    },
    close: () => leases.close(),
  };
}

interface FormSum {
  due: number;
  held: number;
  deadLetters: number;
  oldestKeptAt: number | undefined;
}

export interface FolderContext {
  readonly now: () => number;
  /** A monotonic clock, in milliseconds. */
  readonly uptime: () => number;
  readonly disk: Disk;
  /** The largest submission that relays queue here, in bytes. */
  readonly mostKept?: number | undefined;
  /** Calls repeatedly until the returned function is called. Default: `setInterval`. */
  readonly every?: (ms: number, work: () => Promise<void>) => () => void;
}

/** How often to look for due files if there are none. */
const lookMs = 1_000;

/** If an entry queued more than a day in the future is due this far ahead, the clock was wrong. */
const farMs = 2 * 86_400_000;

/** When a file of another version is tried again. */
const foreignRestMs = 60_000;

/** Keeps deliveries in a folder. The timer starts on first use. */
export class FolderLeases implements Leases {
  /** Other processes check for a new beat at each of their own beats. */
  readonly leaseMs = deadAfterMs + 2 * beatMs;
  readonly #root: string;
  readonly #parts: LeaseParts;
  readonly #book: Leasing<LeasedEntry>;
  /** The files that this process has leased, by mark. */
  readonly #own = new Map<string, LeasedFile>();
  /** Entries of these files that were not yet leased to a caller. */
  readonly #stock: LeasedEntry[] = [];
  /** Until when to ignore files of other versions, by mark. */
  readonly #foreign = new Map<string, number>();
  /** The failure for such a file. The failure is reported later, because others are delivered first. */
  #untold: ClientError | undefined;
  #leasing: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  /** Starts looking for due files at once. */
  #wake: () => void = () => {};

  constructor(
    path: string,
    private readonly context: FolderContext,
  ) {
    const { disk, now, uptime, every, mostKept = usualMostKept } = context;
    const root = resolve(path);
    const [folders, files] = [new Folders(root, disk), new Files(root, disk, mostKept)];
    const parts = { root, disk, folders, files, inUse: new Set<string>(), now, uptime };
    const owner = new ProcessFolder(parts);
    this.#root = root;
    this.#parts = { ...parts, owner, writer: new EntryWriter(parts, owner) };
    this.#book = new Leasing({
      leaseMs: this.leaseMs,
      renewMs: beatMs,
      renew: () => owner.tick(),
      giveBack: ({ file, number }) => file.release(number),
      every,
    });
  }

  keep(entries: readonly Queued[], { isMine, dueAt, timeoutMs }: KeepOptions): Promise<readonly Lease[]> {
    return this.#inWords(async () => {
      this.#begin();
      const options = { status: waiting(dueAt), isMine, timeoutMs };
      const { writer } = this.#parts;
      const kept = entries.map((one) => writer.write({ kept: one, isDamaged: false }, options));
      try {
        const written = await Promise.all(kept);
        if (isMine) return written.map((one) => this.#lease(this.#writtenEntry(one)));
        if (dueAt <= this.context.now()) this.#wake();
        return [];
      } catch (error) {
        // Release entries that are written despite the failure, so that they are delivered when they are due.
        const letGo = (one: Written) => {
          const { file, number } = this.#writtenEntry(one);
          return file.release(number);
        };
        if (isMine) for (const one of kept) one.then(letGo).catch(() => {});
        throw error;
      }
    });
  }

  lease(most: number, waitMs: number, mostBytes = Infinity, stop?: AbortSignal): Promise<readonly Lease[]> {
    this.#begin();
    // Sequential calls, because two at once would lease too many.
    const due = this.#leasing.then(() => this.#inWords(() => this.#due(most, mostBytes, waitMs, stop)));
    this.#leasing = due.catch(() => {});
    return due;
  }

  count(): Promise<QueueCounts> {
    return this.#inWords(async () => {
      const { folders, files } = this.#parts;
      await folders.check();
      const forms = new Map<string, FormSum>();
      for await (const place of files.all()) {
        const { name } = place;
        const form = decodeForm(name.form) ?? (await this.#entriesIn(place))[0]?.kept.form;
        // The file is gone.
        if (form === undefined) continue;
        const sum = forms.get(form) ?? { due: 0, held: 0, deadLetters: 0, oldestKeptAt: undefined };
        forms.set(form, sum);
        const isHeld = isWaiting(name) && name.keptAt === heldAt;
        const kind = isHeld ? 'held' : isWaiting(name) ? 'due' : 'deadLetters';
        sum[kind] += this.#own.get(name.mark)?.left ?? name.left;
        if (!isHeld) sum.oldestKeptAt = Math.min(sum.oldestKeptAt ?? Infinity, name.keptAt);
      }
      return { forms };
    });
  }

  list(): AsyncGenerator<Listed> {
    return this.#eachInWords(this.#list());
  }

  leaseMatching(wanted: (one: Listed) => boolean): AsyncGenerator<Lease & { readonly listed: Listed }> {
    return this.#eachInWords(this.#leaseMatching(wanted));
  }

  close(): Promise<void> {
    return this.#inWords(async () => {
      if (this.#isClosed) return;
      this.#isClosed = true;
      this.#wake();
      await this.#leasing;
      await this.#parts.writer.close();
      await this.#book.close();
      await this.#parts.owner.close();
    });
  }

  #begin(): void {
    if (this.#isClosed) return;
    // If this fails, `keep` and `lease` fail, too, and their callers report it.
    if (this.#book.start()) void this.#book.renew();
  }

  async *#list(): AsyncGenerator<Listed> {
    await this.#parts.folders.check();
    for await (const place of this.#parts.files.all())
      for (const { kept } of await this.#entriesIn(place)) yield listed(place.name, kept);
  }

  async *#leaseMatching(wanted: (one: Listed) => boolean): ReturnType<Leases['leaseMatching']> {
    const { folders, files, writer } = this.#parts;
    this.#begin();
    await folders.check();
    const last = writer.written;
    const seen = new Set<string>();
    for await (const place of files.waiting()) {
      const { name } = place;
      // Skip what this pass has rescheduled or returned.
      if (writer.isLater(name, last) || seen.has(name.mark)) continue;
      const about = ({ kept }: Entry) => listed(name, kept);
      const found = [...((await files.read(place)) ?? [])];
      const numbers = found.filter(([, entry]) => wanted(about(entry))).map(([number]) => number);
      const all = numbers.length > 0 ? await this.#claim(place) : [];
      if (all.length > 0) seen.add(name.mark);
      try {
        for (const one of all)
          if (numbers.includes(one.number))
            yield* this.#book.offer(one, { ...this.#lease(one), listed: about(one.entry) });
      } finally {
        for (const one of all) await this.#book.giveBack(one);
      }
    }
  }

  /** Leases due entries, or waits for some. Handles one call at a time. */
  async #due(most: number, mostBytes: number, waitMs: number, stop?: AbortSignal): Promise<readonly Lease[]> {
    const until = this.context.uptime() + waitMs;
    const wake = () => this.#wake();
    stop?.addEventListener('abort', wake);
    try {
      while (!this.#isClosed && !stop?.aborted) {
        const woken = new Promise<void>((resolve) => {
          this.#wake = resolve;
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

  /** Leases the rest of files leased before, then further files. */
  async #some(most: number, mostBytes: number): Promise<readonly Lease[]> {
    const some: LeasedEntry[] = [];
    let bytes = 0;
    let problem: unknown;
    const hasRoom = () => {
      for (let next = this.#stock[0]; next && some.length < most; next = this.#stock[0]) {
        bytes += next.entry.kept.content.length;
        if (some.length > 0 && bytes > mostBytes) return false;
        some.push(next);
        this.#stock.shift();
      }
      return some.length < most;
    };
    await this.#parts.folders.check();
    if (hasRoom())
      for await (const place of this.#dueFiles()) {
        if (this.#isClosed) break;
        try {
          this.#stock.push(...(await this.#claim(place)));
        } catch (error) {
          // Continue, because other files may be fine.
          problem ??= error;
        }
        if (!hasRoom()) break;
      }
    if (some.length === 0) {
      problem = this.#untold ?? problem;
      this.#untold = undefined;
      if (problem) throw problem;
    }
    return some.map((one) => this.#lease(one));
  }

  /** The due files, minute by minute. */
  async *#dueFiles(): AsyncGenerator<Place> {
    const { root, disk, files, folders, now, uptime } = this.#parts;
    for (const { folder, start } of await files.minutes()) {
      if (start > now() && start < now() + farMs) continue;
      let isEmpty = true;
      for await (const place of files.in(folder)) {
        const { mark } = place.name;
        const isResting = (this.#foreign.get(mark) ?? 0) > uptime();
        if (isDue(place.name, now()) && !isResting) yield place;
        else isEmpty = false;
      }
      if (!isEmpty || !isOver(start, now())) continue;
      // Fails if another process has put a file into the folder or has removed it.
      const tidied = removeFolder(disk, join(root, folder)).then(() => folders.forget());
      await tidied.catch(() => {});
    }
  }

  /**
   * Leases a file with all its entries. Resolves with none if another process has it, or if nothing in it is waiting.
   *
   * @throws ClientError if a relay of another version wrote the file, which is then put back.
   */
  async #claim({ path, name }: Place): Promise<readonly LeasedEntry[]> {
    const { disk, files, folders, inUse, owner } = this.#parts;
    const own = { name, path: join(await owner.folder(), nameOf(name)) };
    inUse.add(name.mark);
    try {
      await disk.rename(path, own.path);
    } catch (error) {
      inUse.delete(name.mark);
      if (codeOf(error) !== 'ENOENT') throw error;
      // The folder of this process itself is gone.
      if (await disk.isThere(path)) folders.forget();
      return [];
    }
    let file: LeasedFile | undefined;
    try {
      const entries = await files.read(own);
      const foreign = [...(entries?.values() ?? [])].flatMap(({ kept }) => foreignIn(kept) ?? [])[0];
      if (foreign) {
        if (this.#foreign.size >= mostForeign) this.#foreign.clear();
        this.#foreign.set(name.mark, this.context.uptime() + foreignRestMs);
        await owner.putBack(own.path, name);
        this.#untold = failed(foreign);
        throw this.#untold;
      }
      if (entries && entries.size > 0) file = this.#take(name, entries.keys(), entries);
      // A process died before it could remove the file.
      else if (entries) await disk.remove(own.path);
    } finally {
      // If the file could not be read, the next beat puts it back.
      if (!file) inUse.delete(name.mark);
    }
    for (const one of file?.entries ?? []) this.#book.hold(one);
    return file?.entries ?? [];
  }

  #take(name: FileName, left: Iterable<number>, entries: ReadonlyMap<number, Entry>): LeasedFile {
    const gone = () => {
      this.#own.delete(name.mark);
      this.#parts.inUse.delete(name.mark);
    };
    const file = new LeasedFile(name, left, entries, this.#parts, gone);
    this.#own.set(name.mark, file);
    return file;
  }

  /** The lease of an entry that this process wrote to its own folder. */
  #writtenEntry({ name, number, entries }: Written): LeasedEntry {
    const file = this.#own.get(name.mark) ?? this.#take(name, Array(name.total).keys(), entries);
    return file.entries.find((one) => one.number === number) as LeasedEntry;
  }

  #lease(one: LeasedEntry): Lease {
    const { file, number, entry } = one;
    const { kept, isDamaged } = entry;
    return this.#book.lease(one, isDamaged ? { kept, isDamaged } : { kept }, {
      done: () => this.#inWords(() => file.settle(number)),
      reschedule: (dueAt, changed) => this.#inWords(() => file.move(one, waiting(dueAt), changed)),
      deadLetter: (reason, changed) => this.#inWords(() => file.move(one, reason, changed)),
    });
  }

  /** The waiting entries of a file. */
  async #entriesIn(place: Place): Promise<readonly Entry[]> {
    return [...((await this.#parts.files.read(place))?.values() ?? [])];
  }

  async #inWords<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw folderFailure(error, this.#root);
    }
  }

  async *#eachInWords<T>(all: AsyncIterable<T>): AsyncGenerator<T> {
    try {
      yield* all;
    } catch (error) {
      throw folderFailure(error, this.#root);
    }
  }
}

const mostForeign = 10_000;

const waiting = (dueAt: number): Status => Math.max(0, Math.ceil(dueAt));

const isWaiting = ({ status }: FileName): boolean => typeof status === 'number';

/** Whether a file is due. Entries queued while the clock was far ahead must not wait until then. */
function isDue({ status, keptAt }: FileName, now: number): boolean {
  if (typeof status !== 'number') return false;
  return status <= now || (status > now + farMs && keptAt > now + farMs / 2 && keptAt !== heldAt);
}

const listed = ({ status }: FileName, kept: Queued): Listed => ({
  kept,
  ...(typeof status === 'number'
    ? { deadLetter: undefined, dueAt: status }
    : { deadLetter: status, dueAt: undefined }),
});
