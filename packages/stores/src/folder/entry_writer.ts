import { join } from 'node:path';
import { failed } from '../failures.ts';
import {
  type Entry,
  encodeForm,
  type FileName,
  folderFor,
  mostBytes,
  mostEntries,
  mostWaiting,
  nameOf,
  type Status,
  write,
} from './file_format.ts';
import { type ProcessFolder, type StoreParts, temporaryNameOf } from './process_folder.ts';

interface WriteOptions {
  readonly status: Status;
  /** Whether to write to this process's own folder, which leases the entry. */
  readonly isMine?: boolean;
  /** How long to wait in the queue, and again as long from the start of the entry's round. Default: no limit. */
  readonly timeoutMs?: number;
}

/** A file, and the number of an entry in it. */
export interface Written {
  readonly name: FileName;
  readonly number: number;
  /** The entries of the file whose callers are still waiting. */
  readonly entries: ReadonlyMap<number, Entry>;
}

interface Item {
  readonly entry: Entry;
  readonly options: WriteOptions;
  readonly resolve: (written: Written) => void;
  readonly reject: (error: unknown) => void;
  timer?: NodeJS.Timeout;
  /** Whether the caller has stopped waiting. */
  isLate: boolean;
}

/**
 * The slot of a due time. Entries due at about the same time share a file, which waits for the last of them:
 * up to a second, or an eighth of the wait.
 */
function slotOf(waitMs: number): string {
  const slotMs = Math.max(1_000, 2 ** Math.floor(Math.log2(waitMs / 8)));
  return `${slotMs}-${Math.ceil(waitMs / slotMs)}`;
}

/** The maximum of files per round with entries that no visitor waits for, such as failed retries. */
const mostOthers = 8;

/** The weight of the latest round in the expected duration of the next one. */
const weight = 0.3;

/**
 * Implements group commit: entries that arrive while a round is written wait for the next round, in which
 * they share files and syncs. So a busy machine or a slow disk has larger rounds, not more rounds.
 */
export class EntryWriter {
  /** How many files were written. */
  written = 0;
  #waiting: Item[] = [];
  #round: Promise<void> | undefined;
  #begunAt = 0;
  #roundMs = 0;

  constructor(
    private readonly context: StoreParts,
    private readonly owner: ProcessFolder,
  ) {}

