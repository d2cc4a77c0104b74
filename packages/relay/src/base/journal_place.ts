/** Where the journal is written: a folder of this machine, or a bucket. */
export type JournalPlace =
  /** `name`: as the config has it, like that of a bucket. */
  | { readonly kind: 'folder'; readonly name: string; readonly path: string }
  /** `prefix` is empty, or has a slash at its end. */
  | { readonly kind: 's3'; readonly name: string; readonly bucket: string; readonly prefix: string };

/** The `journal` of a config. */
export interface JournalKey {
  readonly in: JournalPlace;
  /** How long files in a folder stay. */
  readonly forMs: number;
}
