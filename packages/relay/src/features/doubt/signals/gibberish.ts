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
    for (const { field, words } of typedIn(seen)) {
      if (field.type === 'tel') continue;
      for (const word of words) {
        letters += word.length;
        if (word.length < leastLetters || !isUnusual(word)) continue;
        odd += word.length;
        oddWords += 1;
      }
    }
    const share = letters === 0 ? 0 : odd / letters;
    if (share < 0.5) return undefined;
    // A single such word may be a name, or a part number.
    return { strength: oddWords > 1 ? 1 : 0.6, why: `${oddWords} of the words are none` };
  },
});
