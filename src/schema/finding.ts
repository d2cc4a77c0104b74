import type { Path, Stretch } from './place.ts';

/** A problem as a check finds it, before it has a place in the text. */
export interface Finding {
  readonly path: Path;
  readonly message: string;
  readonly severity?: 'warning';
  /** The problem is the key itself, not its value. */
  readonly aboutKey?: boolean;
  /** Where inside the value, in UTF-16 units: the place of a mistake in a template. */
  readonly within?: Stretch;
}
