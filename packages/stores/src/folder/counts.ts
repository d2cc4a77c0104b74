import { createHash } from 'node:crypto';
import { basename, dirname, join, resolve } from 'node:path';
import { folderFailure } from '@form-relay/clients/folder';
import { failed, inTime } from '../failures.ts';
import type { Counts, Versioned } from '../store.ts';
import { codeOf, type Disk } from './disk.ts';
import { Folders, listIfThere } from './layout.ts';
import { firstRecord, ifThere, Log, newMark } from './log.ts';

const above = 'counted';

/** Version 0.1.0 wrote no larger files. */
const mostBytes = 1_000_000;

/** How often to look again for a log that has gone on in another file meanwhile. */
const mostTries = 20;

/** How many logs to remember, and characters of their texts. */
const mostLogs = 5_000;
const mostRemembered = 16_000_000;

/** A file of version 0.1.0, which had one for each version of a text. Number 0: there is none. */
interface Numbered {
  readonly number: number;
  readonly mark: string;
  readonly text: string | undefined;
}

/**
 * Counts in a folder that the processes of a machine may share. Each key has a folder with a log (`folder/log.ts`), named by the
 * mark of its first record:
 *
 * - A log that is long goes on in a new file. That is written and synced as `~mark`, then the last record of the old log names
 *   it, and then `~mark` gets its name. The next such file removes the older ones: so the names that a process finds, in
 *   whichever order it reads the folder, lead to the last log.
 * - `000000000001` names the first log, and stays. Linking fails if the name exists. Version 0.1.0 left numbered files with
 *   a version of the text each: the next number names the first log, and that version takes it for damaged, so that it does not
 *   count beside this one.
 */
export class FolderCounts implements Counts {
  readonly #root: string;
  readonly #folders: Folders;
  /** The logs as they were last read, by key; the oldest first. */
  readonly #logs = new Map<string, Log>();
  /** The last work on each key. */
  readonly #working = new Map<string, Promise<void>>();

  constructor(
    path: string,
    private readonly disk: Disk,
    /** A log that is longer than this and three times its text goes on in a new file. */
    private readonly longBytes = 16_384,
  ) {
    this.#root = resolve(path);
    this.#folders = new Folders(this.#root, disk);
  }

  read(key: string, timeoutMs: number): Promise<Versioned> {
    return this.#inTurn(key, timeoutMs, async () => versionOf(await this.#latest(key)));
  }

  recall(key: string): Versioned | undefined {
    const log = this.#logs.get(key);
    return log && versionOf(log);
  }

  write(key: string, text: string, { version }: Versioned, timeoutMs: number): Promise<boolean> {
    return this.#inTurn(key, timeoutMs, () => this.#write(key, text, version));
  }

