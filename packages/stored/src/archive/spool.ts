import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';

const mostInMemory = 1_048_576;

/** Lines that wait: more than a megabyte in a file without a name, which goes with its process. */
export class Spool {
  #text = '';
  #file: number | undefined;

  add(line: string): void {
    this.#text += `${line}\n`;
    if (this.#text.length < mostInMemory) return;
    this.#file ??= openNameless();
    writeAll(this.#file, Buffer.from(this.#text));
    this.#text = '';
  }

  *lines(): Generator<string> {
    let rest = '';
    for (const piece of this.#pieces()) {
      const lines = (rest + piece).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
  }

  *#pieces(): Generator<string> {
    const [bytes, decoder] = [Buffer.alloc(262_144), new StringDecoder('utf8')];
    for (let at = 0, read = -1; this.#file !== undefined && read !== 0; at += read) {
      read = readSync(this.#file, bytes, 0, bytes.length, at);
      yield decoder.write(bytes.subarray(0, read));
    }
    yield this.#text;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}

function openNameless(): number {
  const path = join(tmpdir(), `form-relay-${randomUUID()}`);
  const file = openSync(path, 'wx+', 0o600);
  unlinkSync(path);
  return file;
}

function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
}
