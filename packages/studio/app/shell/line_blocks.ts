/** Which lines of two texts are the same, and which are not. */
import { changeBetween } from '../../edit/edit.ts';
import { sameRuns } from '../../src/same_lines.ts';

export interface Line {
  /** The line's number in its text, from 1. */
  readonly at: number;
  readonly text: string;
  /** The part that the line beside it has differently: offsets into the line, equal where there is no line beside it. */
  readonly changed: readonly [from: number, to: number];
}

/** Neighbouring lines that are the same on both sides, or that are not. */
export interface Block {
  readonly isSame: boolean;
  readonly theirs: readonly Line[];
  readonly mine: readonly Line[];
}

/** All lines of both texts, in order. */
export function blocksOf(theirs: string, mine: string): readonly Block[] {
  const a = theirs.split(/\r?\n/);
  const b = mine.split(/\r?\n/);
  const blocks: Block[] = [];
  let [nextA, nextB] = [0, 0];
  const until = (endA: number, endB: number, isSame: boolean) => {
    if (endA === nextA && endB === nextB) return;
    const pair = [a.slice(nextA, endA), b.slice(nextB, endB)] as const;
    blocks.push({
      isSame,
      theirs: linesOf(pair[0], nextA, isSame ? pair[0] : pair[1]),
      mine: linesOf(pair[1], nextB, isSame ? pair[1] : pair[0]),
    });
    [nextA, nextB] = [endA, endB];
  };
  for (const [fromA, fromB, count] of sameRuns(a, b)) {
    until(fromA, fromB, false);
    until(fromA + count, fromB + count, true);
  }
  until(a.length, b.length, false);
  return blocks;
}

const linesOf = (lines: readonly string[], first: number, beside: readonly string[]): readonly Line[] =>
  lines.map((text, nth) => {
    const { from, to } = changeBetween(text, beside[nth] ?? text);
    return { at: first + nth + 1, text, changed: [from, to] };
  });
