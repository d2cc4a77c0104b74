/** Line ends and the BOM of a file, which no page has: editors in browsers have line feeds alone. */
import { sameRuns } from './same_lines.ts';

/** With line feeds alone, and without a BOM. */
export const plainText = (text: string): string => text.replace(/^\uFEFF/, '').replaceAll(/\r\n?/g, '\n');

/** `typed`, with line feeds alone, as the file would have it: each line that it has, too, keeps its own end. */
export function asInFile(typed: string, file: string): string {
  const mark = file.startsWith('\uFEFF') ? '\uFEFF' : '';
  const ends = file.match(/\r\n?|\n/g) ?? [];
  const usual = mostFrequent(ends);
  if (ends.every((end) => end === usual)) return mark + typed.replaceAll('\n', usual);
  const before = plainText(file).split('\n');
  const after = typed.split('\n');
  const origins: number[] = [];
  for (const [old, now, count] of sameRuns(before, after))
    for (let nth = 0; nth < count; nth += 1) origins[now + nth] = old + nth;
  let end = usual;
  const lines = after.map((line, index) => {
    if (index === after.length - 1) return line;
    // A new line ends as the one above it does.
    end = ends[origins[index] ?? -1] ?? end;
    return line + end;
  });
  return mark + lines.join('');
}

function mostFrequent(ends: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const end of ends) counts.set(end, (counts.get(end) ?? 0) + 1);
  const [first] = [...counts].toSorted(([, one], [, other]) => other - one);
  return first?.[0] ?? '\n';
}
