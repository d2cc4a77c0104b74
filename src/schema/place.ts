/** The way to a value in a config: keys of maps, and positions in lists from 0. */
export type Path = readonly (string | number)[];

/** A stretch of the text, in UTF-16 units. */
export interface Place {
  readonly offset: number;
  readonly length: number;
  /** It is a key that stands here, not a value. */
  readonly isKey?: boolean;
}

/** A stretch of a value, as it reads when it is parsed. */
export interface Stretch extends Place {
  /** The whole value. */
  readonly of: string;
}
