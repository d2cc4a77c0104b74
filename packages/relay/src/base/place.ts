/** A stretch of a text, in UTF-16 units. */
export interface Place {
  readonly offset: number;
  readonly length: number;
}

/** The way to a value in a config: keys of maps, and positions in lists from 0. */
export type Path = readonly (string | number)[];
