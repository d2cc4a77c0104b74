/** The wording of offers and scams, in fifteen languages. */

import { wordsIn } from '../../words.ts';
import { kept, type Typed, typedIn, wordsOf } from '../own_words.ts';
import all from './languages.ts';

/**
 * `approach`, `goods`, `bait`, `ask`: the parts of an unsolicited offer. `scam`: hardly anyone writes so in good faith.
 * `hint`: victims, patients and heirs write so, too. `link`: trade in links. `mass`: how to unsubscribe. `lure`: riches
 * without work, and sex; a person may write so, but hardly in a few words next to a way to somewhere else. `tease`:
 * ordinary words; two of them next to such a way, in a text only about its reader, are phishing or an advertisement.
 * `call`, `deal`, `ware`: the parts of an advertisement to consumers: what its reader should do, the price or promise,
 * the goods. `customer`: hardly any advertisement says so. `reach`: what promises visitors to owners of sites, who get
 * more of such offers than of all others. `wants`: who needs it writes so. `complaint`: people who quote such words
 * because they got them.
 */
type Theme = keyof (typeof all)['en'];

/** Phrases by theme. `optimi*` matches any word that begins so, and `*` any word. */
const languages: readonly Readonly<Record<Theme, readonly string[]>>[] = Object.values(all);

interface Phrase {
  readonly theme: Theme;
  readonly written: string;
  /** Read when a text first has a word that begins like it: most phrases never are. */
  parts?: readonly Part[];
}

interface Part {
  readonly start: string;
  readonly isWhole: boolean;
}

/** No first word of a phrase begins with fewer letters. */
const keyOf = (word: string): string => word.slice(0, 3);

/** By how their first words begin. */
let phrases: ReadonlyMap<string, readonly Phrase[]> | undefined;

function phrasesByKey(): ReadonlyMap<string, readonly Phrase[]> {
  const byKey = new Map<string, Phrase[]>();
  for (const language of languages)
    for (const [theme, list] of Object.entries(language) as [Theme, string[]][])
      for (const written of list) {
        const key = keyOf(firstWordOf(written));
        const others = byKey.get(key);
        if (others) others.push({ theme, written });
        else byKey.set(key, [{ theme, written }]);
      }
  return byKey;
}

const firstWordOf = (phrase: string): string => wordsIn(phrase.split(' ', 1)[0] ?? '')[0] ?? '';

const partsOf = (phrase: string): readonly Part[] =>
  phrase
    .split(' ')
    .flatMap((part) =>
      part === '*'
        ? [{ start: '', isWhole: false }]
        : wordsIn(part).map((start) => ({ start, isWhole: !part.endsWith('*') })),
    );

/** How many different phrases of each theme are among these words. Phrases of a theme that share a word count once. */
export function phrasesIn(words: readonly string[]): ReadonlyMap<Theme, number> {
  phrases ??= phrasesByKey();
  const found = new Map<Theme, { readonly said: Set<string>; readonly end: number }>();
  for (const [at, word] of words.entries())
    for (const phrase of phrases.get(keyOf(word)) ?? []) {
      const before = found.get(phrase.theme);
      if (before && before.end > at) continue;
      phrase.parts ??= partsOf(phrase.written);
      if (!stand(phrase.parts, words, at)) continue;
      const end = at + phrase.parts.length;
      const said = before?.said ?? new Set<string>();
      found.set(phrase.theme, { said: said.add(words.slice(at, end).join(' ')), end });
    }
  return new Map([...found].map(([theme, { said }]) => [theme, said.size]));
}

const stand = (parts: readonly Part[], words: readonly string[], at: number): boolean =>
  parts.every(({ start, isWhole }, nth) => {
    const word = words[at + nth];
    return isWhole ? word === start : word?.startsWith(start);
  });

/** How many different phrases of each theme a submission has. Spam comes in any language, so all are searched. */
export const phrasesOf = kept((seen) => phrasesIn(wordsOf(seen)));

/** A passage of four words or more in quotation marks, or a line of a quoted mail. Attributes of tags are none. */
const quotation =
  /(?<![^\s(:])["„“”«»「『](?:[^\s<>"„“”«»「」『』]+\s){3}[^<>"„“”«»「」『』]*["“”«»」』]|^> ?[^\s>].*/m;

/** Less text than this around a quotation says nothing about it. In characters. */
const leastAround = 15;

const quotes = ({ text }: Typed): boolean => {
  const [quoted] = quotation.exec(text) ?? [];
  return quoted !== undefined && text.length - quoted.length >= leastAround;
};

/** A complaint may introduce its quotation with only a colon. */
const afterColon = /:\s+(?:\S+\s+){3}/;

/** Half of what a text counts, if somebody complains about it in words; and half, if somebody quotes it. */
export const unlessComplained = kept((seen): number => {
  const complains = phrasesOf(seen).has('complaint');
  const isQuoted = (one: Typed) => quotes(one) || (complains && afterColon.test(one.text));
  return (complains ? 0.5 : 1) * (typedIn(seen).some(isQuoted) ? 0.5 : 1);
});
