/**
 * Every value that a body or query carried, by field name, in the order sent.
 * A map, so that no field name is special (`__proto__` is a name like any other: D3).
 */
export type Values = ReadonlyMap<string, readonly string[]>;

/** The values that count: browsers send an empty one for every control that was left empty. */
export const withoutEmpty = (values: readonly string[]): readonly string[] =>
  values.includes('') ? values.filter((value) => value !== '') : values;

/** What was chosen, in the words that visitors read; what is no option stays as it is. */
export const inLabels = (
  values: readonly string[],
  options: readonly { readonly value: string; readonly label: string }[] = [],
): readonly string[] =>
  withoutEmpty(values).map((one) => options.find(({ value }) => value === one)?.label ?? one);

/** The first value of a field that is not empty; empty when there is none. */
export const firstValue = (values: Values, field: string): string =>
  values.get(field)?.find((value) => value !== '') ?? '';

/** The text as browsers count its characters and match it: a line break is one LF (HTML: API value). */
export const withLineFeeds = (value: string): string => value.replaceAll(/\r\n?/g, '\n');

/** SPEC: Limits. Bytes of UTF-8, as they are after percent-decoding. */
export const maxValueBytes = 10_000;

/** A UTF-16 unit is at most 3 bytes of UTF-8, so most values need no counting. */
export const isTooLong = (value: string): boolean =>
  value.length > maxValueBytes ||
  (value.length * 3 > maxValueBytes && Buffer.byteLength(value) > maxValueBytes);
