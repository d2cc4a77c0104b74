/** Text, numbers and flags as YAML. Words that YAML 1.1 takes for flags or numbers stand in quotes, too. */

export type Scalar = null | boolean | number | string;
/** Whether it stands in braces or brackets, or is a key. */
export type Place = 'block' | 'flow' | 'key';
/** As the package `yaml` names them. */
export type Style = 'PLAIN' | 'QUOTE_SINGLE' | 'QUOTE_DOUBLE' | 'BLOCK_FOLDED' | 'BLOCK_LITERAL' | undefined;

/** Words that some reader takes for null, a flag or a number. The manual writes dates and times plainly. */
const otherThanText = [
  /^(?:|~|null|y|n|yes|no|on|off|true|false|=|<<)$/i,
  /^[-+]?(?:\.?\d[\d_,]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:e[-+]?\d+)?$/i,
  /^[-+]?0(?:b[01_]+|o?[0-7_]+|x[\da-f_]+)$/i,
  /^[-+]?\.(?:inf|nan)$/i,
];

/** The quotes that a text keeps when it changes: not those that only the text before needed. */
export const keptStyle = (style: Style, before: unknown, text: string, place: Place): Style =>
  isPlain(text, place) && !isPlain(String(before), place) ? 'PLAIN' : style;

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

const escaped = new RegExp(unprintable.source, 'g');

const inDouble = (text: string) =>
  JSON.stringify(text).replace(escaped, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
const inSingle = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** Text of one line, escapes included. @param style That of the value before, kept where the text allows it. */
export function scalarText(value: Scalar, place: Place, style: Style, quote: '"' | "'"): string {
  if (typeof value !== 'string') return String(value);
  const isOneLine = !unprintable.test(value);
  if (style === 'QUOTE_SINGLE' && isOneLine) return inSingle(value);
  if (style !== 'QUOTE_DOUBLE' && isPlain(value, place)) return value;
  const prefersSingle = style !== 'QUOTE_DOUBLE' && (quote === "'" || /["\\]/.test(value));
  return prefersSingle && isOneLine && !value.includes("'") ? inSingle(value) : inDouble(value);
}

/** A text as a block: its mark and its lines; `undefined` for a text of one line, and where only quotes keep its ends. */
export function blockText(text: string): readonly string[] | undefined {
  const body = text.replace(/\n$/, '');
  const isOdd = /^\s|\s$/.test(body) || unprintable.test(body.replaceAll(/[\n\t]/g, ''));
  if (isOdd || !text.includes('\n')) return undefined;
  return [body === text ? '|-' : '|', ...body.split('\n')];
}
