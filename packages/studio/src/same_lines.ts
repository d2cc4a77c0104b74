/** Lines that two texts have in common. */

/** Cells of the table of common lines, at most (4 bytes each): larger changes count as one. */
const mostCells = 1_000_000;

/** Runs of lines that both have: where they start on each side, and how many they are. */
export function sameRuns(a: readonly string[], b: readonly string[]): readonly [number, number, number][] {
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

function sameStart(one: readonly string[], other: readonly string[]): number {
  let same = 0;
  while (same < one.length && same < other.length && one[same] === other[same]) same += 1;
  return same;
}
