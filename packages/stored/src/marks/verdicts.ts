/** An owner's verdicts on submissions: a line of JSON for each, beside their archive. */

export const verdicts = ['spam', 'ham'] as const;
export type Verdict = (typeof verdicts)[number];

/** By the id of the submission. */
export type Verdicts = ReadonlyMap<string, Verdict>;

/** @param at In milliseconds since the epoch. */
export const verdictLine = (id: string, verdict: Verdict, at: number): string =>
  `${JSON.stringify({ id, verdict, at: new Date(at).toISOString() })}\n`;

/** The latest of each submission. `tell` gets the number of each line that is none, from 1. */
export function readVerdicts(text: string, tell: (line: number) => void): Verdicts {
  const all = new Map<string, Verdict>();
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const read = readLine(line);
    if (read) all.set(read.id, read.verdict);
    else tell(index + 1);
  }
  return all;
}

function readLine(line: string): { readonly id: string; readonly verdict: Verdict } | undefined {
  try {
    const { id, verdict } = JSON.parse(line) as { readonly id?: unknown; readonly verdict?: unknown };
    const known = verdicts.find((one) => one === verdict);
    return typeof id === 'string' && known ? { id, verdict: known } : undefined;
  } catch {
    return undefined;
  }
}
