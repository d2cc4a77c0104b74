/** Text, numbers and flags as YAML. Words that YAML 1.1 takes for flags or numbers stand in quotes, too. */
import type { Node } from './read.ts';

export type Scalar = null | boolean | number | string;
/** Whether it stands in braces or brackets, or is a key. */
export type Place = 'block' | 'flow' | 'key';

/** Words that some reader takes for null, a flag or a number. The manual writes dates and times plainly. */
const otherThanText = [
  /^(?:|~|null|y|n|yes|no|on|off|true|false|=|<<)$/i,
  /^[-+]?(?:\.?\d[\d_,]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:e[-+]?\d+)?$/i,
  /^[-+]?0(?:b[01_]+|o?[0-7_]+|x[\da-f_]+)$/i,
  /^[-+]?\.(?:inf|nan)$/i,
];

/** The quotes that a text keeps when it changes: not those that only the text before needed. */
export const keptStyle = (
  { style, value: before }: Pick<Node, 'style' | 'value'>,
  text: string,
  place: Place,
): Node['style'] => (isPlain(text, place) && !isPlain(String(before), place) ? 'plain' : style);

/** Characters that a file should not hold as they are. */
const unprintable =
  /[\0-\x1f\x7f-\x9f\u00ad\u2028\u2029\ufeff\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

function isPlain(text: string, place: Place): boolean {
  if (otherThanText.some((words) => words.test(text))) return false;
  if (unprintable.test(text) || /^\s|\s$/.test(text)) return false;
  if (/^[,[\]{}#&*!|>'"%@`]|^[-?:](?:\s|$)|^[?:]|^(?:---|\.\.\.)/.test(text)) return false;
  if (/:(?:\s|$)|\s#/.test(text)) return false;
  return place === 'block' || !/[,[\]{}]/.test(text);
}

const named: Readonly<Record<string, string>> = {
  '\n': '\\n',
  '\t': '\\t',
  '\r': '\\r',
  '\0': '\\0',
  '"': '\\"',
  '\\': '\\\\',
};
const escaped = new RegExp(`["\\\\]|${unprintable.source}`, 'g');

const inDouble = (text: string) =>
  `"${text.replace(escaped, (one) => {
    const code = one.charCodeAt(0);
    return named[one] ?? (code < 0x100 ? `\\x${hex(code, 2)}` : `\\u${hex(code, 4)}`);
  })}"`;
const hex = (code: number, digits: number) => code.toString(16).padStart(digits, '0');

const inSingle = (text: string) => `'${text.replaceAll("'", "''")}'`;

/**
 * A scalar on one line.
 *
 * @param style That of the value before, which is kept where the text allows it.
 * @param quote The file's own.
 */
export function scalarText(value: Scalar, place: Place, style: Node['style'], quote: '"' | "'"): string {
  if (typeof value !== 'string') return value === 0 ? '0' : String(value);
  const isOneLine = !unprintable.test(value);
  if (style === 'single' && isOneLine) return inSingle(value);
  if (style === 'double') return inDouble(value);
  if (isPlain(value, place)) return value;
  if (!isOneLine) return inDouble(value);
  const wantsSingle = quote === "'" ? !value.includes("'") : /["\\]/.test(value) && !value.includes("'");
  return wantsSingle ? inSingle(value) : inDouble(value);
}

export interface BlockText {
  /** `|`, `|-`, `>` or with a digit. */
  readonly header: string;
  /** Without indentation and without the empty lines at the end. */
  readonly lines: readonly string[];
  /** How many empty lines have to follow. */
  readonly blanks: number;
}

/**
 * A text as a block; `undefined` for a text that cannot be one.
 *
 * @param indent How much deeper it stands than what holds it.
 */
export function blockText(text: string, indent: number, isFolded: boolean): BlockText | undefined {
  const body = text.replace(/\n+$/, '');
  if (body === '' || indent > 9) return undefined;
  if (unprintable.test(body.replaceAll(/[\n\t]/g, ''))) return undefined;
  const ends = text.length - body.length;
  const lines = body.split('\n');
  if (!lines.at(-1)?.trim()) return undefined;
  const chomp = ends === 0 ? '-' : ends === 1 ? '' : '+';
  const blanks = Math.max(0, ends - 1);
  if (isFolded && !lines.some((line) => /^[ \t]|[ \t]$/.test(line)) && lines[0] !== '')
    return { header: `>${chomp}`, lines: unfolded(lines), blanks };
  const isDeep = /^[ \t]/.test(lines.find((line) => line !== '') ?? '');
  return { header: `|${isDeep ? indent : ''}${chomp}`, lines, blanks };
}

/** Folding takes one line end of each run. */
const unfolded = (lines: readonly string[]) =>
  lines.flatMap((line, index) => {
    const next = lines[index + 1];
    return line !== '' && next !== undefined ? [line, ''] : [line];
  });
