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
  /** The first phrase of a theme counts if several start at the same word. */
  readonly nth: number;
  readonly written: string;
}

interface Part {
  readonly start: string;
  readonly isWhole: boolean;
}

type ReadPhrase = Phrase & { readonly parts: readonly Part[] };

/** Phrases whose first words are alike. */
interface Group {
  readonly first: string;
  readonly phrases: Phrase[];
  /** By the second word; the empty text for any. Read when a text first has the first word: most never are. */
  bySecond?: ReadonlyMap<string, readonly ReadPhrase[]>;
}

interface Groups {
  /** By the first word. */
  readonly whole: ReadonlyMap<string, Group>;
  /** Prefixes of first words, by the first letters. */
  readonly starts: ReadonlyMap<number, readonly Group[]>;
}

/** No first word of a phrase begins with fewer letters. */
const keyLetters = 3;

const keyOf = (word: string): number =>
  (word.charCodeAt(0) << 20) ^ (word.charCodeAt(1) << 10) ^ word.charCodeAt(2);

let groups: Groups | undefined;

function groupsOf(): Groups {
  const whole = new Map<string, Group>();
  const starts = new Map<string, Group>();
  let nth = 0;
  for (const language of languages)
    for (const [theme, list] of Object.entries(language) as [Theme, string[]][])
      for (const written of list) {
        const [part = ''] = written.split(' ', 1);
        const [first] = wordsIn(part);
        if (first === undefined) continue;
        const known = part.endsWith('*') && first.length >= keyLetters ? starts : whole;
        const group = known.get(first) ?? { first, phrases: [] };
        known.set(first, group);
        nth += 1;
        group.phrases.push({ theme, nth, written });
      }
  return { whole, starts: groupBy(starts.values(), ({ first }) => keyOf(first)) };
}

function groupBy<K, V>(all: Iterable<V>, keyOf: (one: V) => K): ReadonlyMap<K, readonly V[]> {
  const byKey = new Map<K, V[]>();
  for (const one of all) {
    const others = byKey.get(keyOf(one));
    if (others) others.push(one);
    else byKey.set(keyOf(one), [one]);
  }
  return byKey;
}

const secondOf = ({ parts: [, second] }: ReadPhrase) => (second?.isWhole ? second.start : '');

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
  groups ??= groupsOf();
  const found = new Map<Theme, { readonly said: Set<string>; readonly end: number }>();
  for (let at = 0; at < words.length; at += 1)
    for (const { theme, parts } of phrasesAt(words, at, groups)) {
      const before = found.get(theme);
      if (before && before.end > at) continue;
      const end = at + parts.length;
      const said = before?.said ?? new Set<string>();
      found.set(theme, { said: said.add(words.slice(at, end).join(' ')), end });
    }
  return new Map([...found].map(([theme, { said }]) => [theme, said.size]));
}

const none: readonly never[] = [];

function phrasesAt(words: readonly string[], at: number, { whole, starts }: Groups): readonly ReadPhrase[] {
  const word = words[at] as string;
  const group = whole.get(word);
  let found = group ? phrasesOfGroup(group, words, at) : none;
  for (const one of starts.get(keyOf(word)) ?? none)
    if (word.startsWith(one.first)) found = found.concat(phrasesOfGroup(one, words, at));
  return found.length > 1 ? found.toSorted((one, other) => one.nth - other.nth) : found;
}

function phrasesOfGroup(group: Group, words: readonly string[], at: number): readonly ReadPhrase[] {
  group.bySecond ??= groupBy(
    group.phrases.map((phrase) => ({ ...phrase, parts: partsOf(phrase.written) })),
    secondOf,
  );
  const { bySecond } = group;
  const second = words[at + 1];
  const [all, some] = [bySecond.get(''), second === undefined ? undefined : bySecond.get(second)];
  if (!all && !some) return none;
  return [...(all ?? none), ...(some ?? none)].filter(({ parts }) => stand(parts, words, at));
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
