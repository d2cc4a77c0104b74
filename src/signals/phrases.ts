/** Finds phrases of several words in text, all of them at once. */
import { wordsIn } from './words.ts';

/** Phrases by what they speak of, with commas between them: a word that ends with `*` may go on, and `*` alone is any word. */
export type Phrases<Theme extends string> = Readonly<Record<Theme, string>>;

interface Phrase<Theme> {
  readonly theme: Theme;
  /** One for each of its words. */
  readonly matches: readonly WordMatch[];
}

/** A word, the beginning of one, or any (`*`). */
interface WordMatch {
  readonly start: string;
  readonly isWhole: boolean;
}

/** How many phrases of each theme a text has. What is said twice counts once, and so do phrases that share a word. */
export type Counts<Theme extends string> = ReadonlyMap<Theme, number>;

/** No word of a phrase starts with fewer letters, but those that have none. */
const keyLetters = 3;

const keyOf = (word: string) => (word.length > keyLetters ? word.slice(0, keyLetters) : word);

/**
 * Says which phrases a text has. They are kept by how their first words begin, so that each word of a text is compared with
 * the few that might start there.
 */
export function phraseFinder<Theme extends string>(
  all: readonly Phrases<Theme>[],
): (words: readonly string[]) => Counts<Theme> {
  // Made when somebody asks.
  let byKey: ReadonlyMap<string, readonly Phrase<Theme>[]> | undefined;
  return (words) => {
    byKey ??= byKeyOf(all);
    const found = new Map<Theme, { readonly said: Set<string>; end: number }>();
    for (let at = 0; at < words.length; at += 1) {
      const phrases = byKey.get(keyOf(words[at] ?? ''));
      if (!phrases) continue;
      for (const phrase of phrases) {
        const { theme, matches } = phrase;
        const before = found.get(theme);
        if ((before && before.end > at) || !isAt(phrase, words, at)) continue;
        const end = at + matches.length;
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

function isAt<Theme>({ matches }: Phrase<Theme>, words: readonly string[], at: number): boolean {
  for (let index = 0; index < matches.length; index += 1) {
    const word = words[at + index];
    const match = matches[index];
    if (word === undefined || !match || !isMatch(match, word)) return false;
  }
  return true;
}

const isMatch = ({ start, isWhole }: WordMatch, word: string): boolean =>
  isWhole ? word === start : word.startsWith(start);

function byKeyOf<Theme extends string>(
  all: readonly Phrases<Theme>[],
): ReadonlyMap<string, readonly Phrase<Theme>[]> {
  const byKey = new Map<string, Phrase<Theme>[]>();
  for (const phrases of all) {
    for (const [theme, list] of Object.entries(phrases) as [Theme, string][]) {
      for (const phrase of list.split(',')) {
        const matches = partsOf(phrase);
        const key = keyOf(matches[0]?.start ?? '');
        byKey.set(key, [...(byKey.get(key) ?? []), { theme, matches }]);
      }
    }
  }
  return byKey;
}

const partsOf = (phrase: string): readonly WordMatch[] =>
  phrase
    .trim()
    .split(/\s+/)
    .flatMap((part) =>
      part === '*'
        ? [{ start: '', isWhole: false }]
        : wordsIn(part).map((start) => ({ start, isWhole: !part.endsWith('*') })),
    );
