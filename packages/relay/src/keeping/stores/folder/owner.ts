import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { codeOf, type Disk } from './disk.ts';
import { listIfThere } from './files.ts';
import type { Folders } from './folders.ts';
import { type FileName, homeOf, nameOf, readName } from './names.ts';
import { headBytes, readLetters } from './records.ts';

/**
 * A process among those that share the store, with a folder of its own: what it has claimed, what it is writing, and its
 * beat, by which the others see that it lives. Clocks may jump, and differ between machines: what counts is for how long
 * the others have seen no change, each by its own steady clock.
 */
export interface Owner {
  /** In hexadecimal. */
  readonly id: string;
  /** Of its folder. */
  readonly path: string;
  /** The same, once it is there for good. */
  folder(): Promise<string>;
  /** Beats, and takes back what the dead have claimed, and what nobody has in its own folder. */
  tick(): Promise<void>;
  /** Puts a file of its folder back to where it waits. `false`: it is not there any more. */
  putBack(name: string, as: FileName): Promise<boolean>;
  close(): Promise<void>;
}

export const beatMs = 5_000;

/** Much longer than a beat: a process that a busy machine has stopped for a while is not dead. */
const deadAfterMs = 30_000;

const idBytes = 8;

/** Before the name of what is being written. */
const temporary = '~';

export const temporaryNameOf = (mark: string) => temporary + mark;

interface OwnerWorld {
  readonly root: string;
  readonly disk: Disk;
  readonly folders: Folders;
  readonly now: () => number;
  /** A clock that never jumps, in milliseconds. */
  readonly uptime: () => number;
}

/** @param isInHand Whether this process works with that file of its folder. */
export function createOwner(
  { root, disk, folders, now, uptime }: OwnerWorld,
  isInHand: (mark: string) => boolean,
): Owner {
  const id = randomBytes(idBytes).toString('hex');
  const own = `claimed/${id}`;
  const seen = new Map<string, { readonly beat: string; readonly since: number }>();
  let beats = 0;
  let isBeating = false;

  return {
    id,
    path: join(root, own),
    async folder() {
      const path = await folders.made(own);
      if (!isBeating) {
        // Without a beat, others would wait for one as long.
        isBeating = true;
        await beat();
      }
      return path;
    },
    async tick() {
      if (isBeating) {
        await beatAgain();
        await tidy(own, isInHand);
      }
      for (const other of await others()) if (isDead(other, await beatOf(other))) await bury(other);
    },
    putBack: (name, as) => putBack(join(root, own, name), as),
    async close() {
      if (!isBeating) return;
      isBeating = false;
      await bury(id);
    },
  };

  /** The others may have taken this process for dead, and have removed its folder. */
  async function beatAgain(): Promise<void> {
    try {
      await beat();
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
      folders.forget();
      await folders.made(own);
      await beat();
    }
  }

  async function beat(): Promise<void> {
    beats += 1;
    const path = join(root, own, 'beat');
    const file = await disk.create(path).catch((error) => {
      if (codeOf(error) !== 'EEXIST') throw error;
      return disk.open(path, true);
    });
    try {
      await file.write([Buffer.from(String(beats).padStart(12, '0'))], 0);
    } finally {
      await file.close();
    }
  }

  async function beatOf(other: string): Promise<string> {
    try {
      const file = await disk.open(join(root, 'claimed', other, 'beat'), false);
      try {
        return (await file.read(100)).toString();
      } finally {
        await file.close();
      }
    } catch {
      return '';
    }
  }

  async function others(): Promise<readonly string[]> {
    const found: string[] = [];
    for await (const { name, isFolder } of listIfThere(disk, join(root, 'claimed')))
      if (isFolder && name !== id && /^[0-9a-f]{16}$/.test(name)) found.push(name);
    for (const known of seen.keys()) if (!found.includes(known)) seen.delete(known);
    return found;
  }

  function isDead(other: string, beat: string): boolean {
    const time = uptime();
    const last = seen.get(other);
    if (last?.beat === beat) return time - last.since > deadAfterMs;
    seen.set(other, { beat, since: time });
    return false;
  }

  /** What it was writing was acknowledged to nobody. */
  async function bury(other: string): Promise<void> {
    const folder = `claimed/${other}`;
    await tidy(folder, () => false);
    for await (const { name } of listIfThere(disk, join(root, folder)))
      if (name.startsWith(temporary) || name === 'beat') await ifThere(disk.remove(join(root, folder, name)));
    await removeFolder(disk, join(root, folder)).catch(() => {});
    folders.forget();
  }

  /** Puts back what nobody works with. */
  async function tidy(folder: string, isInHand: (mark: string) => boolean): Promise<void> {
    for await (const { name, isFile } of listIfThere(disk, join(root, folder))) {
      const about = isFile ? readName(name) : undefined;
      if (!about || isInHand(about.mark)) continue;
      const path = join(root, folder, name);
      const left = await leftIn(path, about);
      // Its process may have come back to life, and settled it in between.
      if (left === 0) await ifThere(disk.remove(path));
      else await putBack(path, { ...about, left });
    }
  }

  async function leftIn(path: string, about: FileName): Promise<number> {
    try {
      const file = await disk.open(path, false);
      try {
        const letters = readLetters(await file.read(headBytes(about.total)), about);
        return letters ? about.total - letters.size : about.left;
      } finally {
        await file.close();
      }
    } catch {
      // Whoever claims it finds out why.
      return about.left;
    }
  }

  async function putBack(path: string, as: FileName): Promise<boolean> {
    for (const isLastTry of [false, true]) {
      try {
        await disk.rename(path, join(await folders.made(homeOf(as.status, now())), nameOf(as)));
        return true;
      } catch (error) {
        if (codeOf(error) !== 'ENOENT') throw error;
        if (isLastTry || !(await disk.isThere(path))) return false;
        folders.forget();
      }
    }
    return false;
  }
}

/** First it is on the disk where everything went: no folder is gone before what was in it is elsewhere. */
export async function removeFolder(disk: Disk, folder: string): Promise<void> {
  await disk.syncFolder(folder);
  await disk.removeFolder(folder);
}

/** What is gone already needs not be removed. */
export async function ifThere(removing: Promise<void>): Promise<void> {
  await removing.catch((error) => {
    if (codeOf(error) !== 'ENOENT') throw error;
  });
}
