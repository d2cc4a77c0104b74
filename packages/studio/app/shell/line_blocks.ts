/** Which lines of two texts are the same, and which are not. */

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

/** Cells of the table of common lines, at most (4 bytes each): larger changes count as one. */
const mostCells = 1_000_000;

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

/** Runs of lines that both have: where they start on each side, and how many they are. */
function sameRuns(a: readonly string[], b: readonly string[]): readonly [number, number, number][] {
  const start = sameStart(a, b);
  const end = sameStart(a.slice(start).reverse(), b.slice(start).reverse());
  const [rows, columns] = [a.length - start - end, b.length - start - end];
  const runs: [number, number, number][] = start ? [[0, 0, start]] : [];
  if (rows * columns <= mostCells) {
    // The longest common subsequence of what remains from each pair of lines on.
    const width = columns + 1;
    const longest = new Uint32Array((rows + 1) * width);
    const at = (row: number, column: number) => longest[row * width + column] ?? 0;
    const isSame = (row: number, column: number) => a[start + row] === b[start + column];
    for (let row = rows - 1; row >= 0; row -= 1)
      for (let column = columns - 1; column >= 0; column -= 1)
        longest[row * width + column] = isSame(row, column)
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
    for (let row = 0, column = 0; row < rows && column < columns; ) {
      if (!isSame(row, column)) {
        if (at(row + 1, column) >= at(row, column + 1)) row += 1;
        else column += 1;
        continue;
      }
      const last = runs.at(-1);
      if (last && last[0] + last[2] === start + row && last[1] + last[2] === start + column) last[2] += 1;
      else runs.push([start + row, start + column, 1]);
      row += 1;
      column += 1;
    }
  }
  if (end) runs.push([a.length - end, b.length - end, end]);
  return runs;
}

function linesOf(lines: readonly string[], first: number, beside: readonly string[]): readonly Line[] {
  return lines.map((text, nth) => {
    const other = beside[nth] ?? text;
    const from = sameStart(text, other);
    const rest = Math.min(text.length, other.length) - from;
    let same = 0;
    while (same < rest && text.at(-1 - same) === other.at(-1 - same)) same += 1;
    return { at: first + nth + 1, text, changed: [from, text.length - same] };
  });
}

/** How many characters or lines are the same at the start. */
function sameStart(one: ArrayLike<string>, other: ArrayLike<string>): number {
  let same = 0;
  while (same < one.length && same < other.length && one[same] === other[same]) same += 1;
  return same;
}
