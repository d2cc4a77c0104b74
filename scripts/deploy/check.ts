/** A folder of deploy/, and how it is checked. */
export interface Check {
  /** The programs without which there is nothing to check it with. */
  readonly needs: readonly string[];
  /** Resolves with what was tried, in words; rejects with what is wrong, or with an `Unavailable`. */
  readonly run: () => Promise<string>;
}

/** Something that the check needs cannot be had here: it is skipped. */
export class Unavailable extends Error {
  override name = 'Unavailable';
}
