import { closingBracket, closingQuote, letter, mark, number, symbol } from './unicode.ts';

/**
 * Every value of a body or query, by field name, in the order sent. A map, so that no field name is special
 * (`__proto__`).
 */
export type Values = ReadonlyMap<string, readonly string[]>;

/** The values without empty ones, which browsers send for every control that was left empty. */
export const withoutEmpty = (values: readonly string[]): readonly string[] =>
  values.includes('') ? values.filter((value) => value !== '') : values;

/** Chosen values as visitors read them; other values stay as they are. */
export const inLabels = (
  values: readonly string[],
  options: readonly { readonly value: string; readonly label: string }[] = [],
): readonly string[] =>
  withoutEmpty(values).map((one) => options.find(({ value }) => value === one)?.label ?? one);

/**
 * An entry where there is nothing but text. A value of several lines stands below its label and is indented, so that no
 * line of it looks like another field's.
 */
export const labelled = (label: string, value: string, isBlock = value.includes('\n')): string =>
  isBlock ? below(label, value) : `${withColon(label)} ${value}`;

export const below = (label: string, value: string): string =>
  `${withColon(label)}\n${value.replaceAll(/^(?=.)/gm, '    ')}`;

const wordEnds = [letter, mark, number, symbol, closingBracket, closingQuote, `"'%…`];
let takesColon: RegExp | undefined;

/** Many labels are questions or sentences, which end in a mark of their own. A bracket, a quote or a unit such as % or € ends none. */
export function withColon(label: string): string {
  takesColon ??= new RegExp(`[${wordEnds.join('')}]$`, 'u');
  return takesColon.test(label) ? `${label}:` : label;
}

/** The first non-empty value of a field, or the empty text. */
export const firstValue = (values: Values, field: string): string =>
  values.get(field)?.find((value) => value !== '') ?? '';

/** The text as browsers count and match it: each line break is one LF (HTML: API value). */
export const withLineFeeds = (value: string): string => value.replaceAll(/\r\n?/g, '\n');

/** SPEC: Limits. Bytes of UTF-8, after percent-decoding. */
export const maxValueBytes = 10_000;

/** A UTF-16 unit has at most 3 bytes of UTF-8, so most values need no counting. */
export const isTooLong = (value: string): boolean =>
  value.length > maxValueBytes ||
  (value.length * 3 > maxValueBytes && Buffer.byteLength(value) > maxValueBytes);
