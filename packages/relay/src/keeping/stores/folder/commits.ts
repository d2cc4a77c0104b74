import { join } from 'node:path';
import { codeOf, type Disk, type DiskFile } from './disk.ts';
import type { Folders } from './folders.ts';
import type { Marks } from './marks.ts';
import { encodeForm, type FileName, homeOf, mostEntries, nameOf, type Status } from './names.ts';
import { type Owner, temporaryNameOf } from './owner.ts';
import { type Entry, mostBytes, write } from './records.ts';

/** Writes entries, those that come at the same time together: most of what a write costs is waiting for the disk. */
export interface Commits {
  /**
   * It is on the disk when it resolves.
   *
   * @param late Gets what rejects it, unless it is being written by then.
   */
  write(entry: Entry, how: HowKept, late?: (reject: (error: unknown) => void) => void): Promise<Written>;
  /** How many files were written, and whether a file was written after so many. */
  written(): number;
  isLater(name: FileName, than: number): boolean;
  /** Waits for what is under way, and what waits for its turn. */
  close(): Promise<void>;
}

export interface HowKept {
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
  readonly how: HowKept;
  readonly resolve: (written: Written) => void;
  readonly reject: (error: unknown) => void;
}

/** While one waits for the disk, the next is written. */
const mostUnderWay = 2;

/** Due times so near each other that what is kept together may wait for the last of them. */
const slotMs = 1_000;

export function createCommits(
  disk: Disk,
  folders: Folders,
  owner: Owner,
  now: () => number,
  inHand: Marks,
): Commits {
  const waiting = new Set<Item>();
  const underWay = new Set<Promise<void>>();
  let isScheduled = false;
  let written = 0;

  return {
    write: (entry, how, late) =>
      new Promise((resolve, reject) => {
        const item = { entry, how, resolve, reject };
        waiting.add(item);
        late?.((error) => waiting.delete(item) && reject(error));
        schedule();
      }),
    written: () => written,
    isLater: ({ mark }, than) =>
      mark.startsWith(owner.id) && Number.parseInt(mark.slice(owner.id.length), 16) > than,
    close: async () => {
      while (waiting.size + underWay.size > 0) {
        await Promise.all(underWay);
        await new Promise(setImmediate);
      }
    },
  };

  /** After all that has come in at the same time. */
  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      while (underWay.size < mostUnderWay && waiting.size > 0) {
        const batch = writeAll(gather()).finally(() => {
          underWay.delete(batch);
          if (waiting.size > 0) schedule();
        });
        underWay.add(batch);
      }
    });
  }

  function gather(): readonly Item[] {
    const items: Item[] = [];
    let bytes = 0;
    for (const item of waiting) {
      bytes += item.entry.kept.content.length;
      if (items.length > 0 && (bytes > mostBytes || items.length === mostEntries)) break;
      items.push(item);
      waiting.delete(item);
    }
    return items;
  }

  async function writeAll(items: readonly Item[]): Promise<void> {
    const together = new Map<string, Item[]>();
    const time = now();
    for (const item of items) {
      const { status, isMine } = item.how;
      const slot = typeof status === 'number' ? Math.ceil(Math.max(0, status - time) / slotMs) : status;
      const key = JSON.stringify([item.entry.kept.form, isMine, slot]);
      const some = together.get(key) ?? [];
      some.push(item);
      together.set(key, some);
    }
    await Promise.all([...together.values()].map(writeFile));
  }

  async function writeFile(items: readonly Item[]): Promise<void> {
    try {
      const { name, file } = await writeWhole(items);
      for (const [number, { resolve }] of items.entries()) resolve({ name, number, file });
    } catch (error) {
      for (const { reject } of items) reject(error);
    }
  }

  /** Under a temporary name at first: to read it is to read all of it. */
  async function writeWhole(items: readonly Item[]): Promise<Omit<Written, 'number'>> {
    const isMine = items[0]?.how.isMine ?? false;
    const name = nameFor(items);
    if (isMine) inHand.add(name.mark);
    for (const isLastTry of [false, true]) {
      try {
        return await writeOnce(name, isMine, items);
      } catch (error) {
        if (codeOf(error) !== 'ENOENT' || isLastTry) {
          if (isMine) inHand.remove(name.mark);
          throw error;
        }
        // Somebody has tidied up meanwhile.
        folders.forget();
      }
    }
    throw new Error('unreachable');
  }

  async function writeOnce(
    name: FileName,
    isMine: boolean,
    items: readonly Item[],
  ): Promise<Omit<Written, 'number'>> {
    const own = await owner.folder();
    const temporary = join(own, temporaryNameOf(name.mark));
    const file = await disk.create(temporary);
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
      const home = isMine ? own : await folders.made(homeOf(name.status, now()));
      await disk.rename(temporary, join(home, nameOf(name)));
      await folders.sync(home);
      return { name, file: isMine ? file : undefined };
    } catch (error) {
      if (isOpen) await file.close().catch(() => {});
      await disk.remove(temporary).catch(() => {});
      throw error;
    }
  }

  function nameFor(items: readonly Item[]): FileName {
    written += 1;
    const statuses = items.map(({ how }) => how.status);
    const times = statuses.filter((status) => typeof status === 'number');
    return {
      status: times.length > 0 ? Math.max(...times) : (statuses[0] ?? 0),
      keptAt: Math.max(0, Math.floor(Math.min(...items.map(({ entry }) => entry.kept.keptAt)))),
      left: items.length,
      total: items.length,
      mark: owner.id + written.toString(16).padStart(8, '0'),
      form: encodeForm(items[0]?.entry.kept.form ?? ''),
    };
  }
}
