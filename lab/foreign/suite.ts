/** A case in which the relay and a foreign suite disagree. */
export interface Difference {
  readonly name: string;
  readonly expected: string;
  readonly found: string;
}

export interface Outcome {
  readonly tried: number;
  readonly differences: readonly Difference[];
  /** Why nothing was tried, such as a program that is missing. */
  readonly skipped?: string;
}

export type Suite = () => Promise<Outcome>;

/** Collects what one suite tries. */
export function tally() {
  const differences: Difference[] = [];
  let tried = 0;
  return {
    compare(name: string, expected: string, found: string): void {
      tried += 1;
      if (expected !== found) differences.push({ name, expected, found });
    },
    outcome: (): Outcome => ({ tried, differences }),
  };
}
