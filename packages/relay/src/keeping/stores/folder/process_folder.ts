import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { codeOf, type Disk } from './disk.ts';
import { type FileName, folderFor, headBytes, nameOf, readLetters, readName } from './file_format.ts';
import { type Folders, listIfThere } from './layout.ts';

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

/**
 * A process among those that share the store, with a folder of its own: what it has claimed, what it is writing, and its
 * beat, by which the others see that it lives. Clocks may jump, and differ between machines: what counts is for how long
 * the others have seen no change, each by its own steady clock.
 */
export class ProcessFolder {
  readonly #world: OwnerWorld;
  readonly #isInUse: (mark: string) => boolean;
  readonly id = randomBytes(idBytes).toString('hex');
  readonly #own: string;
  readonly #seen = new Map<string, { readonly beat: string; readonly since: number }>();
  #beats = 0;
  #isBeating = false;
  /** Of its folder. */
  readonly path: string;

  /** @param isInUse Whether this process works with that file of its folder. */
  constructor(world: OwnerWorld, isInUse: (mark: string) => boolean) {
    this.#world = world;
    this.#isInUse = isInUse;
    this.#own = `claimed/${this.id}`;
    this.path = join(world.root, this.#own);
  }

  /** The same, once it is there for good. */
  async folder(): Promise<string> {
    const path = await this.#world.folders.made(this.#own);
    if (!this.#isBeating) {
      // Without a beat, others would wait for one as long.
      this.#isBeating = true;
      await this.#beat();
    }
    return path;
  }

  /** Beats, and takes back what the dead have claimed, and what nobody has in its own folder. */
  async tick(): Promise<void> {
    if (this.#isBeating) {
      await this.#beatAgain();
      await this.#tidy(this.#own, this.#isInUse);
    }
    for (const other of await this.#others())
      if (this.#isDead(other, await this.#beatOf(other))) await this.#bury(other);
  }

  /** Puts a file of its folder back to where it waits. `false`: it is not there any more. */
  putBack(name: string, as: FileName): Promise<boolean> {
    return this.#putBack(join(this.#world.root, this.#own, name), as);
  }

  async close(): Promise<void> {
    if (!this.#isBeating) return;
    this.#isBeating = false;
    await this.#bury(this.id);
  }

  /** The others may have taken this process for dead, and have removed its folder. */
  async #beatAgain(): Promise<void> {
    try {
      await this.#beat();
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
      this.#world.folders.forget();
      await this.#world.folders.made(this.#own);
      await this.#beat();
    }
  }

  async #beat(): Promise<void> {
    this.#beats += 1;
    const path = join(this.#world.root, this.#own, 'beat');
    const file = await this.#world.disk.create(path).catch((error) => {
      if (codeOf(error) !== 'EEXIST') throw error;
      return this.#world.disk.open(path, true);
    });
    try {
      await file.write([Buffer.from(String(this.#beats).padStart(12, '0'))], 0);
    } finally {
      await file.close();
    }
  }

  async #beatOf(other: string): Promise<string> {
    try {
      const file = await this.#world.disk.open(join(this.#world.root, 'claimed', other, 'beat'), false);
      try {
        return (await file.read(100)).toString();
      } finally {
        await file.close();
      }
    } catch {
      return '';
    }
  }

  async #others(): Promise<readonly string[]> {
    const found: string[] = [];
    for await (const { name, isFolder } of listIfThere(this.#world.disk, join(this.#world.root, 'claimed')))
      if (isFolder && name !== this.id && /^[0-9a-f]{16}$/.test(name)) found.push(name);
    for (const known of this.#seen.keys()) if (!found.includes(known)) this.#seen.delete(known);
    return found;
  }

  #isDead(other: string, beat: string): boolean {
    const time = this.#world.uptime();
    const last = this.#seen.get(other);
    if (last?.beat === beat) return time - last.since > deadAfterMs;
    this.#seen.set(other, { beat, since: time });
    return false;
  }

  /** What it was writing was acknowledged to nobody. */
  async #bury(other: string): Promise<void> {
    const folder = `claimed/${other}`;
    await this.#tidy(folder, () => false);
    for await (const { name } of listIfThere(this.#world.disk, join(this.#world.root, folder)))
      if (name.startsWith(temporary) || name === 'beat')
        await ifThere(this.#world.disk.remove(join(this.#world.root, folder, name)));
    await removeFolder(this.#world.disk, join(this.#world.root, folder)).catch(() => {});
    this.#world.folders.forget();
  }

  /** Puts back what nobody works with. */
  async #tidy(folder: string, isInUse: (mark: string) => boolean): Promise<void> {
    for await (const { name, isFile } of listIfThere(this.#world.disk, join(this.#world.root, folder))) {
      const about = isFile ? readName(name) : undefined;
      if (!about || isInUse(about.mark)) continue;
      const path = join(this.#world.root, folder, name);
      const left = await this.#leftIn(path, about);
      // Its process may have come back to life, and settled it in between.
      if (left === 0) await ifThere(this.#world.disk.remove(path));
      else await this.#putBack(path, { ...about, left });
    }
  }

  async #leftIn(path: string, about: FileName): Promise<number> {
    try {
      const file = await this.#world.disk.open(path, false);
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

  async #putBack(path: string, as: FileName): Promise<boolean> {
    for (const isLastTry of [false, true]) {
      try {
        await this.#world.disk.rename(
          path,
          join(await this.#world.folders.made(folderFor(as.status, this.#world.now())), nameOf(as)),
        );
        return true;
      } catch (error) {
        if (codeOf(error) !== 'ENOENT') throw error;
        if (isLastTry || !(await this.#world.disk.isThere(path))) return false;
        this.#world.folders.forget();
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

/** Removes a file unless it is gone already. */
export async function ifThere(removing: Promise<void>): Promise<void> {
  await removing.catch((error) => {
    if (codeOf(error) !== 'ENOENT') throw error;
  });
}

/**
 * The marks of files that this process works with. They are counted: a file that goes back may be claimed again before the
 * one who had it has noticed that it is gone.
 */
export class Marks {
  readonly #counts = new Map<string, number>();

  add(mark: string): void {
    this.#counts.set(mark, (this.#counts.get(mark) ?? 0) + 1);
  }

  /** Once for each time that it was added. */
  remove(mark: string): void {
    const left = (this.#counts.get(mark) ?? 0) - 1;
    if (left > 0) this.#counts.set(mark, left);
    else this.#counts.delete(mark);
  }

  has(mark: string): boolean {
    return this.#counts.has(mark);
  }
}