  remove(key: string, timeoutMs: number): Promise<void> {
    return this.#inTurn(key, timeoutMs, async () => {
      this.#logs.delete(key);
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

  /** Reads the latest version. */
  async #latest(key: string): Promise<Log | Numbered> {
    const folder = this.#pathOf(key);
    const known = this.#logs.get(key);
    let found: Log | Numbered | undefined = known && (await ifThere(this.#lastOf(folder, known)));
    if (!found) await this.#folders.check();
    for (let tries = 0; !found; tries += 1) {
      if (tries === mostTries) throw failed('counts_damaged', { at: folder });
      found = await this.#find(folder);
    }
    if (found instanceof Log) this.#remember(key, found);
    return found;
  }

  /** `undefined`: other processes have changed meanwhile what was listed. */
  async #find(folder: string): Promise<Log | Numbered | undefined> {
    const { numbers, logs } = await this.#list(folder);
    for (const name of logs) {
      const log = await ifThere(this.#lastOf(folder, name));
      if (log) return log;
    }
    if (logs.length > 0) return undefined;
    const number = numbers.at(-1);
    if (number === undefined) return { number: 0, mark: '', text: undefined };
    const numbered = await this.#readNumbered(folder, number);
    const [, first] = /^log ([0-9a-f]{16})$/.exec(numbered?.text ?? '') ?? [];
    return first === undefined ? numbered : ifThere(this.#lastOf(folder, first));
  }

  /** The log in which one goes on, or itself. Rejects with `ENOENT` if other processes have removed it. */
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

  async #write(key: string, text: string, version: string): Promise<boolean> {
    const from = this.#logs.get(key) ?? (await this.#latest(key));
    if (versionOf(from).version !== version) return false;
    const goesOn = from instanceof Log && from.size <= this.longBytes + 3 * from.text.length;
    const isWritten = await (goesOn ? from.replace(text) : this.#begin(key, from, text));
    // Another record came first, or the file is not what it was.
    if (!isWritten) this.#logs.delete(key);
    return isWritten;
  }

  /** Begins a log with a text. Resolves with whether it is the next one. */
  async #begin(key: string, from: Log | Numbered, text: string): Promise<boolean> {
    const folder = await this.#folders.made(`${above}/${key}`);
    const mark = newMark();
    const path = join(folder, mark);
    const temporary = join(folder, `~${mark}`);
    const first = firstRecord(mark, text);
    await this.#create(temporary, first);
    await this.#folders.sync(folder);
    const isNext = await (from instanceof Log
      ? this.#end(folder, from, mark)
      : this.#link(folder, from, `log ${mark}`));
    if (!isNext) {
      await this.disk.remove(temporary);
      return false;
    }
    // If it is gone, others have gone on with it.
    if (await ifThere(this.disk.rename(temporary, path).then(() => true)))
      this.#remember(key, Log.begun(this.disk, path, first));
    return true;
  }

  /** Ends a log, and removes what is older. */
  async #end(folder: string, log: Log, next: string): Promise<boolean> {
    const { names, numbers } = await this.#list(folder);
    if (!(await log.end(next))) return false;
    // All that was listed before its end came before it, or will not be used.
    const used = [log.name, `~${next}`, nameOf(numbers.at(-1) ?? 0)];
    // If a file cannot be removed, the next call retries.
    for (const name of names)
      if (!used.includes(name)) await this.disk.remove(join(folder, name)).catch(() => {});
    return true;
  }

  /** Links the next number. Resolves with whether it was free, and what was read is still there. */
  async #link(folder: string, { number, mark }: Numbered, text: string): Promise<boolean> {
    const next = number + 1;
    const linked = newMark();
    const temporary = join(folder, `~${linked}`);
    await this.#create(temporary, Buffer.from(`${checksum(linked + text)} ${linked}\n${text}`));
    try {
      await this.disk.link(temporary, join(folder, nameOf(next)));
    } catch (error) {
      // Without its file, others have begun a log since, and removed it.
      if (codeOf(error) === 'EEXIST' || codeOf(error) === 'ENOENT') return false;
      throw error;
    } finally {
      await this.disk.remove(temporary).catch(() => {});
    }
    await this.#folders.sync(folder);
    // A suspended process may link a number that was there, and was removed after those below it.
    return number === 0
      ? (await this.#list(folder)).numbers.at(-1) === next
      : (await this.#readNumbered(folder, number))?.mark === mark;
  }

  async #create(path: string, bytes: Uint8Array): Promise<void> {
    const file = await this.disk.create(path).catch((error) => {
      // The owner has removed the folder.
      if (codeOf(error) === 'ENOENT') this.#folders.forget();
      throw error;
    });
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

  async #list(folder: string) {
    const names: string[] = [];
    for await (const { name, isFile } of listIfThere(this.disk, folder))
      if (isFile && /^(?:\d{12}|~?[0-9a-f]{16})$/.test(name)) names.push(name);
    const ofLength = (length: number) => names.filter((name) => name.length === length);
    return {
      names,
      numbers: ofLength(12)
        .map(Number)
        .sort((a, b) => a - b),
      logs: ofLength(16),
    };
  }

  /** `undefined` if it is gone. */
  async #readNumbered(folder: string, number: number): Promise<Numbered | undefined> {
    const path = join(folder, nameOf(number));
    const file = await ifThere(this.disk.open(path, false));
    if (!file) return undefined;
    try {
      const bytes = await file.readAll(mostBytes);
      const [, sum, mark = '', text = ''] =
        /^([0-9a-f]{64}) ([0-9a-f]{16})\n(.*)$/s.exec(bytes?.toString() ?? '') ?? [];
      if (sum !== checksum(mark + text)) throw failed('counts_damaged', { at: path });
      return { number, mark, text: text || undefined };
    } finally {
      await file.close();
    }
  }

  #remember(key: string, log: Log): void {
    const isNew = !this.#logs.has(key);
    this.#logs.set(key, log);
    if (!isNew) return;
    let length = 0;
    for (const { text } of this.#logs.values()) length += text.length;
    for (const [oldest, { text }] of this.#logs) {
      if (this.#logs.size <= mostLogs && length <= mostRemembered) return;
      this.#logs.delete(oldest);
      length -= text.length;
    }
  }

  readonly #pathOf = (key: string) => join(this.#root, above, key);

  /** Works on one key after the other: a log is read and written by one call at a time. */
  #inTurn<T>(key: string, timeoutMs: number, work: () => Promise<T>): Promise<T> {
    const before = this.#working.get(key) ?? Promise.resolve();
    const turn = before.then(work).catch((error) => {
      this.#logs.delete(key);
      const at = deniedAt(error);
      throw at === undefined || at === this.#root
        ? folderFailure(error, this.#root)
        : failed('counts_denied', { at });
    });
    const working = turn
      .catch(() => {})
      .then(() => {
        if (this.#working.get(key) === working) this.#working.delete(key);
      });
    this.#working.set(key, working);
    return inTime(timeoutMs, turn);
  }
}

const versionOf = (found: Log | Numbered): Versioned => ({
  text: found.text,
  version: found instanceof Log ? found.mark : `${found.number}.${found.mark}`,
});

/** The file or folder that this user may not access. */
function deniedAt(error: unknown): string | undefined {
  const { code, path, syscall } = error as NodeJS.ErrnoException;
  if ((code !== 'EACCES' && code !== 'EPERM') || path === undefined) return undefined;
  return syscall === 'mkdir' || basename(path).startsWith('~') ? dirname(path) : path;
}

const nameOf = (number: number) => String(number).padStart(12, '0');
const checksum = (text: string) => createHash('sha256').update(text).digest('hex');
