import { thingsCalled, typeCalled } from './aliases.ts';

/** The search takes too long among more names, which no person writes. */
export const mostCandidates = 200;

/** ` (did you mean …?)` if an option is at most two typos away, or starts with the word. */
export function didYouMean(word: string, options: readonly string[]): string {
  const near = nearest(word, options);
  return near === undefined ? '' : ` (did you mean ${near}?)`;
}

/** The option for which other tools use this word (aliases.ts), or else the nearest. */
export function meantBy(word: string, options: readonly string[]): string | undefined {
  const called: readonly (string | undefined)[] = [...thingsCalled(word), typeCalled(word)];
  return called.find((thing) => thing !== undefined && options.includes(thing)) ?? nearest(word, options);
}

/** The option that was probably meant; among equally near ones, the one of the most similar length. */
export const nearest = (word: string, options: readonly string[]): string | undefined =>
  options
    .map((option) => ({ option, mistakes: mistakesIn(word.toLowerCase(), option.toLowerCase()) }))
    .filter(({ option, mistakes }) => mistakes <= Math.min(2, option.length * 0.4))
    .sort((a, b) => a.mistakes - b.mistakes || lengthAway(a.option, word) - lengthAway(b.option, word))[0]
    ?.option;

const lengthAway = (option: string, word: string) => Math.abs(option.length - word.length);

function mistakesIn(word: string, option: string): number {
  if (word === option) return 0;
  const isBeginning = word.length > 2 && option.startsWith(word);
  // A held-down key repeats its letter, which counts as one typo.
  return isBeginning || onceEach(word) === onceEach(option) ? 1 : typingMistakes(word, option);
}

const onceEach = (word: string) => word.replaceAll(/(.)\1+/gs, '$1');

/** Optimal string alignment distance: omitted, inserted, replaced and swapped letters. */
function typingMistakes(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return 3;
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number) => rows[row]?.[column] ?? 0;
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwapped ? at(i - 2, j - 2) + 1 : Infinity;
      row.push(Math.min(at(i - 1, j) + 1, (row[j - 1] ?? 0) + 1, replaced, swapped));
    }
  }
  return at(a.length, b.length);
}
