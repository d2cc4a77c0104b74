/** A log file with the texts of a group of keys, and their changes. */
import { createHash, randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import { failed } from '../failures.ts';
import type { Versioned } from '../store.ts';
import { codeOf, type Disk } from './disk.ts';

/**
 * A record of a log. A change has the mark of the version that it is based on (`''`: none) and a mark of its
 * own, and replaces some characters in the text of its key; without a replacement, it removes the text. The
 * last record names the file in which the log continues, and the mark of the record before it.
 */
type LogRecord =
  | readonly [base: string, mark: string, key: string, at: number, removed: number, inserted: string]
  | readonly [base: string, mark: string, key: string]
  | readonly [last: string, next: string];

/** A text, and the mark of its latest change. */
interface Current {
  readonly text: string;
  readonly mark: string;
}

/**
 * Processes append records to the same file, and their order decides: a record counts if, when it is reached,
 * the text has the version that it is based on; anything after the last record is ignored. So all processes
 * that read the file see the same texts, without a lock. A truncated record has no end mark and is skipped.
 */
export class Log {
  readonly #texts = new Map<string, Current>();
  /** The mark of the latest change. */
  #last = '';
  /** The file in which the log continues. */
  next: string | undefined;
  /** The total length of its texts, in characters. */
  length = 0;
  #offset = 0;
  readonly #marks = new Set(['']);

  private constructor(
    private readonly disk: Disk,
    private readonly path: string,
  ) {}

  static async open(disk: Disk, path: string): Promise<Log> {
    const log = new Log(disk, path);
    await log.read();
    return log;
  }

  /** @param first The content of the file. */
  static begun(disk: Disk, path: string, first: Buffer): Log {
    const log = new Log(disk, path);
    log.#takeAll(first);
    return log;
  }

  get name(): string {
    return basename(this.path);
  }

  /** How many bytes of the file were read. */
  get size(): number {
    return this.#offset;
  }

  get(key: string): Versioned {
    const { text, mark = '' } = this.#texts.get(key) ?? {};
    return { text, version: mark };
  }

  /** The start of the next file of the log. */
  shortened(): Buffer {
    const records = [...this.#texts].map(([key, { text, mark }]) => encode(['', mark, key, 0, 0, text]));
    return Buffer.concat([head, ...records]);
  }

  /** Reads records that were appended in the meantime. */
  async read(): Promise<void> {
    this.#takeAll(await this.disk.readFrom(this.path, this.#offset));
  }

  /**
   * Replaces a text; `undefined` removes it. Resolves with `true` when that is durable, or with `false` if
   * another record came first.
   */
  replace(key: string, text: string | undefined): Promise<boolean> {
    const { text: before = '', mark = '' } = this.#texts.get(key) ?? {};
    const about = [mark, newMark(), key] as const;
    return this.#append(text === undefined ? about : [...about, ...spliceOf(before, text)]);
  }

  /**
   * Ends the file. Resolves with `true` when the log durably continues in the named file, or with `false` if
   * another record came first.
   */
  end(next: string): Promise<boolean> {
    return this.#append([this.#last, next]);
  }

  async #append(record: LogRecord): Promise<boolean> {
    const bytes = await ifThere(this.disk.append(this.path, encode(record), this.#offset));
    // The log has been continued in other files in the meantime.
    if (!bytes) return false;
    this.#takeAll(bytes);
    return this.#marks.has(record[1]);
  }

  #takeAll(bytes: Buffer): void {
    let at = this.#offset === 0 ? this.#headIn(bytes) : 0;
    for (let to = bytes.indexOf(end, at); to >= 0; to = bytes.indexOf(end, at)) {
      this.#take(bytes.toString('utf8', at, to));
      at = to + 1;
    }
    this.#offset += at;
  }

  #headIn(bytes: Buffer): number {
    const [found = '', number] = /^form-relay counts (\d{1,9})\n/.exec(bytes.toString('latin1', 0, 40)) ?? [];
    if (Number(number) > version) throw failed('counts_newer', { at: this.path });
    if (Number(number) !== version) throw this.#damaged();
    return found.length;
  }

  #take(written: string): void {
    const line = written.slice(written.lastIndexOf('\n') + 1);
    const json = line.slice(checksumLength);
    if (checksum(json) !== line.slice(0, checksumLength)) throw this.#damaged();
    const [base, mark, key, at, removed = 0, inserted = ''] = JSON.parse(json) as LogRecord;
    const { text = '', mark: current = '' } = key === undefined ? {} : (this.#texts.get(key) ?? {});
    if (base !== (key === undefined ? this.#last : current) || this.next !== undefined) {
      // The record is based on one that is missing.
      if (!this.#marks.has(base)) throw this.#damaged();
      return;
    }
    this.#marks.add(mark);
    if (key === undefined) {
      this.next = mark;
      return;
    }
    this.#last = mark;
    this.#texts.delete(key);
    const changed = at === undefined ? '' : text.slice(0, at) + inserted + text.slice(at + removed);
    if (at !== undefined) this.#texts.set(key, { text: changed, mark });
    this.length += changed.length - text.length;
  }

  readonly #damaged = () => failed('counts_damaged', { at: this.path });
}

const version = 1;

/** The start of each log. */
export const head = Buffer.from(`form-relay counts ${version}\n`);

export const newMark = (): string => randomBytes(8).toString('hex');

/** Resolves with `undefined` if a file does not exist. */
export const ifThere = <T>(work: Promise<T>): Promise<T | undefined> =>
  work.catch((error) => {
    if (codeOf(error) !== 'ENOENT') throw error;
    return undefined;
  });

/** The end mark of a record. JSON never contains it, so a truncated record cannot end with it. */
const end = '\t';
const checksumLength = 16;
const checksum = (json: string) => createHash('sha256').update(json).digest('hex').slice(0, checksumLength);

function encode(record: LogRecord): Buffer {
  const json = JSON.stringify(record);
  // The line break separates this record from a truncated one before it.
  return Buffer.from(`\n${checksum(json)}${json}${end}`);
}

/** The smallest splice that turns one text into the other. */
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
