/** Line ends and the BOM of a file, which no page has: editors in browsers have line feeds alone. */

/** With line feeds alone, and without a BOM. */
export const plainText = (text: string): string => text.replace(/^\uFEFF/, '').replaceAll(/\r\n?/g, '\n');

/** `typed`, with line feeds alone, as the file would have it: with its BOM and its most frequent line end. */
export function asInFile(typed: string, file: string): string {
  const mark = file.startsWith('\uFEFF') ? '\uFEFF' : '';
  const counts = new Map<string, number>();
  for (const [end] of file.matchAll(/\r\n?|\n/g)) counts.set(end, (counts.get(end) ?? 0) + 1);
  const [usual = '\n'] = [...counts].toSorted(([, one], [, other]) => other - one)[0] ?? [];
  return mark + typed.replaceAll('\n', usual);
}
