import { readSync } from 'node:fs';

/**
 * Reads until `into` is full or the file ends, since one read may give less. Gives how much was read.
 *
 * @param from Default: where the last read ended.
 */
export function readInto(file: number, into: Uint8Array, from?: number): number {
  let length = 0;
  while (length < into.length) {
    const position = from === undefined ? null : from + length;
    const read = readSync(file, into, length, into.length - length, position);
    if (read === 0) break;
    length += read;
  }
  return length;
}
