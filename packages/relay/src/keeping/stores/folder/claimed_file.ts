import { join } from 'node:path';
import { failed } from '../../../base/client_error.ts';
import type { Aside, Claim, Kept } from '../../../base/kept.ts';
import { folderFailure } from '../../../transports/folder/store_file.ts';
import { isSealed } from '../entry.ts';
import type { BatchWriter } from './batch_writer.ts';
import { codeOf, type Disk, type DiskFile } from './disk.ts';
import { type Entry, type FileName, letterAt, nameOf, type Status, settledLetters } from './file_format.ts';
import type { Folders } from './layout.ts';
import { ifThere, type ProcessFolder } from './process_folder.ts';

interface Tools {
  readonly root: string;
  readonly disk: Disk;
  readonly folders: Folders;
  readonly owner: ProcessFolder;
  readonly writer: BatchWriter;
  /** It is no longer in this process's hands. */
  readonly gone: () => void;
}

/** A file in this process's own folder, and what has become of its entries. */
export class ClaimedFile {
  readonly #name: FileName;
  readonly #file: DiskFile | undefined;
  readonly #world: Tools;
  readonly #path: string;
  /** Those that wait, and those of them that somebody works with. */
  readonly #left: Set<number>;
  readonly #worked: Set<number>;
  readonly #settled: Set<number>;
  /** Those that are where they are to be, too. */
  readonly #moved = new Set<number>();
  /** Letters that are to be written. */
  #changed: { from: number; to: number } | undefined;
  #writing: Promise<void> = Promise.resolve();
  /** What is being settled: only then it is known what goes back. */
  readonly #settling = new Set<Promise<void>>();
  #isGone = false;
  readonly #writeLetters = async (): Promise<void> => {
    if (this.#isGone || !this.#changed) return;
    if (this.#left.size === 0 && (await this.#removed())) return;
    const { from, to } = this.#changed;
    this.#changed = undefined;
    try {
      // Also where others have taken the file: it is the same one, and they may not have read it yet.
      await this.#file?.write([settledLetters(this.#settled, from, to)], letterAt(from));
    } catch (error) {
      // Whoever is next writes it, too: of those that wait for this, one alone hears that it failed.
      this.#change(from, to);
      throw error;
    }
    await this.#endIfIdle();
  };
  readonly #endIfIdle = async (): Promise<void> => {
    // What is to be written comes first.
    if (this.#isGone || this.#changed || this.#worked.size > 0) return;
    if (this.#left.size === 0) await this.#end();
    else await this.#putBack(this.#name);
  };

  /** @param file `undefined`: nobody may read it, and it stays in one piece. */
  constructor(name: FileName, numbers: Iterable<number>, file: DiskFile | undefined, world: Tools) {
    this.#name = name;
    this.#file = file;
    this.#world = world;
    this.#path = join(world.owner.path, nameOf(name));
    this.#left = new Set(numbers);
    this.#worked = new Set(this.#left);
    this.#settled = new Set(
      Array.from({ length: name.total }, (_, number) => number).filter((one) => !this.#left.has(one)),
    );
  }

  /** An entry as a claim, which ends with its settlement. */
  claim(number: number, { kept, isDamaged }: Entry): Claim {
    let isSettled = false;
    const once = async (settle: () => Promise<void>) => {
      if (isSettled) return;
      if (this.#isGone) throw failed('claim_lost');
      const work = settle();
      this.#settling.add(work);
      try {
        await work;
      } catch (error) {
        throw folderFailure(error, this.#world.root);
      } finally {
        this.#settling.delete(work);
      }
      isSettled = true;
    };
    const write = (status: Status, kept: Kept) =>
      once(() => this.#moveOn(number, status, { kept, isDamaged }));
    return {
      kept,
      ...(isDamaged && { isDamaged }),
      done: () => once(() => this.#settle(number)),
      putOff: (dueAt, kept) => write(waiting(dueAt, kept), kept),
      setAside: (aside: Aside, kept) => write(aside, kept),
    };
  }

  /** Nobody works with this entry: when nobody works with another of the file either, the file goes back. */
  async release(number: number): Promise<void> {
    this.#worked.delete(number);
    this.#writing = this.#writing.then(this.#endIfIdle, this.#endIfIdle);
    await this.#writing;
  }

  /** Nobody has begun to work with these. */
  async letGo(some: readonly { readonly number: number; readonly entry: Entry }[]): Promise<void> {
    const isWhole = this.#worked.size === some.length;
    const one = async ({ number, entry }: (typeof some)[number]) =>
      isWhole
        ? this.release(number)
        : // What cannot be moved goes back with the others of its file.
          this.#moveOn(number, this.#name.status, entry).catch(() => this.release(number));
    await Promise.all(some.map(one));
  }

  /** It goes back as it is now. */
  async giveBack(): Promise<void> {
    await Promise.allSettled([...this.#settling, this.#writing]);
    if (!this.#isGone) await this.#putBack(this.#name);
  }

  /** How many are not settled. */
  left(): number {
    return this.#left.size;
  }

  /** First it is where it is to be, then no longer where it was: a crash in between leaves it twice. */
  async #moveOn(number: number, status: Status, entry: Entry): Promise<void> {
    if (!this.#file) {
      await this.#putBack({ ...this.#name, status });
      return;
    }
    if (!(await this.#world.disk.isThere(this.#path))) {
      // Where all of the store is away, it comes back, and this with it.
      await this.#world.folders.check();
      // Others have taken it for a dead process's: it is theirs to settle now.
      await this.release(number);
      throw failed('claim_lost');
    }
    if (!this.#moved.has(number)) await this.#world.writer.write(entry, { status, isMine: false });
    // Where only the letter fails, it is not written anew at each try.
    this.#moved.add(number);
    await this.#settle(number);
  }

  #settle(number: number): Promise<void> {
    this.#left.delete(number);
    this.#worked.delete(number);
    this.#settled.add(number);
    this.#change(number, number);
    // Those that are settled at the same time are written together.
    this.#writing = this.#writing.then(this.#writeLetters, this.#writeLetters);
    return this.#writing;
  }

  #change(from: number, to: number): void {
    this.#changed = {
      from: Math.min(this.#changed?.from ?? from, from),
      to: Math.max(this.#changed?.to ?? to, to),
    };
  }

  async #removed(): Promise<boolean> {
    try {
      await this.#world.disk.remove(this.#path);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
      return false;
    }
    await this.#end();
    return true;
  }

  async #putBack(as: FileName): Promise<void> {
    try {
      if (this.#left.size === 0) await ifThere(this.#world.disk.remove(this.#path));
      else
        await this.#world.owner.putBack(nameOf(this.#name), {
          ...as,
          left: this.#file ? this.#left.size : this.#name.left,
        });
    } finally {
      await this.#end();
    }
  }

  async #end(): Promise<void> {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#world.gone();
    await this.#file?.close();
  }
}

/** Sealed entries wait for their owner. */
export const waiting = (dueAt: number, { content }: Kept): Status =>
  isSealed(content) ? 'sealed' : Math.max(0, Math.ceil(dueAt));
