/** Suggests the word meant by a misspelled word or by another product's term. */

/** A name that a config can use, and the names that other products use for it. */
export interface Named {
  readonly name: string;
  readonly aliases?: readonly string[] | undefined;
}

/** Aliases as a definition lists them: `words('success thank_you')`. Case and separators do not matter. */
export const words = (list: string): readonly string[] => list.split(' ');

/** ` (did you mean …?)`; empty without a suggestion. */
export const didYouMean = (near: string | undefined): string =>
  near === undefined ? '' : ` (did you mean ${near}?)`;

/** Drops case and separators. */
export const squeezed = (word: string) => word.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

export const isCalled = ({ aliases = [] }: Pick<Named, 'aliases'>, word: string): boolean =>
  aliases.length > 0 && aliases.some((one) => squeezed(one) === squeezed(word));

/** The option that has this word as an alias, or else the nearest one. */
export const meantBy = (word: string, options: readonly Named[]): string | undefined =>
  options.find((one) => isCalled(one, word))?.name ??
  nearest(
    word,
    options.map(({ name }) => name),
  );

/** Limits the time of the search; configs rarely have more names. */
const mostCandidates = 200;

/**
 * The option that is at most two typos away, or starts with the word. Among equally near options, the one of
 * the most similar length.
 */
export const nearest = (word: string, options: readonly string[]): string | undefined =>
  options
    .slice(0, mostCandidates)
    .map((option) => ({ option, mistakes: mistakesIn(word.toLowerCase(), option.toLowerCase()) }))
    .filter(({ option, mistakes }) => mistakes <= Math.min(2, option.length * 0.4))
    .sort((a, b) => a.mistakes - b.mistakes || lengthAway(a.option, word) - lengthAway(b.option, word))[0]
    ?.option;

const lengthAway = (option: string, word: string) => Math.abs(option.length - word.length);

function mistakesIn(word: string, option: string): number {
  if (word === option) return 0;
  const isBeginning = word.length > 2 && option.startsWith(word);
  // A key held too long repeats its letter; that counts as one typo.
  return isBeginning || onceEach(word) === onceEach(option) ? 1 : typingMistakes(word, option);
}

const onceEach = (word: string) => word.replaceAll(/(.)\1+/gs, '$1');

/** Optimal string alignment distance, which counts omitted, inserted, replaced and swapped letters. */
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
