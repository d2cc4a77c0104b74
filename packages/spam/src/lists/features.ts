/** The features of a text for a model: its words, and its runs of four characters, as numbers. */
import { createHmac } from 'node:crypto';
import { unexpanded } from '../words.ts';

/** How many numbers there are. Several features share one. */
export const buckets = 16_384;

/** More of a text is not read. */
export const mostCharacters = 20_000;

/** Without them, nobody can tell which words have which number. */
export interface Seeds {
  readonly words: number;
  readonly runs: number;
  /** Tells models of other keys from one's own. 16 hexadecimal digits. */
  readonly check: string;
}

export function seedsOf(key: string): Seeds {
  const digest = createHmac('sha256', key).update('form-relay model').digest();
  return {
    words: digest.readInt32LE(0),
    runs: digest.readInt32LE(4),
    check: digest.toString('hex', 8, 16),
  };
}

const prime = 0x01000193;

/** The last bits of a product depend on few others. */
const bucketOf = (hash: number): number => {
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (mixed ^ (mixed >>> 13)) & (buckets - 1);
};

/** The numbers of texts, each once. Ignores letter case and width, and treats all digits alike. */
export function featuresOf(texts: readonly string[], seeds: Seeds): Uint16Array {
  const isFound = new Uint8Array(buckets);
  const found: number[] = [];
  for (const text of texts)
    read(text, seeds, (hash) => {
      const bucket = bucketOf(hash);
      if (isFound[bucket] === 0) found.push(bucket);
      isFound[bucket] = 1;
    });
  return Uint16Array.from(found);
}

function read(text: string, { words, runs }: Seeds, add: (hash: number) => void): void {
  const cut = text.slice(0, mostCharacters);
  const lower = (
    /[^\0-\x7f]/.test(cut) ? unexpanded(cut).normalize('NFKC').slice(0, mostCharacters) : cut
  ).toLowerCase();
  const { length } = lower;
  let thirdLast = 0;
  let beforeLast = 0;
  let last = space;
  let word = words;
  for (let at = 0; at <= length; at += 1) {
    const code = at < length ? kindOf(lower.charCodeAt(at)) : space;
    // A run of digits, or of what separates words, is one of them.
    if (code === last && (code === digit || code === space)) continue;
    if (isInWord(code)) {
      word = Math.imul(word ^ code, prime);
    } else if (word !== words) {
      add(word);
      word = words;
    }
    if (thirdLast !== 0)
      add([code, last, beforeLast, thirdLast].reduce((run, one) => Math.imul(run ^ one, prime), runs));
    thirdLast = beforeLast;
    beforeLast = last;
    last = code;
  }
}

const space = 0x20;
const digit = 0x30;

/** Keeps letters and signs of ASCII, and maps all digits to one and all separators to a space. */
function kindOf(code: number): number {
  if (code >= 0x30 && code <= 0x39) return digit;
  const isSpace =
    code <= space ||
    code === 0x7f ||
    code === 0xa0 ||
    (code >= 0x2000 && code <= 0x206f) ||
    (code >= 0x3000 && code <= 0x303f);
  return isSpace ? space : code;
}

const isInWord = (code: number): boolean => (code >= 0x61 && code <= 0x7a) || code === digit || code >= 0xc0;
