/** The wording of offers and scams, in fifteen languages. To add a language, add its file and list it here. */

import { wordsIn } from '../../words.ts';
import { kept, type Typed, typedIn, wordsOf } from '../own_words.ts';
import ar from './ar.json' with { type: 'json' };
import cs from './cs.json' with { type: 'json' };
import de from './de.json' with { type: 'json' };
import en from './en.json' with { type: 'json' };
import es from './es.json' with { type: 'json' };
import fr from './fr.json' with { type: 'json' };
import it from './it.json' with { type: 'json' };
import ja from './ja.json' with { type: 'json' };
import nl from './nl.json' with { type: 'json' };
import pl from './pl.json' with { type: 'json' };
import pt from './pt.json' with { type: 'json' };
import ru from './ru.json' with { type: 'json' };
import sv from './sv.json' with { type: 'json' };
import tr from './tr.json' with { type: 'json' };
import zh from './zh.json' with { type: 'json' };

// Finds phrases of several words in text, all of them at once.

/** Phrases by theme. `optimi*` matches any word that begins so, and `*` any word. */
type Phrases<Theme extends string> = Readonly<Record<Theme, readonly string[]>>;

/** The next words of a phrase. Most steps are the last, and an empty map for each would double what they take. */
interface Step<Theme> {
  whole?: Map<string, Step<Theme>>;
  /** By how they begin: words that go on; by nothing, any word. */
  begun?: Map<string, Step<Theme>>;
  /** Phrases that end here, and which of all phrases they are. */
  readonly ends: { readonly theme: Theme; readonly rank: number }[];
}

interface Match<Theme> {
  readonly theme: Theme;
  readonly rank: number;
  readonly end: number;
}

/** How many phrases of each theme a text has. What is said twice counts once, and so do phrases that share a word. */
type Counts<Theme extends string> = ReadonlyMap<Theme, number>;

/**
 * Says which phrases a text has. They are kept by how their first words begin, and from there word by word, so that each
 * word of a text is compared with the few that might stand there.
 */
function phraseFinder<Theme extends string>(
  all: readonly Phrases<Theme>[],
): (words: readonly string[]) => Counts<Theme> {
  // Made when somebody asks. Most texts have the first words of few phrases, and the others would delay the first answer.
  let listed: ReadonlyMap<number, readonly Listed<Theme>[]> | undefined;
  const steps = new Map<number, Step<Theme>>();
  const stepFor = (key: number): Step<Theme> | undefined => {
    const before = steps.get(key);
    if (before) return before;
    const some = listed?.get(key);
    if (!some) return undefined;
    const step = stepOf(some);
    steps.set(key, step);
    return step;
  };
  return (words) => {
    listed ??= listedByKey(all);
    const found = new Map<Theme, { readonly said: Set<string>; end: number }>();
    for (let at = 0; at < words.length; at += 1) {
      const first = stepFor(keyOf(words[at] ?? ''));
      if (!first) continue;
      const matches = matchesFrom(first, words, at);
      // Report the first phrase of each theme.
      if (matches.length > 1) matches.sort((one, other) => one.rank - other.rank);
      for (const { theme, end } of matches) {
        const before = found.get(theme);
        if (before && before.end > at) continue;
        const said = words.slice(at, end).join(' ');
        if (before) {
          before.said.add(said);
          before.end = end;
        } else found.set(theme, { said: new Set([said]), end });
      }
    }
    return new Map([...found].map(([theme, { said }]) => [theme, said.size]));
  };
}

/** No first word of a phrase begins with fewer letters than it looks at. Different words may have one key. */
const keyOf = (word: string): number =>
  word.charCodeAt(0) ^ (word.charCodeAt(1) << 5) ^ (word.charCodeAt(2) << 10);

const none: never[] = [];

function matchesFrom<Theme>(first: Step<Theme>, words: readonly string[], at: number): Match<Theme>[] {
  const word = words[at] ?? '';
  // Most words begin like those of a phrase, and are others.
  if (!first.begun && !first.whole?.has(word)) return none;
  const found: Match<Theme>[] = [];
  collect(first, words, at, found);
  return found;
}

/** Follows all phrases at once, which share their first words. */
function collect<Theme>(
  { whole, begun, ends }: Step<Theme>,
  words: readonly string[],
  end: number,
  found: Match<Theme>[],
): void {
  for (const { theme, rank } of ends) found.push({ theme, rank, end });
  const word = words[end];
  if (word === undefined) return;
  const next = whole?.get(word);
  if (next) collect(next, words, end + 1, found);
  if (!begun) return;
  for (const [start, step] of begun) if (word.startsWith(start)) collect(step, words, end + 1, found);
}

