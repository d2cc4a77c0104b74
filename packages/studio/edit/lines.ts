/** Lines of a text, by offset. */

const hasBom = (text: string) => text.charCodeAt(0) === 0xfeff;

/** Where the first line starts: after a BOM. */
export const textStart = (text: string) => (hasBom(text) ? 1 : 0);

export const lineStart = (text: string, offset: number) =>
  Math.max(textStart(text), offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1);

/** The end of the line at an offset, before its line end. */
export function lineEnd(text: string, offset: number): number {
  const at = text.indexOf('\n', offset);
  if (at === -1) return text.length;
  return at > offset && text[at - 1] === '\r' ? at - 1 : at;
}

/** The start of the line after the one that ends at `end`. */
export const nextLine = (text: string, end: number) =>
  text[end] === '\r' ? end + 2 : text[end] === '\n' ? end + 1 : end;

/** The line end at `end`; at the end of the text, that of the line above. */
export function lineEndAt(text: string, end: number): string {
  if (text[end] === '\r') return '\r\n';
  if (text[end] === '\n') return '\n';
  const above = text.lastIndexOf('\n', end - 1);
  if (above === -1) return text.includes('\r\n') ? '\r\n' : '\n';
  return text[above - 1] === '\r' ? '\r\n' : '\n';
}

export const columnOf = (text: string, offset: number) => offset - lineStart(text, offset);

/** Only spaces stand before the offset on its line. */
export const isFirstOnLine = (text: string, offset: number) =>
  /^ *$/.test(text.slice(lineStart(text, offset), offset));

/** The column of a comment that has the line to itself; `undefined` for other lines. */
export function commentColumn(text: string, start: number): number | undefined {
  const [, spaces] = /^([ \t]*)#/.exec(text.slice(start, lineEnd(text, start))) ?? [];
  return spaces?.length;
}

export const isBlankLine = (text: string, start: number) =>
  /^[ \t]*$/.test(text.slice(start, lineEnd(text, start)));

/** How many blank lines follow the line that ends at `end`. */
export function blanksAfter(text: string, end: number): number {
  let count = 0;
  for (let at = nextLine(text, end); at < text.length && at > end && isBlankLine(text, at); count += 1)
    at = nextLine(text, lineEnd(text, at));
  return count;
}

/** The start of the `count`-th line after the one that ends at `end`. */
export function lineAfter(text: string, end: number, count: number): number {
  let at = nextLine(text, end);
  for (let left = count; left > 0; left -= 1) at = nextLine(text, lineEnd(text, at));
  return at;
}
