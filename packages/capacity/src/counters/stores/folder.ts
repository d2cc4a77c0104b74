import { createHash, randomBytes } from 'node:crypto';
import { basename, dirname, join, resolve } from 'node:path';
import { folderFailure } from '@form-relay/clients/folder';
import { inTime } from '@form-relay/queue/failures';
import { codeOf, type Disk } from '@form-relay/queue/stores/folder/disk';
import { Folders, listIfThere } from '@form-relay/queue/stores/folder/layout';
import { failed } from '../failures.ts';
import type { CounterStore, Versioned } from '../store.ts';

const above = 'counted';

/** The relay writes no larger files. */
const mostBytes = 1_000_000;

/** How many files may be half written at once. More were left by processes that died. */
const mostLeft = 50;

/**
 * Counts in a folder that the processes of a machine may share. Each version of a text is a file named by its number. It is
 * written and synced under another name and then linked, which fails if the number exists. So a dead process holds no lock and
 * leaves no half-written version.
 *
 * A process that was suspended may link a number that others have made and removed since. Numbers are removed in order, so the
 * version below is gone then: after linking, the process checks for it, and reads again if it is missing.
 */
export class FolderCounts implements CounterStore {
  readonly #root: string;
  readonly #folders: Folders;

  constructor(
    path: string,
    private readonly disk: Disk,
  ) {
    this.#root = resolve(path);
    this.#folders = new Folders(this.#root, disk);
  }

  read(key: string, timeoutMs: number): Promise<Versioned> {
    return this.#inWords(timeoutMs, () => this.#read(key));
  }

  write(key: string, text: string, read: Versioned, timeoutMs: number): Promise<boolean> {
    return this.#inWords(timeoutMs, () => this.#write(key, text, read));
  }

  remove(key: string, timeoutMs: number): Promise<void> {
    return this.#inWords(timeoutMs, async () => {
      const folder = this.#pathOf(key);
      for await (const { name } of listIfThere(this.disk, folder)) await this.disk.remove(join(folder, name));
      this.#folders.forget();
      await this.disk.removeFolder(folder).catch((error) => {
        if (codeOf(error) !== 'ENOENT') throw error;
      });
      // Fails if others count in it.
      await this.disk.removeFolder(join(this.#root, above)).catch(() => {});
    });
  }

  async close(): Promise<void> {}

  async #read(key: string): Promise<Versioned> {
    await this.#folders.check();
    const folder = this.#pathOf(key);
    for (;;) {
      const [latest] = (await this.#numbers(folder)).reverse();
      if (latest === undefined) return { text: undefined, version: '' };
      const found = await this.#open(folder, latest);
      // If it is gone, others have made two more and removed it.
      if (found) return { text: found.text || undefined, version: `${latest}.${found.mark}` };
    }
  }

  async #write(key: string, text: string, { version }: Versioned): Promise<boolean> {
    const folder = await this.#folders.made(`${above}/${key}`);
    // The first version is empty, so that every version with a text has one below it.
    if (version === '') {
      await this.#link(folder, 1, '');
      return false;
    }
    const [below = '', mark = ''] = version.split('.');
    const number = Number(below) + 1;
    if (!(await this.#link(folder, number, text))) return false;
    if ((await this.#open(folder, number - 1))?.mark !== mark) return false;
    await this.#tidy(folder, number);
    return true;
  }

  /** Resolves with whether the number was free. */
  async #link(folder: string, number: number, text: string): Promise<boolean> {
    const mark = randomBytes(8).toString('hex');
    const temporary = join(folder, `~${mark}`);
    const file = await this.disk.create(temporary).catch((error) => {
      // The owner has removed the folder.
      if (codeOf(error) === 'ENOENT') this.#folders.forget();
      throw error;
    });
    try {
      await file.write([Buffer.from(`${checksum(mark + text)} ${mark}\n${text}`)], 0);
      await file.sync();
      await this.disk.link(temporary, join(folder, nameOf(number)));
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false;
      throw error;
    } finally {
      await file.close();
      await this.disk.remove(temporary).catch(() => {});
    }
    await this.#folders.sync(folder);
    return true;
  }

  /** Removes old versions, oldest first: if a version exists, so do the later ones. */
  async #tidy(folder: string, latest: number): Promise<void> {
    try {
      for (const number of await this.#numbers(folder))
        if (number < latest - 1) await this.disk.remove(join(folder, nameOf(number)));
    } catch {
      // They are removed the next time.
    }
  }

  async #numbers(folder: string): Promise<number[]> {
    const numbers: number[] = [];
    const left: string[] = [];
    for await (const { name, isFile } of listIfThere(this.disk, folder)) {
      if (isFile && /^\d{12}$/.test(name)) numbers.push(Number(name));
      else if (isFile && /^~[0-9a-f]{16}$/.test(name)) left.push(name);
    }
    // A process that is still writing one of them fails to link it.
    if (left.length > mostLeft) for (const name of left) await this.disk.remove(join(folder, name));
    return numbers.sort((a, b) => a - b);
  }

  /** `undefined` if it is gone. */
  async #open(folder: string, number: number): Promise<{ text: string; mark: string } | undefined> {
    const path = join(folder, nameOf(number));
    let bytes: Buffer | undefined;
    try {
      const file = await this.disk.open(path, false);
      try {
        bytes = await file.readAll(mostBytes);
      } finally {
        await file.close();
      }
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error;
    }
    const [, sum, mark = '', text = ''] =
      /^([0-9a-f]{64}) ([0-9a-f]{16})\n(.*)$/s.exec(bytes?.toString() ?? '') ?? [];
    if (sum !== checksum(mark + text)) throw failed('counts_damaged', { at: path });
    return { text, mark };
  }

  readonly #pathOf = (key: string) => join(this.#root, above, key);

  async #inWords<T>(timeoutMs: number, work: () => Promise<T>): Promise<T> {
    try {
      return await inTime(timeoutMs, work());
    } catch (error) {
      const at = deniedAt(error);
      throw at === undefined || at === this.#root
        ? folderFailure(error, this.#root)
        : failed('counts_denied', { at });
    }
  }
}

/** The file or folder that this user may not access. */
function deniedAt(error: unknown): string | undefined {
  const { code, path, syscall } = error as NodeJS.ErrnoException;
  if ((code !== 'EACCES' && code !== 'EPERM') || path === undefined) return undefined;
  return syscall === 'mkdir' || basename(path).startsWith('~') ? dirname(path) : path;
}

const nameOf = (number: number) => String(number).padStart(12, '0');
const checksum = (text: string) => createHash('sha256').update(text).digest('hex');
