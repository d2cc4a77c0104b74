import { join } from 'node:path';
import { failed } from '../../../base/client_error.ts';
import { codeOf, type Disk, type DiskFile } from './disk.ts';
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

/** A file of entries. */
export interface Place {
  readonly path: string;
  readonly name: FileName;
}

export interface OpenedFile {
  /** `undefined`: it cannot be read, and is one damaged entry. */
  readonly file: DiskFile | undefined;
  readonly entries: ReadonlyMap<number, Entry>;
}

/** The heads of as many entries as a file has at most, and what goes with them. */
const mostAround = mostEntries * (mostHeadBytes + 100);

/** The files of a store. What is not the relay's own is not among them. */
export class Files {
  readonly #root: string;
  readonly #disk: Disk;
  readonly #mostKept: number;

  /**
   * @param mostKept The largest submission that is kept, in bytes. A file that is larger than the relay writes it is not read:
   *   somebody has put it there.
   */
  constructor(root: string, disk: Disk, mostKept: number) {
    this.#root = root;
    this.#disk = disk;
    this.#mostKept = mostKept;
  }

  /** The minutes in which something is due, in their order. */
  async minutes() {
    const found: { folder: string; start: number }[] = [];
    for await (const { name, isFolder } of listIfThere(this.#disk, join(this.#root, 'due'))) {
      const start = isFolder ? startOf(name) : undefined;
      if (start !== undefined) found.push({ folder: join('due', name), start });
    }
    return found.sort((a, b) => a.start - b.start);
  }

  /** Those in a folder, named from the store's own. */
  async *in(folder: string): AsyncGenerator<Place> {
    for await (const { name, isFile } of listIfThere(this.#disk, join(this.#root, folder))) {
      const about = isFile ? readName(name) : undefined;
      if (about) yield { path: join(this.#root, folder, name), name: about };
    }
  }

  /** Those that nobody has claimed. */
  async *waiting(): AsyncGenerator<Place> {
    for (const { folder } of await this.minutes()) yield* this.in(folder);
    yield* this.in('sealed');
    yield* this.in('aside');
  }

  async *all(): AsyncGenerator<Place> {
    yield* this.waiting();
    for await (const { name, isFolder } of listIfThere(this.#disk, join(this.#root, 'claimed')))
      if (isFolder) yield* this.in(join('claimed', name));
  }

  /** What waits in it. */
  async read(place: Place): Promise<readonly Entry[]> {
    const opened = await this.#open(place, false);
    await opened?.file?.close();
    return [...(opened?.entries.values() ?? [])];
  }

  /** Opened to be written, too. `undefined`: it is gone. */
  open(place: Place): Promise<OpenedFile | undefined> {
    return this.#open(place, true);
  }

  #mostOf({ total }: FileName) {
    return (total > 1 ? mostBytes : Math.max(mostBytes, this.#mostKept)) + mostAround;
  }

  async #open({ path, name }: Place, mayWrite: boolean): Promise<OpenedFile | undefined> {
    let file: DiskFile | undefined;
    try {
      file = await this.#disk.open(path, mayWrite);
      const bytes = await file.readAll(this.#mostOf(name));
      if (bytes) return { file, entries: read(bytes, name) };
      await file.close();
    } catch (error) {
      await file?.close().catch(() => {});
      if (codeOf(error) === 'ENOENT') return undefined;
      if (!unreadable.includes(codeOf(error))) throw error;
    }
    return { file: undefined, entries: new Map([[0, damaged(name, 0, new Uint8Array())]]) };
  }
}

/** This file cannot be read, whatever becomes of others. */
const unreadable = ['EACCES', 'EPERM', 'EIO', 'EISDIR', 'ELOOP', 'ENXIO'];

/** Lists a folder; a missing one is empty. */
export async function* listIfThere(disk: Disk, folder: string): ReturnType<Disk['list']> {
  try {
    yield* disk.list(folder);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

/** About those of a day. */
const mostRemembered = 1_000;

/** Folders inside the store's own, made when they are needed. */
export class Folders {
  readonly #root: string;
  readonly #disk: Disk;
  readonly #known = new Map<string, Promise<string>>();
  readonly #syncing = new Map<string, Promise<void>>();
  readonly #nextSync = new Map<string, Promise<void>>();

  constructor(root: string, disk: Disk) {
    this.#root = root;
    this.#disk = disk;
  }

  /** The path of one that is there for good, with those above it. */
  made(inside: string): Promise<string> {
    const making = this.#known.get(inside) ?? this.#make(inside);
    if (this.#known.size >= mostRemembered) this.#known.clear();
    this.#known.set(inside, making);
    making.catch(() => this.#known.delete(inside));
    return making;
  }

  /** @throws ClientError where the store's own is not there: nobody makes that. */
  async check(): Promise<void> {
    if (!(await this.#disk.isFolder(this.#root, true))) throw failed('folder_is_none', { path: this.#root });
  }

  /** One that has begun may miss what came since. */
  sync(path: string): Promise<void> {
    const next = this.#nextSync.get(path);
    if (next !== undefined) return next;
    const before = this.#syncing.get(path) ?? Promise.resolve();
    const begun = before
      .catch(() => {})
      .then(async () => {
        this.#nextSync.delete(path);
        this.#syncing.set(path, begun);
        await this.#disk.syncFolder(path);
      })
      .finally(() => {
        if (this.#syncing.get(path) === begun) this.#syncing.delete(path);
      });
    this.#nextSync.set(path, begun);
    return begun;
  }

  /** Somebody has tidied up meanwhile. */
  forget(): void {
    this.#known.clear();
  }

  async #make(inside: string): Promise<string> {
    const at = inside.lastIndexOf('/');
    const above = at < 0 ? this.#root : await this.made(inside.slice(0, at));
    if (at < 0) await this.check();
    const path = join(this.#root, inside);
    try {
      await this.#disk.makeFolder(path);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
      if (!(await this.#disk.isFolder(path, false))) throw failed('folder_with_link', { path: this.#root });
    }
    // Also where it was there: who has made it may not have come so far.
    await this.sync(above);
    return path;
  }
}
