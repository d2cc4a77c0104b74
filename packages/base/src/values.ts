/**
 * All values of a body or query by field name, in the order sent. A map rather than an object, so that no
 * name is special (`__proto__`).
 */
export type Values = ReadonlyMap<string, readonly string[]>;

export const noValues: Values = new Map();

/** The values without the empty ones, which browsers send for every control left empty. */
export const withoutEmpty = (values: readonly string[]): readonly string[] =>
  values.includes('') ? values.filter((value) => value !== '') : values;

/** The first non-empty value of a field, or the empty text. */
export function firstValue(values: Values, field: string): string {
  for (const value of values.get(field) ?? []) if (value !== '') return value;
  return '';
}

/** The text as browsers count its length: each line break is one LF (HTML: API value). */
export const withLineFeeds = (value: string): string => value.replaceAll(/\r\n?/g, '\n');

/** SPEC: Limits. Bytes of UTF-8, after percent-decoding. */
export const maxValueBytes = 10_000;

/** A UTF-16 unit takes at most 3 bytes in UTF-8, so most values need no counting. */
export const isTooLong = (value: string): boolean =>
  value.length > maxValueBytes ||
  (value.length * 3 > maxValueBytes && Buffer.byteLength(value) > maxValueBytes);

/** A file as received. The name is the browser's, without the path; the media type may be empty. Neither is verified. */
export interface SentFile {
  readonly name: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}

/**
 * An accepted file. The name is safe anywhere: never empty, without a path, controls or reserved names, and
 * at most 200 bytes. The type is detected from the bytes.
 */
export type UploadedFile = SentFile;

/** Files by field, in the order sent. Separate from the values, which are text. */
export type Files<F = UploadedFile> = ReadonlyMap<string, readonly F[]>;

export const noFiles: Files<never> = new Map<string, never>();

/** Adds each file's name as a value, because conditions ask whether a field is filled in. */
export const withNamesOfFiles = (sent: Values, files: Files<SentFile>): Values =>
  files.size === 0
    ? sent
    : new Map([
        ...sent,
        ...[...files].map(([name, all]) => [name, all.map((file) => file.name || '?')] as const),
      ]);

/** Describes a file for outputs that cannot carry it: `cv.pdf (1.2 MB)`. */
export const fileInWords = ({ name, bytes }: Pick<UploadedFile, 'name' | 'bytes'>): string =>
  `${name} (${sizeInWords(bytes.length)})`;

/** For example `500 KB`, in units of 1,024 bytes, as file managers show sizes. */
export function sizeInWords(bytes: number): string {
  if (bytes < 1_024) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  const kb = bytes / 1_024;
  return kb < 1_000 ? `${rounded(kb)} KB` : `${rounded(kb / 1_024)} MB`;
}

const rounded = (size: number) => (size < 10 ? Number(size.toFixed(1)) : Math.round(size));
