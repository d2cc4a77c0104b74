import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { folderFailure } from '@form-relay/clients/folder';
import { failed, inTime } from '../failures.ts';
import type { Counts, Versioned } from '../store.ts';
import type { Disk } from './disk.ts';
import { Folders, listIfThere } from './layout.ts';
import { head, ifThere, Log, newMark } from './log.ts';

const above = 'counts';

/** How often to look again for a log that was continued in another file in the meantime. */
const mostTries = 20;

/** How many logs to cache. */
const mostLogs = 5_000;

const none: Versioned = { text: undefined, version: '' };

/** The folder of a key's log, and the key's name in that log. */
interface Place {
  readonly folder: string;
  readonly name: string;
}

/**
 * Counts in a folder that the processes of a machine may share. Numerous keys, such as `once/course/5f`, share a log
 * (`folder/log.ts`) with keys that start alike; any other key has its own log. Each log has a folder, in which the log's file has
 * a mark as its name. The folder is renamed into place together with its first file, so that only one process can start a log.
 *
 * A long log is continued in a new file, which is written and synced as `~mark`; then the last record of the old file names the
 * new one, and then `~mark` is renamed to `mark`. Older files are removed when the next one is written, so the names that a
 * process finds, in any order, lead to the last file.
 */
export class FolderCounts implements Counts {
  readonly #root: string;
  readonly #folders: Folders;
  /** The logs as last read, by folder; oldest first. */
  readonly #logs = new Map<string, Log>();
  /** How many characters of text to cache: a server's key takes 600, and a log outside the cache is read completely. */
  readonly #mostLength = Math.min(64_000_000, heapBytes() / 16);
  /** The latest operation on each log. */
  readonly #working = new Map<string, Promise<void>>();

  constructor(
    path: string,
    private readonly disk: Disk,
    /** A log longer than this plus three times its texts is continued in a new file. */
    private readonly longBytes = 16_384,
  ) {
    this.#root = resolve(path);
    this.#folders = new Folders(this.#root, disk);
  }

