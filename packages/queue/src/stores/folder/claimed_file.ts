import { join } from 'node:path';
import { folderFailure } from '@form-relay/clients/folder';
import { failed } from '../../failures.ts';
import type { Lease, Queued } from '../../store.ts';
import { isSealed } from '../content.ts';
import type { DiskFile } from './disk.ts';
import { type Entry, type FileName, letterAt, nameOf, type Status, settledLetter } from './file_format.ts';
import type { ProcessFolder, StoreParts } from './process_folder.ts';

export interface ClaimingParts extends StoreParts {
  readonly owner: ProcessFolder;
  /** Resolves when the entry is on the disk, for whoever claims it. */
  readonly write: (entry: Entry, status: Status) => Promise<unknown>;
}

/** A file in this process's own folder, and its entry. */
export class ClaimedFile {
  readonly #path: string;
  #settling: Promise<void> | undefined;
  #isMoved = false;
  /** It must not come back. */
  #isOver = false;
  #isGone = false;

  /** @param file `undefined` for an unreadable file, which stays in one piece. */
  constructor(
    readonly name: FileName,
    readonly entry: Entry,
    private readonly file: DiskFile | undefined,
    private readonly world: ClaimingParts,
    /** Called when this process no longer has the file. */
    private readonly gone: () => void,
  ) {
    this.#path = join(world.owner.path, nameOf(name));
  }

  lease(): Lease {
    const { kept, isDamaged } = this.entry;
    let isSettled = false;
    const once = async (settle: () => Promise<void>) => {
      if (isSettled) return;
      if (this.#isGone) throw failed('claim_lost');
      this.#settling = settle();
      try {
        await this.#settling;
      } catch (error) {
        throw folderFailure(error, this.world.root);
      }
      isSettled = true;
    };
    const move = (status: Status, kept: Queued) => once(() => this.#moveOn(status, { kept, isDamaged }));
    return {
      kept,
      ...(isDamaged && { isDamaged }),
      done: () => once(() => this.#remove()),
      reschedule: (dueAt, kept) => move(waiting(dueAt, kept), kept),
      setAside: move,
    };
  }

  /** Puts it back as it is now, unless it is settled. */
  async giveBack(): Promise<void> {
    await this.#settling?.catch(() => {});
    if (this.#isGone) return;
    if (this.#isOver) await this.#remove();
    else await this.#putBack(this.name.status);
  }

  async drop(): Promise<void> {
    await this.#remove();
  }

  /** Writes the entry to its new place before it removes the old one: a crash in between leaves two, not none. */
  async #moveOn(status: Status, entry: Entry): Promise<void> {
    if (!this.file) return this.#putBack(status);
    if (!this.#isMoved) {
      if (!(await this.world.disk.isThere(this.#path))) {
        // If the whole store is away, it may come back, and this claim with it.
        await this.world.folders.check();
        // Another process considered this one dead and has taken the file.
        await this.#end();
        throw failed('claim_lost');
      }
      await this.world.write(entry, status);
    }
    // If only the removal fails, a retry doesn't write the entry again.
    this.#isMoved = true;
    await this.#remove();
  }

  async #remove(): Promise<void> {
    this.#isOver = true;
    // If another process has taken the file, it is the same one, and may not have been read yet.
    if (!(await this.world.disk.remove(this.#path))) await this.file?.write([settledLetter], letterAt(0));
    await this.#end();
  }

  async #putBack(status: Status): Promise<void> {
    try {
      await this.world.owner.putBack(this.#path, { ...this.name, status });
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

/** Sealed entries wait for their owner. */
export const waiting = (dueAt: number, { content }: Queued): Status =>
  isSealed(content) ? 'sealed' : Math.max(0, Math.ceil(dueAt));
