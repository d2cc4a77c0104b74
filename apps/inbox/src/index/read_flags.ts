/** The file of read flags, which outlives the index: `+ID` for read and `-ID` for unread, the latest line of an id holds. */
import { appendFileSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';

/** A file smaller than this is not worth shortening. */
const leastBytes = 1_048_576;

export class ReadFlags {
  /** Lines that newer ones replace are removed once the file is twice as long as after the last time. */
  #shortenAt = 0;

  constructor(private readonly path: string) {}

  add(ids: readonly string[], isRead: boolean): void {
    const lines = ids.map((id) => `${isRead ? '+' : '-'}${id}\n`).join('');
    appendFileSync(this.path, lines, { mode: 0o600 });
    const size = this.size();
    if (size < leastBytes || size < this.#shortenAt) return;
    const read = [...this.read()].flatMap(([id, isRead]) => (isRead ? `+${id}\n` : []));
    writeFileSync(`${this.path}.new`, read.join(''), { mode: 0o600 });
    renameSync(`${this.path}.new`, this.path);
    this.#shortenAt = 2 * this.size();
  }

  /** In bytes: tells whether the index has all of it. */
  size(): number {
    return statSync(this.path, { throwIfNoEntry: false })?.size ?? 0;
  }

  read(): ReadonlyMap<string, boolean> {
    if (this.size() === 0) return new Map();
    const lines = readFileSync(this.path, 'utf8').split('\n').filter(Boolean);
    return new Map(lines.map((line) => [line.slice(1), line.startsWith('+')]));
  }
}
