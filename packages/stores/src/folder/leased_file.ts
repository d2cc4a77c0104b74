import { join } from 'node:path';
import { folderFailure } from '@form-relay/clients/folder';
import { failed } from '../failures.ts';
import type { DeadLetterReason, Lease, Queued } from '../store.ts';
import { codeOf, type DiskFile } from './disk.ts';
import type { EntryWriter } from './entry_writer.ts';
import { type Entry, type FileName, lettersAt, lettersOf, nameOf, type Status } from './file_format.ts';
import type { ProcessFolder, StoreParts } from './process_folder.ts';

export interface LeaseParts extends StoreParts {
  readonly owner: ProcessFolder;
  readonly writer: EntryWriter;
}

/** A file in this process's own folder, and the state of its entries. */
export class LeasedFile {
  readonly #path: string;
  /** Numbers of the entries that are not settled. */
  readonly #left: Set<number>;
  /** Numbers of the entries that are leased. */
  readonly #leased: Set<number>;
  /** Entries that are written elsewhere already. */
  readonly #moved = new Set<number>();
  /** Settlements under way, which decide what goes back. */
  readonly #settling = new Set<Promise<void>>();
  #recording: Promise<void> = Promise.resolve();
  #file: DiskFile | undefined;
  #isRecorded = true;
  #isGone = false;

  /** @param left All waiting entries of the file. @param entries The leased ones among them. */
  constructor(
    readonly name: FileName,
    left: Iterable<number>,
    readonly entries: ReadonlyMap<number, Entry>,
    private readonly context: LeaseParts,
    /** Called when this process no longer has the file. */
    private readonly gone: () => void,
  ) {
    this.#path = join(context.owner.path, nameOf(name));
    this.#left = new Set(left);
    this.#leased = new Set(entries.keys());
  }

  /** How many of its entries are not settled. */
  get left(): number {
    return this.#left.size;
  }

  lease(number: number): Lease {
    const entry = this.entries.get(number) as Entry;
    let isSettled = false;
    const once = async (work: () => Promise<void>) => {
      if (isSettled) return;
      if (this.#isGone) throw failed('claim_lost');
      const settling = work();
      this.#settling.add(settling);
      try {
        await settling;
      } catch (error) {
        throw folderFailure(error, this.context.root);
      } finally {
        this.#settling.delete(settling);
      }
      isSettled = true;
    };
    const moveOn = (status: Status, kept: Queued) =>
      once(() => this.#moveOn(number, status, { ...entry, kept }));
    return {
      kept: entry.kept,
      ...(entry.isDamaged && { isDamaged: true }),
      done: () => once(() => this.#settle(number)),
      reschedule: (dueAt, kept) => moveOn(waiting(dueAt), kept),
      setAside: (aside: DeadLetterReason, kept) => moveOn(aside, kept),
    };
  }

  /** Gives each entry a file of its own, in which it waits as before. */
  async split(): Promise<void> {
    for (const [number, entry] of this.entries) await this.#moveOn(number, this.name.status, entry, true);
  }

  leases(): readonly Lease[] {
    return [...this.entries.keys()].map((number) => this.lease(number));
  }

  /** Stops using an entry. The file goes back when none of its entries is in use. */
  release(number: number): Promise<void> {
    this.#leased.delete(number);
    return this.#inTurn(() => this.#endIfIdle());
  }

  /** Puts the file back as it is now. If that fails, the next beat does. */
  async giveBack(): Promise<void> {
    await Promise.allSettled([...this.#settling, this.#recording]);
    if (!this.#isGone) await this.#putBack(this.name.status).finally(() => this.#end());
  }

  /** Writes the entry to its new place before it settles the old one: a crash in between leaves two, not none. */
  async #moveOn(number: number, status: Status, entry: Entry, isOnly = false): Promise<void> {
    const { disk, folders, writer } = this.context;
    // The file's bytes may mean something to another version.
    if (entry.isUnread || (entry.isDamaged && this.name.total === 1)) return this.#putBack(status);
    if (!(await disk.isThere(this.#path))) {
      await folders.check();
      await this.release(number);
      throw failed('claim_lost');
    }
    // If only the old place fails, a retry doesn't write the entry again.
    if (!this.#moved.has(number)) await writer.write(entry, { status, isOnly });
    this.#moved.add(number);
    await this.#settle(number);
  }

  /** Entries that are settled at the same time share a write. */
  #settle(number: number): Promise<void> {
    this.#left.delete(number);
    this.#leased.delete(number);
    this.#isRecorded = false;
    return this.#inTurn(() => this.#record());
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#recording = this.#recording.then(work, work);
    return this.#recording;
  }

  async #record(): Promise<void> {
    if (this.#isRecorded || this.#isGone) return;
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

  /** Another process considered this one dead. If it has only put the file back, nothing is delivered twice. */
  async #recordElsewhere(): Promise<boolean> {
    // If the whole store is away, it may come back, and this lease with it.
    await this.context.folders.check();
    for await (const { path, name } of this.context.files.waiting())
      if (name.mark === this.name.mark && (await this.#recordAt(path))) return true;
    return false;
  }

  /** Resolves with whether the file was there. */
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
    if (this.#isGone || !this.#isRecorded || this.#leased.size > 0) return;
    if (this.#left.size === 0) this.#end();
    else await this.#putBack(this.name.status);
  }

  async #putBack(status: Status): Promise<void> {
    const isUnread = this.entries.get(0)?.isUnread;
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

export const waiting = (dueAt: number): Status => Math.max(0, Math.ceil(dueAt));
