import { wordsIn } from '../words.ts';
import { HashSet } from './hash_set.ts';
import { keyedHash } from './keyed_hash.ts';
import type { ListBuilder } from './list.ts';

const mostWords = 8;
/** A higher count means no more. */
const mostCounted = 10;

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
      if (words.length === 0)
        return {
          code: 'list_entry_without_words',
          message: 'expected a word or a phrase, of letters or digits',
        };
      if (words.length > mostWords)
        return {
          code: 'list_phrase_too_long',
          message: `found ${words.length} words; a phrase may have ${mostWords}: write those that tell it from others`,
        };
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
