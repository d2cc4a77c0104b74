/** All values of a body or query by field name, in the order sent. A map, so that no name is special (`__proto__`). */
export type Values = ReadonlyMap<string, readonly string[]>;

export const noValues: Values = new Map();

/** The values without empty ones, which browsers send for every control that was left empty. */
export const withoutEmpty = (values: readonly string[]): readonly string[] =>
  values.includes('') ? values.filter((value) => value !== '') : values;

/** The first non-empty value of a field, or the empty text. */
export const firstValue = (values: Values, field: string): string =>
  values.get(field)?.find((value) => value !== '') ?? '';

/** The text as browsers count it: each line break is one LF (HTML: API value). */
export const withLineFeeds = (value: string): string => value.replaceAll(/\r\n?/g, '\n');

/** SPEC: Limits. Bytes of UTF-8, after percent-decoding. */
export const maxValueBytes = 10_000;

/** A UTF-16 unit has at most 3 bytes of UTF-8, so most values need no counting. */
export const isTooLong = (value: string): boolean =>
  value.length > maxValueBytes ||
  (value.length * 3 > maxValueBytes && Buffer.byteLength(value) > maxValueBytes);
