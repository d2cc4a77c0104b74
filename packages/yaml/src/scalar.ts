/** Text, numbers and booleans as YAML. Words that YAML 1.1 reads as booleans or numbers are also quoted. */

export type Scalar = null | boolean | number | string;
/** The context of a scalar: block style, in braces or brackets (flow), or as a key. */
export type Place = 'block' | 'flow' | 'key';
/** The names of the package `yaml`. */
export type Style = 'PLAIN' | 'QUOTE_SINGLE' | 'QUOTE_DOUBLE' | 'BLOCK_FOLDED' | 'BLOCK_LITERAL' | undefined;

/** Words that some YAML parser reads as null, a boolean or a number. Dates and times stay unquoted, as in the manual. */
const otherThanText = [
  /^(?:|~|null|y|n|yes|no|on|off|true|false|=|<<)$/i,
  /^[-+]?(?:\.?\d[\d_,]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:e[-+]?\d+)?$/i,
  /^[-+]?0(?:b[01_]+|o?[0-7_]+|x[\da-f_]+)$/i,
  /^[-+]?\.(?:inf|nan)$/i,
];

/** The quotes that a text keeps when it changes, unless only the previous text needed them. */
export const keptStyle = (style: Style, before: unknown, text: string, place: Place): Style =>
  isPlain(text, place) && !isPlain(String(before), place) ? 'PLAIN' : style;

/** Characters that should be escaped in a file. */
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

/**
 * Text as a single line, with escapes if needed. @param style The style of the previous value, kept if the
 * text allows it.
 */
export function scalarText(value: Scalar, place: Place, style: Style, quote: '"' | "'"): string {
  if (typeof value !== 'string') return String(value);
  const isOneLine = !unprintable.test(value);
  if (style === 'QUOTE_SINGLE' && isOneLine) return inSingle(value);
  if (style !== 'QUOTE_DOUBLE' && isPlain(value, place)) return value;
  const prefersSingle = style !== 'QUOTE_DOUBLE' && (quote === "'" || /["\\]/.test(value));
  return prefersSingle && isOneLine && !value.includes("'") ? inSingle(value) : inDouble(value);
}

/**
 * A text in block style: its indicator and its lines. `undefined` for a single line, or if only quotes
 * preserve its ends.
 */
export function blockText(text: string): readonly string[] | undefined {
  const body = text.replace(/\n$/, '');
  const isOdd = /^\s|\s$/.test(body) || unprintable.test(body.replaceAll(/[\n\t]/g, ''));
  if (isOdd || !text.includes('\n')) return undefined;
  return [body === text ? '|-' : '|', ...body.split('\n')];
}
