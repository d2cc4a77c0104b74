import { join } from 'node:path';
import { folderFailure } from '@form-relay/clients/folder';
import { failed } from '../../failures.ts';
import type { DeadLetterReason, Lease, Queued } from '../../store.ts';
import type { EntryWriter } from './entry_writer.ts';
import { type Entry, type FileName, nameOf, type Status } from './file_format.ts';
import type { ProcessFolder, StoreParts } from './process_folder.ts';

export interface LeaseParts extends StoreParts {
  readonly owner: ProcessFolder;
  readonly writer: EntryWriter;
}

/** A file in this process's own folder, with an entry. */
export class LeasedFile {
  readonly #path: string;
  /** A settlement under way, which decides what goes back. */
  #settling: Promise<void> | undefined;
  /** Whether the entry is written elsewhere already. */
  #isMoved = false;
  #isGone = false;

  constructor(
    private readonly name: FileName,
    readonly entry: Entry,
    private readonly context: LeaseParts,
    /** Called when this process no longer has the file. */
    private readonly gone: () => void,
  ) {
    this.#path = join(context.owner.path, nameOf(name));
  }

  lease(): Lease {
    let isSettled = false;
    const once = async (work: () => Promise<void>) => {
      if (isSettled) return;
      if (this.#isGone) throw failed('claim_lost');
      this.#settling = work();
      try {
        await this.#settling;
      } catch (error) {
        throw folderFailure(error, this.context.root);
      }
      isSettled = true;
    };
    const { kept, isDamaged } = this.entry;
    return {
      kept,
      ...(isDamaged && { isDamaged }),
      done: () => once(() => this.#remove()),
      reschedule: (dueAt, kept) => once(() => this.#moveOn(waiting(dueAt), kept)),
      setAside: (aside: DeadLetterReason, kept) => once(() => this.#moveOn(aside, kept)),
    };
  }

  /** Puts the file back as it is now. If that fails, the next beat does. */
  async giveBack(): Promise<void> {
    await this.#settling?.catch(() => {});
    if (!this.#isGone) await this.#putBack(this.name).finally(() => this.#end());
  }

  async #remove(): Promise<void> {
    const { disk, folders, files } = this.context;
    if (await disk.remove(this.#path)) return this.#end();
    // If the whole store is away, it may come back, and this lease with it.
    await folders.check();
    this.#end();
    // Another process considered this one dead. If it has only put the file back, nothing is delivered twice.
    for await (const { path, name } of files.waiting())
      if (name.mark === this.name.mark && (await disk.remove(path))) return;
    throw failed('claim_lost');
  }

  /** Writes the entry to its new place before it settles the old one: a crash in between leaves two, not none. */
  async #moveOn(status: Status, kept: Queued): Promise<void> {
    const { disk, folders, writer } = this.context;
    // Its bytes may mean something to another version.
    if (this.entry.isDamaged) return this.#putBack({ ...this.name, status });
    if (!(await disk.isThere(this.#path))) {
      await folders.check();
      this.#end();
      throw failed('claim_lost');
    }
    // If only the removal fails, a retry doesn't write the entry again.
    if (!this.#isMoved) await writer.write({ kept, isDamaged: false }, { status });
    this.#isMoved = true;
    await disk.remove(this.#path);
    this.#end();
  }

  async #putBack(as: FileName): Promise<void> {
    await this.context.owner.putBack(this.#path, as);
    this.#end();
  }

  #end(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.gone();
  }
}

export const waiting = (dueAt: number): Status => Math.max(0, Math.ceil(dueAt));
