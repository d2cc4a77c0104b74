import { format, letter, mark, number } from '../../base/unicode.ts';
import { finding } from '../finding.ts';
import { HashSet } from './hash_set.ts';
import { keyedHash } from './keyed_hash.ts';
import type { ListBuilder } from './list.ts';

export const mostWords = 8;
/** A higher count means no more. */
const mostCounted = 10;

const invisible = new RegExp(`[${mark}${format}]`, 'gu');
/** Scripts without spaces: each of their letters counts as a word. */
export const unspaced = ['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar']
  .map((script) => `\\p{Script=${script}}`)
  .join('');
const word = new RegExp(`[${unspaced}]|(?:(?![${unspaced}])[${letter}${number}])+`, 'gu');

/** For ASCII, in a third of the time. */
const plainWord = /[a-z\d]+/g;

/**
 * The words of a text, normalized: lower case, without accents and invisible characters.
 *
 * Marks go before the text is taken apart: many of them in a row take a time that grows with their square to be put in
 * order. And a few characters stand for up to eighteen.
 */
export function wordsIn(text: string): readonly string[] {
  const isPlain = !/[^\0-\x7f]/.test(text);
  const bare = () =>
    text
      .replaceAll(invisible, '')
      .normalize('NFKD')
      .slice(0, 4 * text.length);
  const folded = isPlain ? text : bare().replaceAll(invisible, '');
  return folded.toLowerCase().match(isPlain ? plainWord : word) ?? [];
}

/** Words and phrases, matched as whole words anywhere in a text. */
export function buildWords(): ListBuilder<'words'> {
  const { ofText, ofPair } = keyedHash();
  const phrases = new HashSet();
  /** The first words of longer phrases. */
  const begins = new HashSet();
  let longest = 1;
  return {
    add: (entry) => {
      const words = wordsIn(entry);
      if (words.length === 0) return { finding: finding('list_entry_without_words', []) };
      if (words.length > mostWords)
        return { finding: finding('list_phrase_too_long', [], { words: words.length, most: mostWords }) };
      const [first = 0, ...others] = words.map(ofText);
      if (others.length > 0) begins.add(first);
      longest = Math.max(longest, words.length);
      phrases.add(others.reduce(ofPair, first));
      return undefined;
    },
    list: {
      count: (text) => {
        const hashes = wordsIn(text).map(ofText);
        const found = new Set<number>();
        for (const [index, first] of hashes.entries()) {
          if (phrases.has(first)) found.add(first);
          const end = begins.has(first) ? Math.min(index + longest, hashes.length) : 0;
          let phrase = first;
          for (let at = index + 1; at < end; at += 1) {
            phrase = ofPair(phrase, hashes[at] ?? 0);
            if (phrases.has(phrase)) found.add(phrase);
          }
          if (found.size >= mostCounted) break;
        }
        return found.size;
      },
    },
  };
}
