import { join } from 'node:path';
import { failed } from '../failures.ts';
import type { Queued } from '../store.ts';
import { codeOf, type DiskFile } from './disk.ts';
import type { EntryWriter } from './entry_writer.ts';
import { type Entry, type FileName, lettersAt, lettersOf, nameOf, type Status } from './file_format.ts';
import type { ProcessFolder, StoreParts } from './process_folder.ts';

export interface LeaseParts extends StoreParts {
  readonly owner: ProcessFolder;
  readonly writer: EntryWriter;
}

/** An entry of a file that this process has leased. */
export interface LeasedEntry {
  readonly file: LeasedFile;
  readonly number: number;
  readonly entry: Entry;
}

/** A file in this process's own folder, and the state of its entries. */
export class LeasedFile {
  readonly #path: string;
  /** The numbers of unsettled entries. */
  readonly #left: Set<number>;
  /** The numbers of leased entries. */
  readonly #leased: Set<number>;
  /** The numbers of entries that were already written elsewhere. */
  readonly #moved = new Set<number>();
  readonly entries: readonly LeasedEntry[];
  #recording: Promise<void> = Promise.resolve();
  #file: DiskFile | undefined;
  #isRecorded = true;
  #isGone = false;

  /** @param left All waiting entries of the file. @param entries The leased entries among them. */
  constructor(
    readonly name: FileName,
    left: Iterable<number>,
    entries: ReadonlyMap<number, Entry>,
    private readonly context: LeaseParts,
    /** Called when this process no longer has the file. */
    private readonly gone: () => void,
  ) {
    this.#path = join(context.owner.path, nameOf(name));
    this.#left = new Set(left);
    this.#leased = new Set(entries.keys());
    this.entries = [...entries].map(([number, entry]) => ({ file: this, number, entry }));
  }

  /** How many of its entries are unsettled. */
  get left(): number {
    return this.#left.size;
  }

  /** Settles an entry. Entries settled at the same time share a write. */
  settle(number: number): Promise<void> {
    if (this.#isGone) throw failed('claim_lost');
    this.#left.delete(number);
    this.#leased.delete(number);
    this.#isRecorded = false;
    return this.#inTurn(() => this.#record());
  }

  /**
   * Writes the entry to its new file before it settles the old one, so that a crash in between leaves two
   * entries rather than none.
   */
  async move({ number, entry }: LeasedEntry, status: Status, kept: Queued): Promise<void> {
    const { disk, folders, writer } = this.context;
    if (this.#isGone) throw failed('claim_lost');
    // Another version may be able to read the file, so move it unchanged.
    if (entry.isUnread || (entry.isDamaged && this.name.total === 1)) return this.#putBack(status);
    if (!(await disk.isThere(this.#path))) {
      await folders.check();
      await this.release(number);
      throw failed('claim_lost');
    }
    // If only settling fails, a retry does not write the entry again.
    if (!this.#moved.has(number)) await writer.write({ ...entry, kept }, { status });
    this.#moved.add(number);
    await this.settle(number);
  }

  /** Stops using an entry. When no entry of a file is in use, the file is put back; if that fails, the next beat does it. */
  release(number: number): Promise<void> {
    this.#leased.delete(number);
    return this.#inTurn(async () => {
      // The disk may work again after a failure.
      await this.#record().catch(() => {});
      if (!this.#isGone && this.#leased.size === 0)
        await this.#putBack(this.name.status).finally(() => this.#end());
    });
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#recording = this.#recording.then(work, work);
    return this.#recording;
  }

  async #record(): Promise<void> {
    if (this.#isRecorded) return;
    if (this.#isGone) throw failed('claim_lost');
    this.#isRecorded = true;
    let isFound: boolean;
    try {
      isFound = (await this.#recordAt(this.#path)) || (await this.#recordElsewhere());
      await this.#endIfIdle();
    } catch (error) {
      this.#isRecorded = false;
      throw error;
    }
    if (!isFound) throw failed('claim_lost');
  }

  /**
   * Records the state if another process took this one for dead. If that process has only put the file back,
   * nothing is delivered twice.
   */
  async #recordElsewhere(): Promise<boolean> {
    // If the whole store is missing, it may come back, and this lease with it.
    await this.context.folders.check();
    for await (const { path, name } of this.context.files.waiting())
      if (name.mark === this.name.mark && (await this.#recordAt(path))) return true;
    return false;
  }

  /** Resolves with whether the file existed. */
  async #recordAt(path: string): Promise<boolean> {
    const { disk } = this.context;
    if (this.#left.size === 0) return disk.remove(path);
    try {
      this.#file ??= await disk.open(path, true);
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return false;
      throw error;
    }
    await this.#file.write([lettersOf(this.name, this.#left)], lettersAt);
    return true;
  }

  async #endIfIdle(): Promise<void> {
    if (!this.#isRecorded || this.#leased.size > 0) return;
    if (this.#left.size === 0) this.#end();
    else await this.#putBack(this.name.status);
  }

  async #putBack(status: Status): Promise<void> {
    const isUnread = this.entries[0]?.entry.isUnread;
    const left = isUnread || this.#left.size === 0 ? this.name.left : this.#left.size;
    await this.context.owner.putBack(this.#path, { ...this.name, status, left });
    this.#end();
  }

  #end(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.gone();
    void this.#file?.close().catch(() => {});
  }
}
