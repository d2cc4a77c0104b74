import { join } from 'node:path';
import { codeOf, type Disk, type DiskFile } from './disk.ts';
import {
  type Entry,
  encodeForm,
  type FileName,
  folderFor,
  mostBytes,
  mostEntries,
  nameOf,
  type Status,
  write,
} from './file_format.ts';
import type { Folders } from './layout.ts';
import { type Marks, type ProcessFolder, temporaryNameOf } from './process_folder.ts';

export interface WriteOptions {
  readonly status: Status;
  /** In this process's own folder, so that no other gets it. */
  readonly isMine: boolean;
}

/** Where an entry went. `file`: where it is in this process's own folder, still open. */
export interface Written {
  readonly name: FileName;
  readonly number: number;
  readonly file: DiskFile | undefined;
}

interface Item {
  readonly entry: Entry;
  readonly how: WriteOptions;
  readonly resolve: (written: Written) => void;
  readonly reject: (error: unknown) => void;
}

/** While one waits for the disk, the next is written. */
const mostUnderWay = 2;

/** Due times so near each other that what is kept together may wait for the last of them. */
const slotMs = 1_000;

/** Writes entries, those that come at the same time together: most of what a write costs is waiting for the disk. */
export class BatchWriter {
  readonly #disk: Disk;
  readonly #folders: Folders;
  readonly #owner: ProcessFolder;
  readonly #now: () => number;
  readonly #inUse: Marks;
  readonly #waiting = new Set<Item>();
  readonly #underWay = new Set<Promise<void>>();
  #isScheduled = false;
  #written = 0;
  readonly #writeFile = async (items: readonly Item[]): Promise<void> => {
    try {
      const { name, file } = await this.#writeWhole(items);
      for (const [number, { resolve }] of items.entries()) resolve({ name, number, file });
    } catch (error) {
      for (const { reject } of items) reject(error);
    }
  };

  constructor(disk: Disk, folders: Folders, owner: ProcessFolder, now: () => number, inUse: Marks) {
    this.#disk = disk;
    this.#folders = folders;
    this.#owner = owner;
    this.#now = now;
    this.#inUse = inUse;
  }

  /**
   * It is on the disk when it resolves.
   *
   * @param late Gets what rejects it, unless it is being written by then.
   */
  write(
    entry: Entry,
    how: WriteOptions,
    late?: (reject: (error: unknown) => void) => void,
  ): Promise<Written> {
    return new Promise((resolve, reject) => {
      const item = { entry, how, resolve, reject };
      this.#waiting.add(item);
      late?.((error) => this.#waiting.delete(item) && reject(error));
      this.#schedule();
    });
  }

  /** How many files were written, and whether a file was written after so many. */
  written(): number {
    return this.#written;
  }

  isLater({ mark }: FileName, than: number): boolean {
    return mark.startsWith(this.#owner.id) && Number.parseInt(mark.slice(this.#owner.id.length), 16) > than;
  }

  /** Waits for what is under way, and what waits for its turn. */
  async close(): Promise<void> {
    while (this.#waiting.size + this.#underWay.size > 0) {
      await Promise.all(this.#underWay);
      await new Promise(setImmediate);
    }
  }

  /** After all that has come in at the same time. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      while (this.#underWay.size < mostUnderWay && this.#waiting.size > 0) {
        const batch = this.#writeAll(this.#gather()).finally(() => {
          this.#underWay.delete(batch);
          if (this.#waiting.size > 0) this.#schedule();
        });
        this.#underWay.add(batch);
      }
    });
  }

  #gather(): readonly Item[] {
    const items: Item[] = [];
    let bytes = 0;
    for (const item of this.#waiting) {
      bytes += item.entry.kept.content.length;
      if (items.length > 0 && (bytes > mostBytes || items.length === mostEntries)) break;
      items.push(item);
      this.#waiting.delete(item);
    }
    return items;
  }

  async #writeAll(items: readonly Item[]): Promise<void> {
    const together = new Map<string, Item[]>();
    const time = this.#now();
    for (const item of items) {
      const { status, isMine } = item.how;
      const slot = typeof status === 'number' ? Math.ceil(Math.max(0, status - time) / slotMs) : status;
      const key = JSON.stringify([item.entry.kept.form, isMine, slot]);
      const some = together.get(key) ?? [];
      some.push(item);
      together.set(key, some);
    }
    await Promise.all([...together.values()].map(this.#writeFile));
  }

  /** Under a temporary name at first: to read it is to read all of it. */
  async #writeWhole(items: readonly Item[]): Promise<Omit<Written, 'number'>> {
    const isMine = items[0]?.how.isMine ?? false;
    const name = this.#nameFor(items);
    if (isMine) this.#inUse.add(name.mark);
    for (const isLastTry of [false, true]) {
      try {
        return await this.#writeOnce(name, isMine, items);
      } catch (error) {
        if (codeOf(error) !== 'ENOENT' || isLastTry) {
          if (isMine) this.#inUse.remove(name.mark);
          throw error;
        }
        // Somebody has tidied up meanwhile.
        this.#folders.forget();
      }
    }
    throw new Error('unreachable');
  }

  async #writeOnce(
    name: FileName,
    isMine: boolean,
    items: readonly Item[],
  ): Promise<Omit<Written, 'number'>> {
    const own = await this.#owner.folder();
    const temporary = join(own, temporaryNameOf(name.mark));
    const file = await this.#disk.create(temporary);
    let isOpen = true;
    try {
      const bytes = write(
        name.mark,
        items.map(({ entry }) => entry),
      );
      await file.write(bytes, 0);
      await file.sync();
      if (!isMine) {
        isOpen = false;
        await file.close();
      }
      const home = isMine ? own : await this.#folders.made(folderFor(name.status, this.#now()));
      await this.#disk.rename(temporary, join(home, nameOf(name)));
      await this.#folders.sync(home);
      return { name, file: isMine ? file : undefined };
    } catch (error) {
      if (isOpen) await file.close().catch(() => {});
      await this.#disk.remove(temporary).catch(() => {});
      throw error;
    }
  }

  #nameFor(items: readonly Item[]): FileName {
    this.#written += 1;
    const statuses = items.map(({ how }) => how.status);
    const times = statuses.filter((status) => typeof status === 'number');
    return {
      status: times.length > 0 ? Math.max(...times) : (statuses[0] ?? 0),
      keptAt: Math.max(0, Math.floor(Math.min(...items.map(({ entry }) => entry.kept.keptAt)))),
      left: items.length,
      total: items.length,
      mark: this.#owner.id + this.#written.toString(16).padStart(8, '0'),
      form: encodeForm(items[0]?.entry.kept.form ?? ''),
    };
  }
}
