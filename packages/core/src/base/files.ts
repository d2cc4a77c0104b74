import type { Values } from './values.ts';

/** A file as a body carried it; its name and type are unverified. */
export interface SentFile {
  /** As the browser named it, without the path. Not cleaned. */
  readonly name: string;
  /** The claimed media type; may be empty. */
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** A file that a form accepted: its name is safe anywhere, and its type follows from its bytes. */
export interface UploadedFile {
  /** Never empty, without a path, controls or reserved names; at most 200 bytes. */
  readonly name: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** Files by field, in the order sent. They travel beside the values, which are text. */
export type Files<F = UploadedFile> = ReadonlyMap<string, readonly F[]>;

export const noFiles: Files<never> = new Map<string, never>();

/** As if each file were its name: conditions ask whether a field is filled. */
export const withNamesOfFiles = (sent: Values, files: Files<SentFile>): Values =>
  files.size === 0
    ? sent
    : new Map([
        ...sent,
        ...[...files].map(([name, all]) => [name, all.map((file) => file.name || '?')] as const),
      ]);

/** A file for outputs that cannot carry it: `cv.pdf (1.2 MB)`. */
export const fileInWords = ({ name, bytes }: Pick<UploadedFile, 'name' | 'bytes'>): string =>
  `${name} (${sizeInWords(bytes.length)})`;

/** Such as `500 KB`, in steps of 1,024, as file managers show sizes. */
export function sizeInWords(bytes: number): string {
  if (bytes < 1_024) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  const kb = bytes / 1_024;
  return kb < 1_000 ? `${rounded(kb)} KB` : `${rounded(kb / 1_024)} MB`;
}

const rounded = (size: number) => (size < 10 ? Number(size.toFixed(1)) : Math.round(size));
