import { createHash } from 'node:crypto';
import { yieldToEventLoop } from '../base/event_loop.ts';

/** Identifies a text: the text itself, or the SHA-256 hash of a long one. */
export type Fingerprint = string;

/** Hashing this many characters takes less than 1 ms. */
const sliceCharacters = 262_144;

/** Hashes long texts: a list may have 16 MB, too much to keep twice or to hash at once. */
export async function fingerprintOf(text: string): Promise<Fingerprint> {
  if (text.length <= sliceCharacters) return text;
  const hash = createHash('sha256');
  for (let from = 0; from < text.length; from += sliceCharacters) {
    hash.update(text.slice(from, from + sliceCharacters), 'utf16le');
    await yieldToEventLoop();
  }
  return hash.digest('base64');
}
