import { isUnusual } from './letter_pairs.ts';
import { typedIn } from './own_words.ts';
import { signal } from './signal.ts';

/** Shorter words are too short to judge. */
const leastLetters = 7;

export const gibberish = signal({
  name: 'gibberish',
  summary: 'Words that are no words in any language written in Latin letters, in most of what was typed.',
  weight: 5,
  isDefault: true,
  keys: {},
  look: () => (seen) => {
    let letters = 0;
    let odd = 0;
    let oddWords = 0;
    let hasOddCapitals = false;
    for (const { field, text, words } of typedIn(seen)) {
      if (field.type === 'tel') continue;
      hasOddCapitals ||= oddCapitals.test(text);
      for (const word of words) {
        letters += word.length;
        if (word.length < leastLetters || !isUnusual(word)) continue;
        odd += word.length;
        oddWords += 1;
      }
    }
    const share = letters === 0 ? 0 : odd / letters;
    if (share < 0.5) return undefined;
    // A single such word may be a name, or a part number; hardly one with capitals here and there.
    const strength = oddWords > 1 ? 1 : hasOddCapitals ? 0.8 : 0.6;
    return { strength, why: `${oddWords} of the words are none` };
  },
});

/** Three or more within a word, not as in `iPhone` or `MacGregor`. */
const oddCapitals = /^(?:[a-z]+[A-Z]|[A-Z]+[a-z])[A-Za-z]*[a-z][A-Z]+[a-z]+[A-Z]|^[a-z]+[A-Z]{2,}[a-z]+/;
