/** Mail addresses as words of their own: as written, ignoring case, and the domain, in both spellings. */

import { comparable } from '@form-relay/base/same_address';

/** Begins the word of an address. No other word holds it. */
const ofAddress = '\u{10fffc}';
/** Signs count as letters in these words, or the index would split there. */
const firstSign = 0x10fe00;
const mostCharacters = 320;

/** Between addresses, and around them. */
export const around = /[\s<>()[\]{},;:"“”„«»|\\]+/u;

const trimmed = (run: string) => run.replace(/^[.'’*]+|[.!?'’*]+$/gu, '');

export interface Address {
  readonly word: string;
  /** The word with its domain in the other spelling. */
  readonly also?: string;
}

/** Words for the addresses in a text. */
export function addressWords(text: string): string[] {
  const words = new Set<string>();
  if (!text.includes('@')) return [];
  for (const run of text.split(around)) {
    if (!run.includes('@') || run.length > mostCharacters) continue;
    // Behind a `=`, a whole address may begin, such as in links.
    for (const one of new Set([run, run.split(/[=/?&]/).at(-1) ?? ''])) {
      const domain = one.slice(one.lastIndexOf('@'));
      for (const part of [one, domain])
        for (const word of Object.values(addressWord(part) ?? {})) words.add(word);
    }
  }
  return [...words];
}

/** The word of one address, or of its beginning. `undefined`: it is none. */
export function addressWord(run: string): Address | undefined {
  if (run.length > mostCharacters) return undefined;
  const address = trimmed(run).normalize('NFKC').toLowerCase();
  if (!address.includes('@') || address === '@') return undefined;
  const word = encoded(address);
  const also = encoded(comparable(address));
  return also === word ? { word } : { word, also };
}

const encoded = (address: string) =>
  ofAddress +
  address.replaceAll(/[^\p{L}\p{N}]/gu, (sign) =>
    sign.length === 1 && sign < '\x7f' ? String.fromCodePoint(firstSign + sign.charCodeAt(0)) : sign,
  );
