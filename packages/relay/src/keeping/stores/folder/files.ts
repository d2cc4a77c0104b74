import { join } from 'node:path';
import { codeOf, type Disk, type DiskFile } from './disk.ts';
import { type FileName, mostEntries, readName, startOf } from './names.ts';
import { damaged, type Entry, mostBytes, mostHeadBytes, read } from './records.ts';

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

/** The files of a store. What is not the relay's own is not among them. */
export interface Files {
  /** The minutes in which something is due, in their order. */
  minutes(): Promise<readonly { readonly folder: string; readonly start: number }[]>;
  /** Those in a folder, named from the store's own. */
  in(folder: string): AsyncGenerator<Place>;
  /** Those that nobody has claimed. */
  waiting(): AsyncGenerator<Place>;
  all(): AsyncGenerator<Place>;
  /** Opened to be written, too. `undefined`: it is gone. */
  open(place: Place): Promise<OpenedFile | undefined>;
  /** What waits in it. */
  read(place: Place): Promise<readonly Entry[]>;
}

/** The heads of as many entries as a file has at most, and what goes with them. */
const mostAround = mostEntries * (mostHeadBytes + 100);

/**
 * @param mostKept The largest submission that is kept, in bytes. A file that is larger than the relay writes it is not read:
 *   somebody has put it there.
 */
export function createFiles(root: string, disk: Disk, mostKept: number): Files {
  const mostOf = ({ total }: FileName) =>
    (total > 1 ? mostBytes : Math.max(mostBytes, mostKept)) + mostAround;
  return { minutes, in: filesIn, waiting, all, open: (place) => open(place, true), read: readAll };

  async function minutes() {
    const found: { folder: string; start: number }[] = [];
    for await (const { name, isFolder } of listIfThere(disk, join(root, 'due'))) {
      const start = isFolder ? startOf(name) : undefined;
      if (start !== undefined) found.push({ folder: join('due', name), start });
    }
    return found.sort((a, b) => a.start - b.start);
  }

  async function* filesIn(folder: string): AsyncGenerator<Place> {
    for await (const { name, isFile } of listIfThere(disk, join(root, folder))) {
      const about = isFile ? readName(name) : undefined;
      if (about) yield { path: join(root, folder, name), name: about };
    }
  }

  async function* waiting(): AsyncGenerator<Place> {
    for (const { folder } of await minutes()) yield* filesIn(folder);
    yield* filesIn('sealed');
    yield* filesIn('aside');
  }

  async function* all(): AsyncGenerator<Place> {
    yield* waiting();
    for await (const { name, isFolder } of listIfThere(disk, join(root, 'claimed')))
      if (isFolder) yield* filesIn(join('claimed', name));
  }

  async function open({ path, name }: Place, mayWrite: boolean): Promise<OpenedFile | undefined> {
    let file: DiskFile | undefined;
    try {
      file = await disk.open(path, mayWrite);
      const bytes = await file.readAll(mostOf(name));
      if (bytes) return { file, entries: read(bytes, name) };
      await file.close();
    } catch (error) {
      await file?.close().catch(() => {});
      if (codeOf(error) === 'ENOENT') return undefined;
      if (!unreadable.includes(codeOf(error))) throw error;
    }
    return { file: undefined, entries: new Map([[0, damaged(name, 0, new Uint8Array())]]) };
  }

  async function readAll(place: Place): Promise<readonly Entry[]> {
    const opened = await open(place, false);
    await opened?.file?.close();
    return [...(opened?.entries.values() ?? [])];
  }
}

/** This file cannot be read, whatever becomes of others. */
const unreadable = ['EACCES', 'EPERM', 'EIO', 'EISDIR', 'ELOOP', 'ENXIO'];

/** What is in a folder; nothing where there is none. */
export async function* listIfThere(disk: Disk, folder: string): ReturnType<Disk['list']> {
  try {
    yield* disk.list(folder);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}
