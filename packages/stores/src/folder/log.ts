/** A file with a text and the changes of it. */
import { createHash, randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import { failed } from '../failures.ts';
import { codeOf, type Disk } from './disk.ts';

/**
 * A record of a log. Each begins with the mark of the version that it was made for (`''`: none) and its own. A snapshot is the first
 * record. A splice replaces some characters. The last record has neither: the log goes on in the file that its own mark names.
 */
type LogRecord =
  | readonly [base: string, mark: string]
  | readonly [base: string, mark: string, snapshot: string]
  | readonly [base: string, mark: string, at: number, removed: number, inserted: string];

/**
 * Processes append records to the same file, whose order decides: a record counts if the text has its base when its turn comes,
 * and what comes after the last record counts for nothing. So each process that reads the file finds the same text, and no lock
 * is needed. A record that was cut off has no end, and its remains are skipped.
 */
export class Log {
  text = '';
  /** The version of the text. */
  mark = '';
  /** The file in which it goes on. */
  next: string | undefined;
  #offset = 0;
  readonly #marks = new Set<string>();

  private constructor(
    private readonly disk: Disk,
    private readonly path: string,
  ) {}

  static async open(disk: Disk, path: string): Promise<Log> {
    const log = new Log(disk, path);
    await log.read();
    if (log.mark === '') throw log.#damaged();
    return log;
  }

  /** @param first What the file has. */
  static begun(disk: Disk, path: string, first: Buffer): Log {
    const log = new Log(disk, path);
    log.#takeAll(first);
    return log;
  }

  get name(): string {
    return basename(this.path);
  }

  /** How much of it has been read, in bytes. */
  get size(): number {
    return this.#offset;
  }

  /** Reads what was appended since. */
  async read(): Promise<void> {
    this.#takeAll(await this.disk.readFrom(this.path, this.#offset));
  }

  /** Resolves with `true` once the text is replaced, durably. `false`: another record came first. */
  replace(text: string): Promise<boolean> {
    return this.#append([this.mark, newMark(), ...spliceOf(this.text, text)]);
  }

  /** Resolves with `true` once it goes on in that file, durably. `false`: another record came first. */
  end(next: string): Promise<boolean> {
    return this.#append([this.mark, next]);
  }

  async #append(record: LogRecord): Promise<boolean> {
    const bytes = await ifThere(this.disk.append(this.path, encode(record), this.#offset));
    // The log has gone on in other files since.
    if (!bytes) return false;
    this.#takeAll(bytes);
    return this.#marks.has(record[1]);
  }

  #takeAll(bytes: Buffer): void {
    if (this.#offset === 0 && isNewerLog(bytes)) throw failed('counts_newer', { at: this.path });
    let at = 0;
    for (let to = bytes.indexOf(end); to >= 0; to = bytes.indexOf(end, at)) {
      this.#take(bytes.toString('utf8', at, to));
      at = to + 1;
    }
    this.#offset += at;
  }

  #take(written: string): void {
    const line = written.slice(written.lastIndexOf('\n') + 1);
    const json = line.slice(checksumLength);
    if (checksum(json) !== line.slice(0, checksumLength)) throw this.#damaged();
    const [base, mark, at, removed = 0, inserted = ''] = JSON.parse(json) as LogRecord;
    if (base !== this.mark || this.next !== undefined) {
      // The writer had read a record that is gone.
      if (!this.#marks.has(base)) throw this.#damaged();
      return;
    }
    this.#marks.add(mark);
    if (at === undefined) this.next = mark;
    else {
      this.text = typeof at === 'string' ? at : splice(this.text, at, removed, inserted);
      this.mark = mark;
    }
  }

  readonly #damaged = () => failed('counts_damaged', { at: this.path });
}

const version = 1;

/** Whether a newer relay wrote the log that begins with these bytes. */
const isNewerLog = (bytes: Buffer): boolean =>
  Number(/^form-relay counts (\d{1,9})\n/.exec(bytes.toString('latin1', 0, 40))?.[1]) > version;

/** The head of a log, and its first record. */
export const firstRecord = (mark: string, text: string): Buffer =>
  Buffer.concat([Buffer.from(`form-relay counts ${version}`), encode(['', mark, text])]);

export const newMark = (): string => randomBytes(8).toString('hex');

/** `undefined`: a file is gone. */
export const ifThere = <T>(work: Promise<T>): Promise<T | undefined> =>
  work.catch((error) => {
    if (codeOf(error) !== 'ENOENT') throw error;
    return undefined;
  });

/** JSON has none, so that what is cut off does not end with it. */
const end = '\t';
const checksumLength = 16;
const checksum = (json: string) => createHash('sha256').update(json).digest('hex').slice(0, checksumLength);

function encode(record: LogRecord): Buffer {
  const json = JSON.stringify(record);
  // The line break parts it from what was cut off before it.
  return Buffer.from(`\n${checksum(json)}${json}${end}`);
}

const splice = (text: string, at: number, removed: number, inserted: string): string =>
  text.slice(0, at) + inserted + text.slice(at + removed);

/** The smallest splice that makes one text of the other. */
function spliceOf(from: string, to: string): readonly [at: number, removed: number, inserted: string] {
  const most = Math.min(from.length, to.length);
  let at = 0;
  while (at < most && from.charCodeAt(at) === to.charCodeAt(at)) at += 1;
  let after = 0;
  while (
    after < most - at &&
    from.charCodeAt(from.length - 1 - after) === to.charCodeAt(to.length - 1 - after)
  )
    after += 1;
  return [at, from.length - after - at, to.slice(at, to.length - after)];
}
