/** Conditions on submitted values, as data: the relay and the script of its forms share this file. */
import { canonical } from './canonical.ts';
import { asciiNumber, floatIn } from './unicode.ts';

export type Condition =
  | Test
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] }
  | { readonly not: Condition };

/** The tests of a field's values, and their negations. */
export const opposites = {
  is: 'is_not',
  is_not: 'is',
  filled: 'empty',
  empty: 'filled',
  contains: 'contains_not',
  at_least: 'below',
  at_most: 'above',
  before: 'not_before',
  after: 'not_after',
  matches: 'matches_not',
} as const;

export interface Test {
  readonly field: string;
  readonly test: keyof typeof opposites;
  /** The canonical texts, the number, the day or time, or the regular expression to compare values with. */
  readonly values: readonly string[];
  /** Matches in linear time. Default: the engine of the browser. */
  readonly matches?: (value: string) => boolean;
}

/** Whether a test holds or, if negated, whether it does not hold. */
type Judge = (test: Test, isNegated: boolean) => boolean;

/** Pushes negations down to the tests, so that `not: {is: …}` equals `is_not: …` in every respect. */
export function judge(condition: Condition, of: Judge, isNegated = false): boolean {
  if ('field' in condition) return of(condition, isNegated);
  if ('not' in condition) return judge(condition.not, of, !isNegated);
  const each = (one: Condition) => judge(one, of, isNegated);
  const isAll = 'all' in condition;
  const parts = isAll ? condition.all : condition.any;
  return isAll === isNegated ? parts.some(each) : parts.every(each);
}

/**
 * @param valuesOf A field's canonical values; `undefined` if the field is hidden. No test of a hidden field
 * holds, negated or not.
 */
export const holds = (
  condition: Condition,
  valuesOf: (field: string) => readonly string[] | undefined,
): boolean =>
  judge(condition, (test, isNegated) => {
    const values = valuesOf(test.field);
    return values !== undefined && testHolds(test, values) !== isNegated;
  });

/** A test is true if it is true for any of the values. Empty values count as missing, except in `is` and `is_not`. */
function testHolds({ test, values: wanted, matches }: Test, values: readonly string[]): boolean {
  const [wantedFirst = ''] = wanted;
  const some = (is: (value: string) => boolean) => values.some((value) => value !== '' && is(value));
  const isWanted = (value: string) => wanted.includes(value);
  const number = (is: (value: number) => boolean) => some((value) => is(floatIn(asciiNumber(value))));
  const kind = /T/.test(wantedFirst) ? 'datetime' : /:/.test(wantedFirst) ? 'time' : 'date';
  const moment = (is: (value: string) => boolean) =>
    some((value) => {
      // Compared with a day, a moment on that day is neither before nor after it.
      const part = canonical(kind, value).slice(0, wantedFirst.length);
      return shapeOf(part) === shapeOf(wantedFirst) && is(part);
    });
  switch (test) {
    case 'is':
      return values.some(isWanted);
    case 'is_not':
      return !values.some(isWanted);
    case 'filled':
      return some(() => true);
    case 'empty':
      return !some(() => true);
    case 'contains':
      return some((value) => wanted.some((part) => value.toLowerCase().includes(part.toLowerCase())));
    case 'at_least':
      return number((value) => value >= Number(wantedFirst));
    case 'at_most':
      return number((value) => value <= Number(wantedFirst));
    case 'before':
      return moment((value) => value < wantedFirst);
    case 'after':
      return moment((value) => value > wantedFirst);
    case 'matches':
      return some(matches ?? ((value) => new RegExp(`^(?:${wantedFirst})$`, 'v').test(value)));
  }
}

/** Writes each digit as 0: `0000-00-00` for any day. */
const shapeOf = (text: string) => text.replace(/\d/g, '0');

export const testsIn = (condition: Condition): readonly Test[] => {
  if ('field' in condition) return [condition];
  if ('not' in condition) return testsIn(condition.not);
  return ('all' in condition ? condition.all : condition.any).flatMap(testsIn);
};

/** The fields that a condition depends on. */
export const decidersOf = (condition: Condition): ReadonlySet<string> =>
  new Set(testsIn(condition).map(({ field }) => field));
