/** The places that a config names: the inbox reads them, and nothing else. */

export interface ArchiveSource {
  /** A folder's absolute path, or `s3://bucket/prefix`. */
  readonly place: string;
  /** As the config names it. */
  readonly name: string;
  /** Of what was turned away: `.dropped` in the archive. */
  readonly isDropped: boolean;
}

export interface Sources {
  readonly archives: readonly ArchiveSource[];
  /** The config's `keep.in`, if it keeps. The first is 0 in `IndexedEntry.kept`. */
  readonly stores: readonly { readonly name: string }[];
  readonly journal: Pick<ArchiveSource, 'place' | 'name'> | undefined;
}
