import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { folderFailure } from '@form-relay/clients/folder';
import { failed, inTime } from '../failures.ts';
import type { Counts, Versioned } from '../store.ts';
import type { Disk } from './disk.ts';
import { Folders, listIfThere } from './layout.ts';
import { head, ifThere, Log, newMark } from './log.ts';

const above = 'counts';

/** How often to look again for a log that has gone on in another file meanwhile. */
const mostTries = 20;

/** How many logs to remember, and characters of their texts. */
const mostLogs = 5_000;
const mostRemembered = 16_000_000;

const none: Versioned = { text: undefined, version: '' };

/** The folder of a key's log, and what the key is called there. */
interface Place {
  readonly folder: string;
  readonly name: string;
}

/**
 * Counts in a folder that the processes of a machine may share. Keys of which there are many, such as `once/course/5f`, share a log
 * (`folder/log.ts`) with those that begin alike; each other one has its own. A log has a folder, in which its file has a mark as its
 * name. The folder gets its name with the first file in it, so that one process alone begins a log.
 *
 * A log that is long goes on in a new file. That is written and synced as `~mark`, then the last record of the old one names it, and
 * then `~mark` gets its name. The next such file removes the older ones: so the names that a process finds, in whichever order it
 * reads the folder, lead to the last file.
 */
export class FolderCounts implements Counts {
  readonly #root: string;
  readonly #folders: Folders;
  /** The logs as they were last read, by folder; the oldest first. */
  readonly #logs = new Map<string, Log>();
  /** The last work on each log. */
  readonly #working = new Map<string, Promise<void>>();

  constructor(
    path: string,
    private readonly disk: Disk,
    /** A log that is longer than this and three times its texts goes on in a new file. */
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
      // Fails if others count in it.
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
    // Another record came first, or the file is not what it was.
    if (!isWritten) this.#logs.delete(folder);
    return isWritten === true;
  }

  /** Reads the latest texts; `undefined`: nothing is counted yet. */
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

  /** `undefined`: other processes have changed meanwhile what was listed. */
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

  /** The file in which a log goes on, or itself. Rejects with `ENOENT` if other processes have removed it. */
  async #lastOf(folder: string, from: Log | string): Promise<Log> {
    const log = typeof from === 'string' ? await this.#open(folder, from) : from;
    if (log === from) await log.read();
    return log.next === undefined ? log : this.#lastOf(folder, log.next);
  }

  async #open(folder: string, name: string): Promise<Log> {
    const path = join(folder, name);
    const log = await ifThere(Log.open(this.disk, path));
    if (log) return log;
    // The process that wrote it may have died before this.
    await this.disk.rename(join(folder, `~${name}`), path);
    return Log.open(this.disk, path);
  }

  /** Begins a log, unless another process was first. */
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
      // The others cannot get its name any more.
      for await (const one of this.disk.list(path))
        if (one.name.startsWith(`${name}~`)) await this.#removeFolder(join(path, one.name));
      return this.#latest(folder);
    });
  }

  /** Goes on in a new file, unless another process has changed something. */
  async #goOn(folder: string, log: Log): Promise<Log | undefined> {
    const mark = newMark();
    const path = join(folder, mark);
    const temporary = join(folder, `~${mark}`);
    const first = log.shortened();
    await this.#create(temporary, first);
    await this.#folders.sync(folder);
    // All that is listed before the end came before it, or will not be used.
    const names = await this.#list(folder);
    if (!(await log.end(mark))) {
      await this.disk.remove(temporary);
      return undefined;
    }
    // If a file cannot be removed, the next call retries.
    for (const name of names)
      if (name !== log.name && name !== `~${mark}`)
        await this.disk.remove(join(folder, name)).catch(() => {});
    // If it is gone, others have gone on with it.
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
      if (one === log || (this.#logs.size <= mostLogs && length <= mostRemembered)) return;
      this.#logs.delete(oldest);
      length -= one.length;
    }
  }

  /** Keys have no dot. */
  readonly #pathOf = (key: string) => join(this.#root, above, `${key}.log`);

  /** The 4,096 or 256 keys of a form, such as `once/course/5f`, have 16 logs. */
  #placeOf(key: string): Place {
    const [, above = '', first = '', rest = ''] = /^(.+\/.+\/)(.)(.*)$/.exec(key) ?? [];
    return first === ''
      ? { folder: this.#pathOf(key), name: '' }
      : { folder: this.#pathOf(above + first), name: first + rest };
  }

  /** Works on one key after the other: a log is read and written by one call at a time. */
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

const isLog = (name: string): boolean => /^[0-9a-f]{16}$/.test(name);

/** The file or folder that this user may not access. */
function deniedAt(error: unknown): string | undefined {
  const { code, path, syscall } = error as NodeJS.ErrnoException;
  if ((code !== 'EACCES' && code !== 'EPERM') || path === undefined) return undefined;
  return syscall === 'mkdir' || basename(path).includes('~') ? dirname(path) : path;
}
