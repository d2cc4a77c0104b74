import pairs from './letter_pairs.json' with { type: 'json' };
import { typedIn } from './own_words.ts';
import { signal } from './signal.ts';

/** Shorter words are too short to judge. */
const leastLetters = 7;
/** A text with fewer pairs of letters may consist of abbreviations and names. */
const leastPairs = 40;

export const gibberish = signal({
  name: 'gibberish',
  summary: 'Mostly made-up words in Latin letters.',
  weight: 5,
  score: () => (seen) => {
    let letters = 0;
    let odd = 0;
    let oddWords = 0;
    let pairs = 0;
    let rarePairs = 0;
    let hasOddCapitals = false;
    let isOneOddWord = false;
    for (const { field, text, words } of typedIn(seen)) {
      if (field.type === 'tel') continue;
      hasOddCapitals ||= oddCapitals.test(text);
      isOneOddWord ||= field.type === 'textarea' && mixedWord.test(text) && !camelCase.test(text);
      for (const word of words) {
        letters += word.length;
        if (word.length < leastLetters) continue;
        const rare = rarePairsIn(word);
        if (rare === undefined) continue;
        pairs += word.length - 1;
        rarePairs += rare;
        if (rare * 3 < word.length - 1) continue;
        odd += word.length;
        oddWords += 1;
      }
    }
    if (letters === 0) return undefined;
    if (isOneOddWord) return { score: 0.8, why: 'a word with random capitals' };
    // Random typing hits enough vowels to make some words look usual, but not a whole long text.
    const isNoise = pairs >= leastPairs && pairs >= 0.6 * letters && rarePairs >= 0.2 * pairs;
    if (isNoise) return { score: 1, why: 'random letters' };
    if (odd / letters < 0.5) return undefined;
    // A single odd word may be a name or a part number, but hardly one with random capitals.
    const score = oddWords > 1 ? 1 : hasOddCapitals ? 0.8 : 0.6;
    return { score, why: `${oddWords} of the words look like gibberish` };
  },
});

/** A single word as the whole input: only letters, with capitals in two places after the first letter. */
const mixedWord = /^(?=[A-Za-z]{8,60}$).[a-z]*[A-Z]+[a-z]+[A-Z]/;
/** `JavaScriptFramework`. */
const camelCase = /^(?:[A-Z]?[a-z]{2,}|[A-Z]+)(?:[A-Z][a-z]{2,})*[A-Z]*$/;

const letterA = 0x61;

/** Three or more capitals within a word, unlike `iPhone` or `MacGregor`. */
const oddCapitals = /^(?:[a-z]+[A-Z]|[A-Z]+[a-z])[A-Za-z]*[a-z][A-Z]+[a-z]+[A-Z]|^[a-z]+[A-Z]{2,}[a-z]+/;

/**
 * The letters that follow each letter in words. Counted in programs' translations into 31 languages of Latin script,
 * from Finnish to Vietnamese, without accents: a pair is listed if it makes up a thousandth of the pairs in four
 * languages, or a five-hundredth in one. Among a hundred random pairs of letters, 45 are not listed.
 */
const followers: Readonly<Record<string, string>> = pairs;
const followersOf = Int32Array.from('abcdefghijklmnopqrstuvwxyz', (letter) => lettersIn(followers[letter]));

/** A bit for each letter. */
function lettersIn(text = ''): number {
  let letters = 0;
  for (let at = 0; at < text.length; at += 1) letters |= 1 << (text.charCodeAt(at) - letterA);
  return letters;
}

/** How many of the word's pairs of letters are rare. `undefined` if it has digits, or letters of other scripts. */
function rarePairsIn(word: string): number | undefined {
  let rare = 0;
  let expected = -1;
  for (let at = 0; at < word.length; at += 1) {
    const letter = word.charCodeAt(at) - letterA;
    const following = followersOf[letter];
    if (following === undefined) return undefined;
    if (((expected >> letter) & 1) === 0) rare += 1;
    expected = following;
  }
  return rare;
}
