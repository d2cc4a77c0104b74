/** The wording of offers and scams, in fifteen languages. */

import { wordsIn } from '../../words.ts';
import { kept, type Typed, typedIn, wordsOf } from '../own_words.ts';
import all from './languages.ts';

/**
 * `approach`, `goods`, `bait`, `ask`: the parts of an unsolicited offer. `scam`: hardly anyone writes this in good
 * faith. `hint`: victims, patients and heirs write this, too. `link`: trade in links. `mass`: how to unsubscribe.
 * `lure`: riches without work, and sex; a person may write this, but hardly in a few words next to a link. `tease`:
 * ordinary words; two of them next to a link, in a text only about its reader, are phishing or an advertisement.
 * `call`, `deal`, `ware`: the parts of an advertisement to consumers: a call to act, a price or promise, the goods.
 * `customer`: advertisements hardly ever say this. `reach`: promises more visitors, the most common offer to site
 * owners. `wants`: written by people who want visitors. `complaint`: written by people who received spam and quote it.
 */
type Theme = keyof (typeof all)['en'];

/** Phrases by theme. `optimi*` matches any word that begins with `optimi`, and `*` any word. */
const languages: readonly Readonly<Record<Theme, readonly string[]>>[] = Object.values(all);

interface Phrase {
  readonly theme: Theme;
  /** If several phrases of a theme start at the same word, the first counts. */
  readonly nth: number;
  readonly written: string;
}

interface Part {
  readonly start: string;
  readonly isWhole: boolean;
}

type ReadPhrase = Phrase & { readonly parts: readonly Part[] };

/** Phrases with the same first word. */
interface Group {
  readonly first: string;
  readonly phrases: Phrase[];
  /** Phrases by their second word; the empty string matches any. */
  bySecond?: ReadonlyMap<string, readonly ReadPhrase[]>;
}

interface Groups {
  /** Keyed by the first word. */
  readonly whole: ReadonlyMap<string, Group>;
  /** First words that end in `*`, keyed by their first letters. */
  readonly starts: ReadonlyMap<number, readonly Group[]>;
}

/** The first word of each phrase has at least this many letters. */
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

/** Counts the different phrases of each theme among these words. Phrases of a theme that share a word count once. */
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
  const found: ReadPhrase[] = [];
  const group = whole.get(word);
  if (group) addPhrases(group, words, at, found);
  for (const one of starts.get(keyOf(word)) ?? none)
    if (word.startsWith(one.first)) addPhrases(one, words, at, found);
  return found.length > 1 ? found.sort((one, other) => one.nth - other.nth) : found;
}

function addPhrases(group: Group, words: readonly string[], at: number, found: ReadPhrase[]): void {
  group.bySecond ??= groupBy(
    group.phrases.map((phrase) => ({ ...phrase, parts: partsOf(phrase.written) })),
    secondOf,
  );
  const { bySecond } = group;
  const second = words[at + 1];
  for (const phrases of [bySecond.get(''), second === undefined ? none : bySecond.get(second)])
    for (const phrase of phrases ?? none) if (stand(phrase.parts, words, at)) found.push(phrase);
}

function stand(parts: readonly Part[], words: readonly string[], at: number): boolean {
  let place = at;
  for (const { start, isWhole } of parts) {
    const word = words[place];
    if (!(isWhole ? word === start : word?.startsWith(start))) return false;
    place += 1;
  }
  return true;
}

/** Counts the different phrases of each theme in a submission. Spam comes in any language, so all languages are searched. */
export const phrasesOf = kept((seen) => phrasesIn(wordsOf(seen)));

/** A passage of four words or more in quotation marks, or a line of a quoted mail. Ignores attributes of tags. */
const quotation =
  /(?<![^\s(:])["„“”«»「『](?:[^\s<>"„“”«»「」『』]+\s){3}[^<>"„“”«»「」『』]*["“”«»」』]|^> ?[^\s>].*/m;

/** A quotation with fewer characters around it is not introduced or commented on. */
const leastAround = 15;

const quotes = ({ text }: Typed): boolean => {
  const [quoted] = quotation.exec(text) ?? [];
  return quoted !== undefined && text.length - quoted.length >= leastAround;
};

/** In a complaint, a colon may introduce the quotation. */
const afterColon = /:\s+(?:\S+\s+){3}/;

/** Halves a text's score if it complains about spam, and again if it quotes some. */
export const unlessComplained = kept((seen): number => {
  const complains = phrasesOf(seen).has('complaint');
  const isQuoted = (one: Typed) => quotes(one) || (complains && afterColon.test(one.text));
  return (complains ? 0.5 : 1) * (typedIn(seen).some(isQuoted) ? 0.5 : 1);
});
