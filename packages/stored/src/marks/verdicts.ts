/** An owner's verdicts on submissions: a line of JSON for each, beside their archive. */

export const verdicts = ['spam', 'ham'] as const;
export type Verdict = (typeof verdicts)[number];

export interface Given {
  readonly verdict: Verdict;
  /** Milliseconds since the epoch; 0 if its line does not say. */
  readonly at: number;
}

/** By the id of the submission. */
export type Verdicts = ReadonlyMap<string, Given>;

/** @param at In milliseconds since the epoch. */
export const verdictLine = (id: string, verdict: Verdict, at: number): string =>
  `${JSON.stringify({ id, verdict, at: new Date(at).toISOString() })}\n`;

/** The latest of each submission. `tell` gets the number of each line that is none, from 1. */
export function readVerdicts(text: string, tell: (line: number) => void): Verdicts {
  const all = new Map<string, Given>();
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const read = readLine(line);
    if (read) all.set(read.id, read);
    else tell(index + 1);
  }
  return all;
}

function readLine(line: string): (Given & { readonly id: string }) | undefined {
  try {
    const { id, verdict, at } = JSON.parse(line) as Readonly<Record<string, unknown>>;
    const known = verdicts.find((one) => one === verdict);
    return typeof id === 'string' && known
      ? { id, verdict: known, at: Date.parse(String(at)) || 0 }
      : undefined;
  } catch {
    return undefined;
  }
}
