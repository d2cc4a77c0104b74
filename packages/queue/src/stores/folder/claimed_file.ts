import { join } from 'node:path';
import { folderFailure } from '@form-relay/clients/folder';
import { failed } from '../../failures.ts';
import type { DeadLetterReason, Lease, Queued } from '../../store.ts';
import type { BatchWriter } from './batch_writer.ts';
import type { DiskFile } from './disk.ts';
import { type Entry, type FileName, letterAt, nameOf, type Status, settledLetters } from './file_format.ts';
import type { ProcessFolder, StoreParts } from './process_folder.ts';

export interface ClaimingParts extends StoreParts {
  readonly owner: ProcessFolder;
  readonly writer: BatchWriter;
}

/** A file in this process's own folder, and the state of its entries. */
export class ClaimedFile {
  readonly #path: string;
  /** Numbers of the entries that are not settled. */
  readonly #left: Set<number>;
  /** Those of them that are in use. */
  readonly #worked: Set<number>;
  readonly #settled: Set<number>;
  /** Entries that are written elsewhere already. */
  readonly #moved = new Set<number>();
  /** The range of letters to write. */
  #changed: { from: number; to: number } | undefined;
  #writing: Promise<void> = Promise.resolve();
  /** Settlements under way, which decide what goes back. */
  readonly #settling = new Set<Promise<void>>();
  #isGone = false;

  /** @param file `undefined` for an unreadable file, which stays in one piece. */
  constructor(
    private readonly name: FileName,
    numbers: Iterable<number>,
    private readonly file: DiskFile | undefined,
    private readonly world: ClaimingParts,
    /** Called when this process no longer has the file. */
    private readonly gone: () => void,
  ) {
    this.#path = join(world.owner.path, nameOf(name));
    this.#left = new Set(numbers);
    this.#worked = new Set(this.#left);
    this.#settled = new Set([...Array(name.total).keys()].filter((one) => !this.#left.has(one)));
  }

  claim(number: number, { kept, isDamaged }: Entry): Lease {
    let isSettled = false;
    const once = async (settle: () => Promise<void>) => {
      if (isSettled) return;
      if (this.#isGone) throw failed('claim_lost');
      const work = settle();
      this.#settling.add(work);
      try {
        await work;
      } catch (error) {
        throw folderFailure(error, this.world.root);
      } finally {
        this.#settling.delete(work);
      }
      isSettled = true;
    };
    const write = (status: Status, kept: Queued) =>
      once(() => this.#moveOn(number, status, { kept, isDamaged }));
    return {
      kept,
      ...(isDamaged && { isDamaged }),
      done: () => once(() => this.#settle(number)),
      reschedule: (dueAt, kept) => write(waiting(dueAt), kept),
      setAside: (aside: DeadLetterReason, kept) => write(aside, kept),
    };
  }

  /** Stops using this entry. The file goes back when none of its entries is in use. */
  release(number: number): Promise<void> {
    this.#worked.delete(number);
    return this.#inTurn(() => this.#endIfIdle());
  }

  /** Returns entries whose delivery has not begun. */
  async letGo(some: readonly { readonly number: number; readonly entry: Entry }[]): Promise<void> {
    const isWhole = this.#worked.size === some.length;
    const one = async ({ number, entry }: (typeof some)[number]) =>
      isWhole
        ? this.release(number)
        : // If it can't be moved, it goes back with the rest of its file.
          this.#moveOn(number, this.name.status, entry).catch(() => this.release(number));
    await Promise.all(some.map(one));
  }

  /** Puts the file back as it is now. */
  async giveBack(): Promise<void> {
    await Promise.allSettled([...this.#settling, this.#writing]);
    if (!this.#isGone) await this.#putBack(this.name);
  }

  left(): number {
    return this.#left.size;
  }

  /** Writes the entry to its new place before it settles the old one: a crash in between leaves two, not none. */
  async #moveOn(number: number, status: Status, entry: Entry): Promise<void> {
    if (!this.file) return this.#putBack({ ...this.name, status });
    if (!(await this.world.disk.isThere(this.#path))) {
      // If the whole store is away, it may come back, and this claim with it.
      await this.world.folders.check();
      // Another process considered this one dead and has taken the file.
      await this.release(number);
      throw failed('claim_lost');
    }
    if (!this.#moved.has(number)) await this.world.writer.write(entry, { status, isMine: false });
    // If only the letter fails, a retry doesn't write the entry again.
    this.#moved.add(number);
    await this.#settle(number);
  }

  #settle(number: number): Promise<void> {
    this.#left.delete(number);
    this.#worked.delete(number);
    this.#settled.add(number);
    this.#change(number, number);
    // Entries that are settled at the same time share a write.
    return this.#inTurn(() => this.#writeLetters());
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#writing = this.#writing.then(work, work);
    return this.#writing;
  }

  async #writeLetters(): Promise<void> {
    if (this.#isGone || !this.#changed) return;
    if (this.#left.size === 0 && (await this.world.disk.remove(this.#path))) return this.#end();
    const { from, to } = this.#changed;
    this.#changed = undefined;
    try {
      // Also if another process has taken the file: it is the same one, and may not have been read yet.
      await this.file?.write([settledLetters(this.#settled, from, to)], letterAt(from));
    } catch (error) {
      // The next write includes these letters: only one of those that wait for this one hears that it failed.
      this.#change(from, to);
      throw error;
    }
    await this.#endIfIdle();
  }

  async #endIfIdle(): Promise<void> {
    // Pending letters come first.
    if (this.#isGone || this.#changed || this.#worked.size > 0) return;
    if (this.#left.size === 0) await this.#end();
    else await this.#putBack(this.name);
  }

  #change(from: number, to: number): void {
    this.#changed = {
      from: Math.min(this.#changed?.from ?? from, from),
      to: Math.max(this.#changed?.to ?? to, to),
    };
  }

  async #putBack(as: FileName): Promise<void> {
    const left = this.file ? this.#left.size : this.name.left;
    try {
      if (this.#left.size === 0) await this.world.disk.remove(this.#path);
      else await this.world.owner.putBack(this.#path, { ...as, left });
    } finally {
      await this.#end();
    }
  }

  async #end(): Promise<void> {
    if (this.#isGone) return;
    this.#isGone = true;
    this.gone();
    await this.file?.close();
  }
}

export const waiting = (dueAt: number): Status => Math.max(0, Math.ceil(dueAt));
