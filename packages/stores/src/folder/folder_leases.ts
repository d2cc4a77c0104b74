/** Keeps deliveries in a folder, which the processes of a machine may share. */
import { resolve } from 'node:path';
import { folderFailure, tryFolder } from '@form-relay/clients/folder';
import { usualMostKept } from '../entry.ts';
import type {
  DeadLetterReason,
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
import { type Disk, systemDisk } from './disk.ts';
import { EntryWriter, type Written } from './entry_writer.ts';
import { decodeForm, type Entry, type FileName } from './file_format.ts';
import { Files, Folders, type Place } from './layout.ts';
import { waiting } from './leased_file.ts';
import { LeasedFiles } from './leases.ts';
import { beatMs, deadAfterMs, ProcessFolder } from './process_folder.ts';

export const openFolder = (path: string, { now, mostKept }: StoreContext, remedies: Remedies): Store =>
  folderStore(path, { now, uptime: () => performance.now(), disk: systemDisk(), every, mostKept }, remedies);

/** A store in the folder as its context sees it. */
export function folderStore(path: string, context: FolderContext, remedies: Remedies): Store {
  const leases = new FolderLeases(path, context);
  return {
    leases,
    counts: new FolderCounts(path, context.disk),
    remedies,
    probe: async () => {
      await tryFolder(path, { writes: false });
      return [{ level: 'ok', says: 'is there, and this user may write into it; nothing was written' }];
    },
    close: () => leases.close(),
  };
}

function every(ms: number, work: () => Promise<void>): () => void {
  const timer = setInterval(() => void work(), ms).unref();
  return () => clearInterval(timer);
}

export interface FolderContext {
  readonly now: () => number;
  /** A monotonic clock, in milliseconds. */
  readonly uptime: () => number;
  readonly disk: Disk;
  /** The largest submission that relays keep here, in bytes. */
  readonly mostKept?: number;
  /** Calls repeatedly until the returned function is called. */
  readonly every: (ms: number, work: () => Promise<void>) => () => void;
}

/** Its timer starts with the first use. */
export class FolderLeases implements Leases {
  /** Others look for a new beat with each of their own. */
  readonly leaseMs = deadAfterMs + 2 * beatMs;
  readonly #root: string;
  readonly #folders: Folders;
  readonly #files: Files;
  readonly #owner: ProcessFolder;
  readonly #writer: EntryWriter;
  readonly #leases: LeasedFiles;
  #leasing: Promise<unknown> = Promise.resolve();
  #ticking: Promise<void> | undefined;
  #stopTicking: (() => void) | undefined;
  #isClosed = false;

  constructor(
    path: string,
    private readonly context: FolderContext,
  ) {
    const { disk, now, uptime, mostKept = usualMostKept } = context;
    const root = resolve(path);
    const inUse = new Set<string>();
    this.#root = root;
    this.#folders = new Folders(root, disk);
    this.#files = new Files(root, disk, mostKept);
    const parts = { root, disk, folders: this.#folders, files: this.#files, inUse, now, uptime };
    this.#owner = new ProcessFolder(parts);
    this.#writer = new EntryWriter(parts, this.#owner);
    this.#leases = new LeasedFiles({ ...parts, owner: this.#owner, writer: this.#writer });
  }

  keep(entries: readonly Queued[], { isMine, dueAt, timeoutMs }: KeepOptions): Promise<readonly Lease[]> {
    return this.#inWords(async () => {
      this.#begin();
      const options = { status: waiting(dueAt), isMine, timeoutMs };
      const kept = entries.map((one) => this.#writer.write({ kept: one, isDamaged: false }, options));
      try {
        const written = await Promise.all(kept);
        if (isMine) return written.map((one) => this.#leases.written(one).lease(one.number));
        if (dueAt <= this.context.now()) this.#leases.wake();
        return [];
      } catch (error) {
        // Entries that were written nevertheless are delivered when they are due.
        const letGo = (one: Written) => (isMine ? this.#leases.written(one).release(one.number) : undefined);
        for (const one of kept) one.then(letGo).catch(() => {});
        throw error;
      }
    });
  }

  lease(most: number, waitMs: number, mostBytes = Infinity, stop?: AbortSignal): Promise<readonly Lease[]> {
    this.#begin();
    // In turn: two calls at once would lease too many.
    const due = this.#leasing.then(() =>
      this.#inWords(() => this.#leases.due(most, mostBytes, waitMs, stop)),
    );
    this.#leasing = due.catch(() => {});
    return due;
  }

  count(): Promise<QueueCounts> {
    return this.#inWords(async () => {
      await this.#folders.check();
      const forms = new Map<string, { due: number; aside: number; oldestKeptAt: number }>();
      for await (const place of this.#files.all()) {
        const { name } = place;
        const form = decodeForm(name.form) ?? (await this.#entriesIn(place))[0]?.kept.form;
        // The file is gone.
        if (form === undefined) continue;
        const sum = forms.get(form) ?? { due: 0, aside: 0, oldestKeptAt: name.keptAt };
        forms.set(form, sum);
        sum[typeof name.status === 'number' ? 'due' : 'aside'] += this.#leases.left(name.mark) ?? name.left;
        sum.oldestKeptAt = Math.min(sum.oldestKeptAt, name.keptAt);
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
      this.#stopTicking?.();
      this.#leases.end();
      await Promise.all([this.#leasing, this.#ticking]);
      await this.#writer.close();
      await this.#leases.giveBack();
      await this.#owner.close();
    });
  }

  #begin(): void {
    if (this.#stopTicking || this.#isClosed) return;
    const tick = () => {
      // A failure here fails for `keep` and `lease` too, whose callers report it.
      this.#ticking ??= this.#owner
        .tick()
        .catch(() => {})
        .finally(() => {
          this.#ticking = undefined;
        });
      return this.#ticking;
    };
    this.#stopTicking = this.context.every(beatMs, tick);
    void tick();
  }

  async *#list(): AsyncGenerator<Listed> {
    await this.#folders.check();
    for await (const place of this.#files.all())
      for (const { kept } of await this.#entriesIn(place)) yield listed(place.name, kept);
  }

  async *#leaseMatching(wanted: (one: Listed) => boolean): ReturnType<Leases['leaseMatching']> {
    this.#begin();
    await this.#folders.check();
    const last = this.#writer.written;
    const seen = new Set<string>();
    for await (const place of this.#files.waiting()) {
      const { name } = place;
      // Skip what this pass has put off or given back.
      if (this.#writer.isLater(name, last) || seen.has(name.mark)) continue;
      const found = [...((await this.#files.read(place)) ?? [])];
      const numbers = found.filter(([, { kept }]) => wanted(listed(name, kept))).map(([number]) => number);
      if (numbers.length === 0) continue;
      const file = await this.#leases.file(place);
      if (!file) continue;
      seen.add(name.mark);
      try {
        for (const number of numbers) {
          const entry = file.entries.get(number);
          if (entry) yield { ...file.lease(number), listed: listed(name, entry.kept) };
        }
      } finally {
        await file.giveBack();
      }
    }
  }

  /** The entries that wait. */
  async #entriesIn(place: Place): Promise<readonly Entry[]> {
    return [...((await this.#files.read(place))?.values() ?? [])];
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

const asideOf = ({ status }: FileName): DeadLetterReason | undefined =>
  typeof status === 'number' ? undefined : status;

const listed = (name: FileName, kept: Queued): Listed => ({
  kept,
  aside: asideOf(name),
  dueAt: typeof name.status === 'number' ? name.status : undefined,
});
