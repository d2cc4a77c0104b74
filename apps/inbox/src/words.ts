/** Texts as words, without case and accents. Scripts without spaces are cut into pairs of characters, so that all is found. */

import { type Address, addressWord, addressWords, around } from './correspondent.ts';

/** A word of a search. */
export interface Wanted {
  readonly word: string;
  /** This word will do as well. */
  readonly also?: string;
  /** Words that begin with it will do. */
  readonly isPrefix: boolean;
}

/** The words of a text, those of addresses first. */
export function wordsOf(text: string): string[] {
  const words = addressWords(text);
  for (const { run, isUnspaced } of runsOf(text)) {
    if (!isUnspaced) words.push(run);
    // The last character is also a word by itself, so that a search for it finds the entry.
    else words.push(...pairsOf(run), lastOf(run));
  }
  return words;
}

/** The words that must all occur; the last may be cut, unless a quote ends it. @param isExact No word may be. */
export function wantedWords(search: string, isExact = /["”]\s*$/.test(search)): Wanted[] {
  const pieces = search.split(around).flatMap((piece): readonly (Address | Run)[] => {
    const address = addressWord(piece);
    return address ? [address] : [...runsOf(piece)];
  });
  return pieces.flatMap((piece, index): Wanted[] => {
    const isPrefix = !isExact && index === pieces.length - 1;
    if ('word' in piece) return [{ ...piece, isPrefix }];
    const { run, isUnspaced } = piece;
    if (!isUnspaced) return [{ word: run, isPrefix }];
    const pairs = pairsOf(run);
    return pairs.length > 0
      ? pairs.map((word) => ({ word, isPrefix: false }))
      : [{ word: run, isPrefix: true }];
  });
}

/** Whether a search ends with an address, which is looked for as it is before it is taken for the beginning of one. */
export const endsWithAddress = (search = ''): boolean =>
  addressWord(search.trimEnd().split(around).at(-1) ?? '') !== undefined;

/** Longer ones are cut, such as encoded data. */
const mostWordCharacters = 64;

interface Run {
  readonly run: string;
  readonly isUnspaced: boolean;
}

function* runsOf(text: string): Generator<Run> {
  for (const [letters] of folded(text).matchAll(/[\p{L}\p{N}\p{M}ー]+/gu)) {
    const parts = hasUnspaced.test(letters) ? letters.split(unspacedRun).filter(Boolean) : [letters];
    for (const part of parts) {
      const isUnspaced = hasUnspaced.test(part);
      yield { run: isUnspaced ? part : part.slice(0, mostWordCharacters), isUnspaced };
    }
  }
}

/** Decomposed to lose accents, then composed again: Hangul and kana have parts of their own that must stay. */
const folded = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .toLowerCase()
    .replace(/[\u0307ßæœøđłðþıς]/g, (letter) => plain[letter] ?? '');

const plain: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ł: 'l',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ς: 'σ',
};

/** The marks that lengthen or repeat a character belong to several scripts. */
const unspaced = `[ー々〆${['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar']
  .map((name) => `\\p{Script=${name}}`)
  .join('')}]`;
const hasUnspaced = new RegExp(unspaced, 'u');
const unspacedRun = new RegExp(`(${unspaced}+)`, 'u');

function pairsOf(run: string): string[] {
  const characters = [...run];
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

const lastOf = (run: string) => [...run].at(-1) ?? '';
