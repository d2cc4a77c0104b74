/** A folder of deploy/, and how to check it. */
export interface Check {
  /** Programs that the check needs. */
  readonly needs: readonly string[];
  /** Gets an empty folder. Resolves with a description of what was tested; rejects with the mistake, or with an `Unavailable`. */
  readonly run: (folder: string) => Promise<string>;
}

/** Something that the check needs is not available, so the check is skipped. */
export class Unavailable extends Error {
  override name = 'Unavailable';
}
