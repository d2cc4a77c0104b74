/** Excel takes a file without it for one in the machine's old 8-bit character set. */
export const byteOrderMark = '\ufeff';

/**
 * A record of RFC 4180, with its line end. Each cell is in quotes. No spreadsheet takes what a visitor wrote for a formula
 * (OWASP: CSV Injection), not even one that knows another separator, as Excel does in half of Europe: it would begin a cell
 * at each semicolon, tab and line break, in quotes or not.
 */
export const record = (cells: readonly string[]): string => `${cells.map(cell).join(',')}\r\n`;

const cell = (text: string) => `"${withoutFormulas(text).replaceAll('"', '""')}"`;

/** As Excel and LibreOffice do when somebody types it: with an apostrophe before, it is text. */
const withoutFormulas = (text: string) =>
  (/^[\t\r\n]/.test(text) ? `'${text}` : text).replaceAll(start, (all, before: string, sign: string) =>
    sign === '' ? all : `${before}'${sign}`,
  );

/** The beginning of a cell, and a sign that makes it a formula. Programs in East Asia accept the full-width signs. */
const start = /((?:^|[;\t\r\n])[;"\s]*)([=+\-@＝＋－＠]?)/g;
