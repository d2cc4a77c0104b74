/** A file as a body carried it: what is said of it may be wrong. */
export interface SentFile {
  /** As the browser named it, without the path. Not yet cleaned. */
  readonly name: string;
  /** The media type that its sender claims; empty where none was given. */
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** A file that a form took: its name is safe anywhere, and its type is what its bytes say (D73). */
export interface UploadedFile {
  /** Never empty, without a path, controls or anything that a system reserves; at most 200 bytes. */
  readonly name: string;
  /** A media type, such as `application/pdf`. */
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** Files by the field that they were chosen in, in the order sent. They travel beside the values, which are text. */
export type Files<F = UploadedFile> = ReadonlyMap<string, readonly F[]>;

/** What most submissions have. */
export const noFiles: Files<never> = new Map<string, never>();

/** What outputs say of a file that cannot carry it: `cv.pdf (1.2 MB)`. */
export const fileInWords = ({ name, bytes }: Pick<UploadedFile, 'name' | 'bytes'>): string =>
  `${name} (${sizeInWords(bytes.length)})`;

/** Such as `500 KB`: in steps of 1,024, as people's machines show the sizes of files. */
export function sizeInWords(bytes: number): string {
  if (bytes < 1_024) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  const kb = bytes / 1_024;
  return kb < 1_000 ? `${rounded(kb)} KB` : `${rounded(kb / 1_024)} MB`;
}

const rounded = (size: number) => (size < 10 ? Number(size.toFixed(1)) : Math.round(size));
