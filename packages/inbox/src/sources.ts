/** The places that a config names: the inbox reads them, and nothing else. */

export type Place =
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 's3'; readonly url: string };

export interface ArchiveSource {
  readonly place: Place;
  /** As the config names it. */
  readonly name: string;
  /** Of what was turned away: `.dropped` in the archive. */
  readonly isDropped: boolean;
}

export interface Sources {
  readonly archives: readonly ArchiveSource[];
  /** The config's `keep.in`, if it keeps. The first is 0 in `IndexedEntry.kept`. */
  readonly stores: readonly { readonly name: string }[];
  readonly journal: { readonly place: Place; readonly name: string } | undefined;
}
