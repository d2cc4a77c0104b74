/**
 * Texts as words to search by, the same in the server's index and in the browser's: letter case, accents and ß aside. Scripts
 * without spaces between words are cut into pairs of characters, so that each part of a text is found.
 */

/** A word of a search. */
export interface Wanted {
  readonly word: string;
  /** Words that begin with it will do. */
  readonly isPrefix: boolean;
}

/** The words of a text, in its order. */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (const { run, isUnspaced } of runsOf(text)) {
    if (!isUnspaced) words.push(run);
    // The last character stands alone, too, so that it is found by itself.
    else words.push(...pairsOf(run), lastOf(run));
  }
  return words;
}

/** The words that must all occur. The last may be the beginning of a word. */
export function wantedWords(search: string): Wanted[] {
  const runs = [...runsOf(search)];
  return runs.flatMap(({ run, isUnspaced }, index): Wanted[] => {
    if (!isUnspaced) return [{ word: run, isPrefix: index === runs.length - 1 }];
    const pairs = pairsOf(run);
    return pairs.length > 0
      ? pairs.map((word) => ({ word, isPrefix: false }))
      : [{ word: run, isPrefix: true }];
  });
}

/** Longer ones are cut, such as encoded data. */
const mostWordCharacters = 64;

function* runsOf(text: string): Generator<{ readonly run: string; readonly isUnspaced: boolean }> {
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
