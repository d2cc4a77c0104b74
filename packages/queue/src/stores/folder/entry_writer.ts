import { join } from 'node:path';
import { createTurns } from '@form-relay/core/kit';
import { codeOf } from './disk.ts';
import {
  type Entry,
  encodeForm,
  type FileName,
  folderFor,
  nameOf,
  type Status,
  write,
} from './file_format.ts';
import { type ProcessFolder, type StoreParts, temporaryNameOf } from './process_folder.ts';

interface WriteOptions {
  readonly status: Status;
  /** Writes into this process's own folder, which leases the entry. */
  readonly isMine?: boolean;
  /** Cancels it, unless the file has its name by then. */
  readonly late?: AbortSignal;
}

/** If a slow disk wrote all at once, all would be late. */
const mostAtOnce = 32;

/** Writes entries, each into a file of its own. */
export class EntryWriter {
  /** How many files it has written. */
  written = 0;
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #inTurn = createTurns(mostAtOnce);

  constructor(
    private readonly context: StoreParts,
    private readonly owner: ProcessFolder,
  ) {}

  /** Resolves with the file's name when it is on the disk. */
  async write(entry: Entry, options: WriteOptions): Promise<FileName> {
    const work = this.#inTurn(() => this.#write(entry, options)).finally(() => this.#underWay.delete(work));
    this.#underWay.add(work);
    return work;
  }

  /** Whether this process wrote that file when it had already written `than` files. */
  isLater({ mark }: FileName, than: number): boolean {
    const { id } = this.owner;
    return mark.startsWith(id) && Number.parseInt(mark.slice(id.length), 16) > than;
  }

  /** Waits for all writes. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#underWay);
  }

  async #write(entry: Entry, options: WriteOptions): Promise<FileName> {
    const { inUse, folders } = this.context;
    const name = this.#nameFor(entry, options.status);
    if (options.isMine) inUse.add(name.mark);
    try {
      await this.#writeOnce(name, entry, options).catch((error) => {
        if (codeOf(error) !== 'ENOENT') throw error;
        // Another process has removed the folder.
        folders.forget();
        return this.#writeOnce(name, entry, options);
      });
      return name;
    } catch (error) {
      if (options.isMine) inUse.delete(name.mark);
      throw error;
    }
  }

  /** Writes under a temporary name first: readers only find whole files. */
  async #writeOnce(name: FileName, entry: Entry, { isMine, late }: WriteOptions): Promise<void> {
    const { disk, folders, now } = this.context;
    const own = await this.owner.folder();
    late?.throwIfAborted();
    let path = join(own, temporaryNameOf(name.mark));
    const file = await disk.create(path);
    try {
      try {
        await file.write(write(name.mark, [entry]), 0);
        await file.sync();
      } finally {
        await file.close();
      }
      late?.throwIfAborted();
      const target = isMine ? own : await folders.made(folderFor(name.status, now()));
      const named = join(target, nameOf(name));
      await disk.rename(path, named);
      path = named;
      await folders.sync(target);
    } catch (error) {
      // Also under its name: the caller writes it again.
      await disk.remove(path).catch(() => {});
      throw error;
    }
  }

  #nameFor({ kept: { keptAt, form } }: Entry, status: Status): FileName {
    this.written += 1;
    return {
      status,
      keptAt: Math.max(0, Math.floor(keptAt)),
      left: 1,
      total: 1,
      mark: this.owner.id + this.written.toString(16).padStart(8, '0'),
      form: encodeForm(form),
    };
  }
}
