import { join } from 'node:path';
import { failed } from '../../../base/client_error.ts';
import type { Aside, Claim, Kept } from '../../../base/kept.ts';
import { folderFailure } from '../../../transports/folder/store_file.ts';
import { isSealed } from '../content.ts';
import type { Commits } from './commits.ts';
import { codeOf, type Disk, type DiskFile } from './disk.ts';
import type { Folders } from './folders.ts';
import { type FileName, nameOf, type Status } from './names.ts';
import { ifThere, type Owner } from './owner.ts';
import { type Entry, letterAt, settledLetters } from './records.ts';

/** A file in this process's own folder, and what has become of its entries. */
export interface Hand {
  /** How many are not settled. */
  left(): number;
  /** An entry as a claim, which ends with its settlement. */
  claim(number: number, entry: Entry): Claim;
  /** Nobody works with this entry: when nobody works with another of the file either, the file goes back. */
  release(number: number): Promise<void>;
  /** Nobody has begun to work with these. */
  letGo(some: readonly { readonly number: number; readonly entry: Entry }[]): Promise<void>;
  /** It goes back as it is now. */
  giveBack(): Promise<void>;
}

interface Tools {
  readonly root: string;
  readonly disk: Disk;
  readonly folders: Folders;
  readonly owner: Owner;
  readonly commits: Commits;
  /** It is no longer in this process's hands. */
  readonly gone: () => void;
}

/** @param file `undefined`: nobody may read it, and it stays in one piece. */
export function createHand(
  name: FileName,
  numbers: Iterable<number>,
  file: DiskFile | undefined,
  { root, disk, folders, owner, commits, gone }: Tools,
): Hand {
  const path = join(owner.path, nameOf(name));
  /** Those that wait, and those of them that somebody works with. */
  const left = new Set(numbers);
  const worked = new Set(left);
  const settled = new Set(
    Array.from({ length: name.total }, (_, number) => number).filter((one) => !left.has(one)),
  );
  /** Those that are where they are to be, too. */
  const moved = new Set<number>();
  /** Letters that are to be written. */
  let changed: { from: number; to: number } | undefined;
  let writing: Promise<void> = Promise.resolve();
  /** What is being settled: only then it is known what goes back. */
  const settling = new Set<Promise<void>>();
  let isGone = false;

  return { left: () => left.size, claim, release, letGo, giveBack };

  function claim(number: number, { kept, isDamaged }: Entry): Claim {
    let isSettled = false;
    const once = async (settle: () => Promise<void>) => {
      if (isSettled) return;
      if (isGone) throw failed('claim_lost');
      const work = settle();
      settling.add(work);
      try {
        await work;
      } catch (error) {
        throw folderFailure(error, root);
      } finally {
        settling.delete(work);
      }
      isSettled = true;
    };
    const write = (status: Status, kept: Kept) => once(() => moveOn(number, status, { kept, isDamaged }));
    return {
      kept,
      ...(isDamaged && { isDamaged }),
      done: () => once(() => settle(number)),
      putOff: (dueAt, kept) => write(waiting(dueAt, kept), kept),
      setAside: (aside: Aside, kept) => write(aside, kept),
    };
  }

  /** First it is where it is to be, then no longer where it was: a crash in between leaves it twice. */
  async function moveOn(number: number, status: Status, entry: Entry): Promise<void> {
    if (!file) {
      await putBack({ ...name, status });
      return;
    }
    if (!(await disk.isThere(path))) {
      // Where all of the store is away, it comes back, and this with it.
      await folders.check();
      // Others have taken it for a dead process's: it is theirs to settle now.
      await release(number);
      throw failed('claim_lost');
    }
    if (!moved.has(number)) await commits.write(entry, { status, isMine: false });
    // Where only the letter fails, it is not written anew at each try.
    moved.add(number);
    await settle(number);
  }

  function settle(number: number): Promise<void> {
    left.delete(number);
    worked.delete(number);
    settled.add(number);
    change(number, number);
    // Those that are settled at the same time are written together.
    writing = writing.then(writeLetters, writeLetters);
    return writing;
  }

  function change(from: number, to: number): void {
    changed = { from: Math.min(changed?.from ?? from, from), to: Math.max(changed?.to ?? to, to) };
  }

  async function writeLetters(): Promise<void> {
    if (isGone || !changed) return;
    if (left.size === 0 && (await removed())) return;
    const { from, to } = changed;
    changed = undefined;
    try {
      // Also where others have taken the file: it is the same one, and they may not have read it yet.
      await file?.write([settledLetters(settled, from, to)], letterAt(from));
    } catch (error) {
      // Whoever is next writes it, too: of those that wait for this, one alone hears that it failed.
      change(from, to);
      throw error;
    }
    await endIfIdle();
  }

  async function removed(): Promise<boolean> {
    try {
      await disk.remove(path);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
      return false;
    }
    await end();
    return true;
  }

  async function release(number: number): Promise<void> {
    worked.delete(number);
    writing = writing.then(endIfIdle, endIfIdle);
    await writing;
  }

  async function endIfIdle(): Promise<void> {
    // What is to be written comes first.
    if (isGone || changed || worked.size > 0) return;
    if (left.size === 0) await end();
    else await putBack(name);
  }

  async function letGo(some: Parameters<Hand['letGo']>[0]): Promise<void> {
    const isWhole = worked.size === some.length;
    const one = async ({ number, entry }: (typeof some)[number]) =>
      isWhole
        ? release(number)
        : // What cannot be moved goes back with the others of its file.
          moveOn(number, name.status, entry).catch(() => release(number));
    await Promise.all(some.map(one));
  }

  async function giveBack(): Promise<void> {
    await Promise.allSettled([...settling, writing]);
    if (!isGone) await putBack(name);
  }

  async function putBack(as: FileName): Promise<void> {
    try {
      if (left.size === 0) await ifThere(disk.remove(path));
      else await owner.putBack(nameOf(name), { ...as, left: file ? left.size : name.left });
    } finally {
      await end();
    }
  }

  async function end(): Promise<void> {
    if (isGone) return;
    isGone = true;
    gone();
    await file?.close();
  }
}

/** What nobody but its owner can read waits for its owner. */
export const waiting = (dueAt: number, { content }: Kept): Status =>
  isSealed(content) ? 'sealed' : Math.max(0, Math.ceil(dueAt));
