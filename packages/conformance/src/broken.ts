/** A promise that was not kept. Whatever else is thrown while one is checked is told as broken, too. */
export class Broken extends Error {
  constructor(
    readonly expected: string,
    readonly came: string,
    /** The request that shows it, where it is not the last one. */
    readonly request?: string,
  ) {
    super(`expected ${expected}, came ${came}`);
  }
}
