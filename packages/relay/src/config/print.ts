import { createHash } from 'node:crypto';
import { othersTurn } from '../base/turns.ts';

/** Tells whether a text is another one: the text itself, or the SHA-256 hash of one that is long. */
export type Print = string;

/** To hash this many characters takes less than 1 ms. */
const sliceCharacters = 262_144;

/** A list may have 16 MB, which nobody wants to keep twice, nor wait for. */
export async function printOf(text: string): Promise<Print> {
  if (text.length <= sliceCharacters) return text;
  const hash = createHash('sha256');
  for (let from = 0; from < text.length; from += sliceCharacters) {
    hash.update(text.slice(from, from + sliceCharacters), 'utf16le');
    await othersTurn();
  }
  return hash.digest('base64');
}
