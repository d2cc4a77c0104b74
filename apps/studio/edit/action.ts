/** Actions on a config's text, and their answers. */

export type Path = readonly (string | number)[];
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export type Action =
  /** Gives the key or item at `path` this value; a key that is missing is added, with the maps above it. */
  | { readonly do: 'set'; readonly path: Path; readonly value: Json }
  /** Does nothing where the path is missing. The list or map around it stays, if only as `[]` or `{}`. */
  | { readonly do: 'remove'; readonly path: Path }
  /** Into the list at `path`, before the item that is at `index` now. A list that is missing is made. */
  | { readonly do: 'insert'; readonly path: Path; readonly index: number; readonly value: Json }
  /** An item of the list at `path` to `to`, as counted after it was taken out. */
  | { readonly do: 'move'; readonly path: Path; readonly from: number; readonly to: number }
  /** Gives the key at `path` another name, in place. */
  | { readonly do: 'rename'; readonly path: Path; readonly key: string };

/** Offsets in UTF-16 units of the text before. Changes are sorted and do not overlap. */
export interface Change {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

/** `ok: false`: this has to be edited as text, and why, in a sentence for the owner. */
export type Edited =
  | { readonly ok: true; readonly changes: readonly Change[] }
  | { readonly ok: false; readonly says: string };

export interface Refused {
  readonly ok: false;
  readonly says: string;
}

export const refused = (says: string): Refused => ({ ok: false, says });