  /**
   * Resolves when the entry is on the disk. Rejects at once, without writing, if its round would probably end
   * too late, judging by earlier rounds. If no round is in progress, always starts one, to measure again.
   */
  write(entry: Entry, options: WriteOptions): Promise<Written> {
    const { timeoutMs } = options;
    if (timeoutMs !== undefined && this.#endsInMs() > timeoutMs) return Promise.reject(this.#busy());
    return new Promise((resolve, reject) => {
      const item: Item = { entry, options, resolve, reject, isLate: false };
      if (timeoutMs !== undefined) item.timer = setTimeout(() => this.#giveUp(item, timeoutMs), timeoutMs);
      this.#waiting.push(item);
      this.#round ??= this.#writeRounds();
    });
  }

  /** Whether this process wrote the file after it had already written `than` files. */
  isLater({ mark }: FileName, than: number): boolean {
    const { id } = this.owner;
    return mark.startsWith(id) && Number.parseInt(mark.slice(id.length), 16) > than;
  }

  /** Waits for all writes. */
  async close(): Promise<void> {
    await this.#round;
  }

  /** How long the current round and the next one will take from now. */
  #endsInMs(): number {
    if (this.#begunAt === 0) return 0;
    const sinceMs = this.context.uptime() - this.#begunAt;
    return 2 * Math.max(this.#roundMs, sinceMs) - sinceMs;
  }

  #busy() {
    return failed('store_busy', {}, { retryAfterMs: Math.max(1_000, this.#endsInMs()) });
  }

  #giveUp(item: Item, timeoutMs: number): void {
    const at = this.#waiting.indexOf(item);
    if (at >= 0) {
      this.#waiting.splice(at, 1);
      item.reject(this.#busy());
    } else {
      item.isLate = true;
      item.reject(failed('timed_out', { timeoutMs }, { retryAfterMs: 0 }));
    }
  }

  /** Never rejects. */
  async #writeRounds(): Promise<void> {
    // Entries that arrive in this turn of the event loop share the first round.
    await new Promise(setImmediate);
    while (this.#waiting.length > 0) {
      const files = this.#nextFiles();
      const timers = files.flatMap((file) => file.flatMap(({ timer }) => timer ?? []));
      this.#begunAt = this.context.uptime();
      for (const timer of timers) timer.refresh();
      await Promise.all(files.map((file) => this.#writeItems(file)));
      for (const timer of timers) clearTimeout(timer);
      const ms = this.context.uptime() - this.#begunAt;
      this.#roundMs = this.#roundMs === 0 ? ms : this.#roundMs + weight * (ms - this.#roundMs);
      this.#begunAt = 0;
      // Lets callers that just got a result send their next entry.
      await new Promise(setImmediate);
    }
    this.#round = undefined;
  }

  /** All entries that visitors are waiting for, and some others. */
  #nextFiles(): readonly (readonly Item[])[] {
    let others = 0;
    const files = this.#filesOf(this.#waiting.splice(0));
    const isNext = (file: readonly Item[]) => {
      if (file.some(({ timer }) => timer)) return true;
      others += 1;
      return others <= mostOthers;
    };
    const next = files.filter(isNext);
    this.#waiting = files.filter((file) => !next.includes(file)).flat();
    return next;
  }

  /** Groups entries into files. */
  #filesOf(items: readonly Item[]): readonly (readonly Item[])[] {
    const files: Item[][] = [];
    const open = new Map<string, { readonly file: Item[]; bytes: number }>();
    const now = this.context.now();
    for (const item of items) {
      const { status, isMine } = item.options;
      const { form, content } = item.entry.kept;
      const slot = typeof status === 'number' ? slotOf(Math.max(0, status - now)) : status;
      const key = `${isMine} ${slot} ${form}`;
      let shared = open.get(key);
      const isFull = shared?.file.length === (isMine ? mostEntries : mostWaiting);
      if (!shared || isFull || shared.bytes + content.length > mostBytes) {
        shared = { file: [], bytes: 0 };
        files.push(shared.file);
        open.set(key, shared);
      }
      shared.file.push(item);
      shared.bytes += content.length;
    }
    return files;
  }

  /** Never rejects; errors are passed to the items. */
  async #writeItems(items: readonly Item[]): Promise<void> {
    const { inUse, folders } = this.context;
    const isMine = items[0]?.options.isMine ?? false;
    const name = this.#nameFor(items);
    if (isMine) inUse.add(name.mark);
    try {
      await this.owner.folder();
      await folders.in(this.owner.own, (own) => this.#writeFile(own, name, isMine, items));
    } catch (error) {
      inUse.delete(name.mark);
      for (const { reject } of items) reject(error);
      return;
    }
    const numbered = items.flatMap((item, number) => (item.isLate ? [] : [{ item, number }]));
    const entries = new Map(numbered.map(({ item, number }) => [number, item.entry]));
    // No caller is waiting for the file any more, so the next beat puts it back.
    if (entries.size === 0) inUse.delete(name.mark);
    for (const { item, number } of numbered) item.resolve({ name, number, entries });
  }

  /** Writes under a temporary name first, so that readers find only complete files. */
  async #writeFile(own: string, name: FileName, isMine: boolean, items: readonly Item[]): Promise<void> {
    const { disk, folders, now } = this.context;
    let path = join(own, temporaryNameOf(name.mark));
    const file = await disk.create(path);
    try {
      try {
        const entries = items.map(({ entry }) => entry);
        await file.write(write(name.mark, entries), 0);
        await file.sync();
      } finally {
        await file.close();
      }
      // All callers have been told of a failure, so nothing may be delivered.
      if (items.every(({ isLate }) => isLate)) throw this.#busy();
      const target = isMine ? own : await folders.made(folderFor(name.status, now()));
      const named = join(target, nameOf(name));
      await disk.rename(path, named);
      path = named;
      await folders.sync(target);
    } catch (error) {
      // Remove the file even under its final name, because the callers will write the entries again.
      await disk.remove(path).catch(() => {});
      throw error;
    }
  }

  #nameFor(items: readonly Item[]): FileName {
    this.written += 1;
    const [first] = items as readonly [Item];
    const statuses = items.map(({ options }) => options.status);
    return {
      status: statuses.reduce((last, one) => (one > last ? one : last)),
      keptAt: Math.max(0, Math.floor(Math.min(...items.map(({ entry }) => entry.kept.keptAt)))),
      left: items.length,
      total: items.length,
      mark: this.owner.id + this.written.toString(16).padStart(8, '0'),
      form: encodeForm(first.entry.kept.form),
    };
  }
}