interface Listed<Theme> {
  readonly phrase: string;
  readonly theme: Theme;
  readonly rank: number;
}

function listedByKey<Theme extends string>(
  all: readonly Phrases<Theme>[],
): ReadonlyMap<number, readonly Listed<Theme>[]> {
  const listed = new Map<number, Listed<Theme>[]>();
  let rank = 0;
  for (const phrases of all) {
    for (const [theme, list] of Object.entries(phrases) as [Theme, string[]][]) {
      for (const phrase of list) {
        const key = keyOf(firstWordOf(phrase));
        const others = listed.get(key);
        const one = { phrase, theme, rank };
        if (others) others.push(one);
        else listed.set(key, [one]);
        rank += 1;
      }
    }
  }
  return listed;
}

const plainWord = /^[a-z\d]+(?=[ *]|$)/;

const firstWordOf = (phrase: string): string =>
  plainWord.exec(phrase)?.[0] ?? wordsIn(phrase.split(' ', 1)[0] ?? '')[0] ?? '';

function stepOf<Theme>(listed: readonly Listed<Theme>[]): Step<Theme> {
  const first: Step<Theme> = { ends: [] };
  for (const { phrase, theme, rank } of listed) {
    let step = first;
    for (const { start, isWhole } of partsOf(phrase)) {
      const kind = isWhole ? 'whole' : 'begun';
      const known = step[kind] ?? new Map<string, Step<Theme>>();
      step[kind] = known;
      const next = known.get(start) ?? { ends: [] };
      known.set(start, next);
      step = next;
    }
    step.ends.push({ theme, rank });
  }
  return first;
}

const partsOf = (phrase: string) =>
  phrase
    .split(' ')
    .flatMap((part) =>
      part === '*'
        ? [{ start: '', isWhole: false }]
        : wordsIn(part).map((start) => ({ start, isWhole: !part.endsWith('*') })),
    );

/** The parts of an unsolicited offer. */
export const partsOfPitch = ['approach', 'goods', 'bait', 'ask'] as const;

/**
 * `scam`: hardly anyone writes so in good faith. `hint`: victims, patients and heirs write so, too. `link`: trade in links.
 * `mass`: how to unsubscribe. `lure`: riches without work, and sex; a person may write so, but hardly in a few words beside a
 * way to somewhere else. `tease`: ordinary words; two of them beside such a way, in a text about its reader alone, are phishing
 * or an advertisement. `call`, `deal`, `ware`: the parts of an advertisement to consumers: what its reader should do, the price
 * or promise, the goods. `customer`: hardly any advertisement says so. `reach`: what promises visitors to owners of sites, who get
 * more of such offers than of all others. `wants`: who needs it writes so. `complaint`: people who quote such words because they got
 * them.
 */
type Theme =
  | (typeof partsOfPitch)[number]
  | 'scam'
  | 'hint'
  | 'link'
  | 'mass'
  | 'lure'
  | 'tease'
  | 'call'
  | 'deal'
  | 'ware'
  | 'customer'
  | 'reach'
  | 'wants'
  | 'complaint';

const languages: readonly Phrases<Theme>[] = [ar, cs, de, en, es, fr, it, ja, nl, pl, pt, ru, sv, tr, zh];

/** How many different phrases of each theme are among these words. */
export const phrasesIn = phraseFinder(languages);

/** How many different phrases of each theme a submission has. Spam comes in any language, so all are searched. */
export const phrasesOf = kept((seen) => phrasesIn(wordsOf(seen)));

/** A passage of four words or more in quotation marks, or a line of a quoted mail. Attributes of tags are none. */
const quotation =
  /(?<![^\s(:])["„“”«»「『](?:[^\s<>"„“”«»「」『』]+\s){3}[^<>"„“”«»「」『』]*["“”«»」』]|^> ?[^\s>].*/m;

/** Less than this beside a quotation says nothing about it. In characters. */
const leastBeside = 15;

const quotes = ({ text }: Typed): boolean => {
  const [quoted] = quotation.exec(text) ?? [];
  return quoted !== undefined && text.length - quoted.length >= leastBeside;
};

/** A complaint may introduce its quotation with a colon alone. */
const afterColon = /:\s+(?:\S+\s+){3}/;

/** Half of what a text counts, if somebody complains about it in words; and half, if somebody quotes it. */
export const unlessComplained = kept((seen): number => {
  const complains = phrasesOf(seen).has('complaint');
  const isQuoted = (one: Typed) => quotes(one) || (complains && afterColon.test(one.text));
  return (complains ? 0.5 : 1) * (typedIn(seen).some(isQuoted) ? 0.5 : 1);
});