  read(key: string, timeoutMs: number): Promise<Versioned> {
    return this.#inTurn(key, timeoutMs, async ({ folder, name }) => {
      const log = await this.#latest(folder);
      return log?.get(name) ?? none;
    });
  }

  recall(key: string): Versioned | undefined {
    const { folder, name } = this.#placeOf(key);
    return this.#logs.get(folder)?.get(name);
  }

  write(key: string, text: string, { version }: Versioned, timeoutMs: number): Promise<boolean> {
    return this.#inTurn(key, timeoutMs, (place) => this.#replace(place, text, version));
  }

  remove(key: string, timeoutMs: number): Promise<void> {
    return this.#inTurn(key, timeoutMs, async ({ folder, name }) => {
      if (name !== '') {
        for (let log = await this.#latest(folder); log?.get(name).text !== undefined; )
          if (!(await log.replace(name, undefined))) log = await this.#latest(folder);
        return;
      }
      this.#logs.delete(folder);
      const old = `${folder}~${newMark()}`;
      if (await ifThere(this.disk.rename(folder, old).then(() => true))) await this.#removeFolder(old);
      // Fails if there are other counts in the folder.
      await this.disk.removeFolder(dirname(folder)).catch(() => {});
      this.#folders.forget();
    });
  }

  async #replace({ folder, name }: Place, text: string, version: string): Promise<boolean> {
    const known = this.#logs.get(folder) ?? (await this.#latest(folder)) ?? (await this.#begin(folder));
    if (known?.get(name).version !== version) return false;
    const isLong = known.size > this.longBytes + 3 * known.length;
    const log = isLong ? await this.#goOn(folder, known) : known;
    const isWritten = await log?.replace(name, text);
    // Another record came first, or the file has changed unexpectedly.
    if (!isWritten) this.#logs.delete(folder);
    return isWritten === true;
  }

  /** Reads the latest texts; `undefined` if nothing is counted yet. */
  async #latest(folder: string): Promise<Log | undefined> {
    const known = this.#logs.get(folder);
    let found = known && (await ifThere(this.#lastOf(folder, known)));
    for (let tries = 0; !found; tries += 1) {
      if (tries === mostTries) throw failed('counts_damaged', { at: folder });
      if (!(await this.disk.isThere(folder))) return void (await this.#folders.check());
      found = await this.#find(folder);
    }
    this.#remember(folder, found);
    return found;
  }

  /** Finds a log; `undefined` if other processes have changed the folder since it was listed. */
  async #find(folder: string): Promise<Log | undefined> {
    for (const name of await this.#list(folder)) {
      const log = isLog(name) && (await ifThere(this.#lastOf(folder, name)));
      if (log) return log;
    }
    return undefined;
  }

  async #list(folder: string): Promise<readonly string[]> {
    const names: string[] = [];
    for await (const { name, isFile } of listIfThere(this.disk, folder))
      if (isFile && isLog(name.replace(/^~/, ''))) names.push(name);
    return names;
  }

  /** The last file of a log. Rejects with `ENOENT` if other processes have removed one. */
  async #lastOf(folder: string, from: Log | string): Promise<Log> {
    const log = typeof from === 'string' ? await this.#open(folder, from) : from;
    if (log === from) await log.read();
    return log.next === undefined ? log : this.#lastOf(folder, log.next);
  }

  async #open(folder: string, name: string): Promise<Log> {
    const path = join(folder, name);
    const log = await ifThere(Log.open(this.disk, path));
    if (log) return log;
    // The process that wrote the file may have died before renaming it.
    await this.disk.rename(join(folder, `~${name}`), path);
    return Log.open(this.disk, path);
  }

  /** Starts a log, unless another process was first. */
  #begin(folder: string): Promise<Log | undefined> {
    const parent = relative(this.#root, dirname(folder)).replaceAll(sep, '/');
    const name = basename(folder);
    return this.#folders.in(parent, async (path) => {
      const mark = newMark();
      const temporary = join(path, `${name}~${mark}`);
      await this.disk.makeFolder(temporary);
      try {
        await this.#create(join(temporary, mark), head);
        await this.disk.syncFolder(temporary);
        await this.disk.rename(temporary, folder);
      } catch (error) {
        if (!(await this.disk.isThere(folder))) throw error;
      }
      await this.#folders.sync(path);
      // Remove the folders of processes that were too late: the name is taken.
      for await (const one of this.disk.list(path))
        if (one.name.startsWith(`${name}~`)) await this.#removeFolder(join(path, one.name));
      return this.#latest(folder);
    });
  }

  /** Continues a log in a new file, unless another process has changed something. */
  async #goOn(folder: string, log: Log): Promise<Log | undefined> {
    const mark = newMark();
    const path = join(folder, mark);
    const temporary = join(folder, `~${mark}`);
    const first = log.shortened();
    await this.#create(temporary, first);
    await this.#folders.sync(folder);
    // Files listed before the old one ends are older, or will never be used.
    const names = await this.#list(folder);
    if (!(await log.end(mark))) {
      await this.disk.remove(temporary);
      return undefined;
    }
    // If a file cannot be removed, the next call tries again.
    for (const name of names)
      if (name !== log.name && name !== `~${mark}`)
        await this.disk.remove(join(folder, name)).catch(() => {});
    // If the file is gone, other processes have already continued from it.
    if (!(await ifThere(this.disk.rename(temporary, path).then(() => true)))) return undefined;
    const next = Log.begun(this.disk, path, first);
    this.#remember(folder, next);
    return next;
  }

  async #create(path: string, bytes: Uint8Array): Promise<void> {
    const file = await this.disk.create(path);
    try {
      await file.write([bytes], 0);
      await file.sync();
    } catch (error) {
      await this.disk.remove(path).catch(() => {});
      throw error;
    } finally {
      await file.close();
    }
  }

  async #removeFolder(folder: string): Promise<void> {
    for await (const { name } of listIfThere(this.disk, folder)) await this.disk.remove(join(folder, name));
    await ifThere(this.disk.removeFolder(folder));
  }

  #remember(folder: string, log: Log): void {
    const isNew = !this.#logs.has(folder);
    this.#logs.set(folder, log);
    if (!isNew) return;
    let length = 0;
    for (const one of this.#logs.values()) length += one.length;
    for (const [oldest, one] of this.#logs) {
      if (one === log || (this.#logs.size <= mostLogs && length <= this.#mostLength)) return;
      this.#logs.delete(oldest);
      length -= one.length;
    }
  }

  /** Log names have a dot, which keys never have. */
  readonly #pathOf = (key: string) => join(this.#root, above, `${key}.log`);

  /** Maps the 4,096 or 256 keys of a form, such as `once/course/5f`, to 16 logs. */
  #placeOf(key: string): Place {
    const [, above = '', first = '', rest = ''] = /^(.+\/.+\/)(.)(.*)$/.exec(key) ?? [];
    return first === ''
      ? { folder: this.#pathOf(key), name: '' }
      : { folder: this.#pathOf(above + first), name: first + rest };
  }

  /** Works on one log at a time: a log is read and written by one call after another. */
  #inTurn<T>(key: string, timeoutMs: number, work: (place: Place) => Promise<T>): Promise<T> {
    const place = this.#placeOf(key);
    const before = this.#working.get(place.folder) ?? Promise.resolve();
    const turn = before
      .then(() => work(place))
      .catch((error) => {
        this.#logs.delete(place.folder);
        const at = deniedAt(error);
        throw at === undefined || at === this.#root
          ? folderFailure(error, this.#root)
          : failed('counts_denied', { at });
      });
    const working = turn
      .catch(() => {})
      .then(() => {
        if (this.#working.get(place.folder) === working) this.#working.delete(place.folder);
      });
    this.#working.set(place.folder, working);
    return inTime(timeoutMs, turn);
  }
}

const heapBytes = () => process.getBuiltinModule('node:v8').getHeapStatistics().heap_size_limit;

const isLog = (name: string): boolean => /^[0-9a-f]{16}$/.test(name);

/** The file or folder to which this user has no access. */
function deniedAt(error: unknown): string | undefined {
  const { code, path, syscall } = error as NodeJS.ErrnoException;
  if ((code !== 'EACCES' && code !== 'EPERM') || path === undefined) return undefined;
  return syscall === 'mkdir' || basename(path).includes('~') ? dirname(path) : path;
}
