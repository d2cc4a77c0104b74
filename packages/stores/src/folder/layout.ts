import { join } from 'node:path';
import { failed } from '../failures.ts';
import { codeOf, type Disk } from './disk.ts';
import {
  damaged,
  type Entry,
  type FileName,
  mostBytes,
  mostEntries,
  mostHeadBytes,
  read,
  readName,
  startOf,
} from './file_format.ts';

export interface Place {
  readonly path: string;
  readonly name: FileName;
}

/** The maximum size in bytes of a file's heads and what surrounds them. */
const mostAround = mostEntries * (mostHeadBytes + 100);
/** The largest file with several entries. */
export const mostSharedBytes = mostBytes + mostAround;

/** The relay's own files in a store. Other files are ignored. */
export class Files {
  /** @param mostKept The largest queued submission, in bytes. Larger files were planted and are not read. */
  constructor(
    private readonly root: string,
    private readonly disk: Disk,
    private readonly mostKept: number,
  ) {}

  /** The minutes in which files are due, in order. */
  async minutes() {
    const found: { folder: string; start: number }[] = [];
    for await (const { name, isFolder } of listIfThere(this.disk, join(this.root, 'due'))) {
      const start = isFolder ? startOf(name) : undefined;
      if (start !== undefined) found.push({ folder: join('due', name), start });
    }
    return found.sort((a, b) => a.start - b.start);
  }

  /** The files in a folder, given by its path relative to the store. */
  async *in(folder: string): AsyncGenerator<Place> {
    for await (const { name, isFile } of listIfThere(this.disk, join(this.root, folder))) {
      const about = isFile ? readName(name) : undefined;
      if (about) yield { path: join(this.root, folder, name), name: about };
    }
  }

  /** The files that are not leased. */
  async *waiting(): AsyncGenerator<Place> {
    for (const { folder } of await this.minutes()) yield* this.in(folder);
    yield* this.in('aside');
  }

  async *all(): AsyncGenerator<Place> {
    yield* this.waiting();
    for await (const { name, isFolder } of listIfThere(this.disk, join(this.root, 'claimed')))
      if (isFolder) yield* this.in(join('claimed', name));
  }

  /** The waiting entries, by number. An unreadable file counts as one damaged entry. `undefined` if the file is gone. */
  async read({ path, name }: Place): Promise<ReadonlyMap<number, Entry> | undefined> {
    const most = name.total > 1 ? mostSharedBytes : Math.max(mostBytes, this.mostKept) + mostAround;
    try {
      const file = await this.disk.open(path, false);
      try {
        const bytes = await file.readAll(most);
        if (bytes) return read(bytes, name);
      } finally {
        await file.close();
      }
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      if (!unreadable.includes(codeOf(error))) throw error;
    }
    return new Map([[0, { ...damaged(name, 0), isUnread: true }]]);
  }
}

/** Errors that affect only one file. */
export const unreadable = ['EACCES', 'EPERM', 'EIO', 'EISDIR', 'ELOOP', 'ENXIO'];

/** Lists a folder; a missing one is empty. */
export async function* listIfThere(disk: Disk, folder: string): ReturnType<Disk['list']> {
  try {
    yield* disk.list(folder);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

/** About as many folders as are needed in a day. */
const mostRemembered = 1_000;

/** The folders inside a store, created when needed. */
export class Folders {
  readonly #known = new Map<string, Promise<string>>();
  readonly #syncing = new Map<string, Promise<void>>();
  readonly #nextSync = new Map<string, Promise<void>>();

  constructor(
    private readonly root: string,
    private readonly disk: Disk,
  ) {}

  /** Resolves with a folder's path when the folder and its parents exist durably. */
  made(inside: string): Promise<string> {
    const making = this.#known.get(inside) ?? this.#make(inside);
    if (this.#known.size >= mostRemembered) this.#known.clear();
    this.#known.set(inside, making);
    // Another process may have removed the parents.
    making.catch(() => this.forget());
    return making;
  }

  /** Does some work in a folder; repeats it if another process has removed the folder in the meantime. */
  async in<T>(inside: string, work: (path: string) => Promise<T>): Promise<T> {
    try {
      return await work(await this.made(inside));
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
      this.forget();
      return work(await this.made(inside));
    }
  }

  /** @throws ClientError if the store's own folder is missing, because the relay never creates that one. */
  async check(): Promise<void> {
    if (!(await this.disk.isFolder(this.root, true))) throw failed('folder_is_none', { path: this.root });
  }

  /** Syncs a folder. Calls share the next sync, but never one in progress, because that may miss their changes. */
  sync(path: string): Promise<void> {
    const next = this.#nextSync.get(path);
    if (next !== undefined) return next;
    const before = this.#syncing.get(path) ?? Promise.resolve();
    const begun = before
      .catch(() => {})
      .then(async () => {
        this.#nextSync.delete(path);
        this.#syncing.set(path, begun);
        await this.disk.syncFolder(path);
      })
      .finally(() => {
        if (this.#syncing.get(path) === begun) this.#syncing.delete(path);
      });
    this.#nextSync.set(path, begun);
    return begun;
  }

  /** Forgets which folders exist, because another process may have removed them. */
  forget(): void {
    this.#known.clear();
  }

  async #make(inside: string): Promise<string> {
    const at = inside.lastIndexOf('/');
    const above = at < 0 ? this.root : await this.made(inside.slice(0, at));
    if (at < 0) await this.check();
    const path = join(this.root, inside);
    try {
      await this.disk.makeFolder(path);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
      if (!(await this.disk.isFolder(path, false))) throw failed('folder_with_link', { path: this.root });
    }
    // Sync even if the folder existed, because the process that created it may not have synced it yet.
    await this.sync(above);
    return path;
  }
}
