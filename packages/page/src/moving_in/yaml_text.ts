import { control, format } from '@form-relay/core/base/unicode';

/** A value of a key of the config, before it is text. */
export type Value = string | true | readonly Value[] | Keys;
export interface Keys {
  readonly [key: string]: Value | undefined;
}

/** Words that some reader of YAML takes for something else than text. */
const taken = /^(true|false|null|yes|no|on|off|y|n)$/i;
/** Text that every reader of YAML takes for itself, in a line of its own and between brackets. */
const plain = /^[\p{L}_][\p{L}\p{M}\p{N} _.…?!/+=%&()@;–'’-]*(?<! )$/u;
const webAddress = /^https?:\/\/[\w./?=&%+~@:-]*[\w/]$/;
const number = /^-?(0|[1-9]\d{0,14})(\.\d{1,9})?$/;
const day = /^\d{4}-\d{2}-\d{2}$/;

/** Joiners are letters' business, in Persian for instance. All else that nobody sees is written as an escape. */
const unseen = new RegExp(
  `(?![\\u200c\\u200d])[${control}${format}\\p{Cs}\\u2028\\u2029\\ufffe\\uffff]`,
  'gu',
);

/** Text as YAML writes it on one line: without quotes where it needs none. */
export function scalar(text: string): string {
  const isPlain = !taken.test(text) && [plain, webAddress, number, day].some((kind) => kind.test(text));
  if (isPlain && text.search(unseen) < 0) return text;
  if (text.search(unseen) < 0 && /["\\]/.test(text)) return `'${text.replaceAll("'", "''")}'`;
  return `"${text.replaceAll(/["\\]/g, '\\$&').replaceAll(unseen, escaped)}"`;
}

const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const escaped = (character: string) =>
  short[character] ?? `\\U${(character.codePointAt(0) ?? 0).toString(16).padStart(8, '0')}`;

const isList = (value: Value): value is readonly Value[] => Array.isArray(value);

const entriesOf = (keys: Keys) =>
  Object.entries(keys).filter((entry): entry is [string, Value] => entry[1] !== undefined);

/** A value on one line. */
export function flow(value: Value): string {
  if (value === true) return 'true';
  if (typeof value === 'string') return scalar(value);
  if (isList(value)) return `[${value.map(flow).join(', ')}]`;
  const entries = entriesOf(value).map(([key, inner]) => `${scalar(key)}: ${flow(inner)}`);
  return `{${entries.join(', ')}}`;
}

const widest = 100;

/** The keys of a map, a line each; a list that is too long for its line goes on below. */
export const block = (keys: Keys, indent: number): readonly string[] =>
  entriesOf(keys).flatMap(([key, value]) => {
    const line = `${' '.repeat(indent)}${scalar(key)}: ${flow(value)}`;
    if (line.length <= widest || !isList(value)) return [line];
    return [`${' '.repeat(indent)}${scalar(key)}:`, ...value.flatMap((item) => listItem(item, indent + 2))];
  });

/** An item of a list, on one line if it fits. */
export function listItem(value: Value, indent: number): readonly string[] {
  const line = `${' '.repeat(indent)}- ${flow(value)}`;
  const isMap = typeof value === 'object' && !isList(value);
  return line.length <= widest || !isMap ? [line] : blockItem(value, indent);
}

/** An item of a list, with a line for each of its keys. */
export const blockItem = (keys: Keys, indent: number): readonly string[] =>
  block(keys, indent + 2).map((line, at) => (at === 0 ? `${' '.repeat(indent)}- ${line.trimStart()}` : line));

/** Text from elsewhere as a comment of one line. */
export const comment = (text: string, indent: number): string =>
  `${' '.repeat(indent)}# ${text.replaceAll(unseen, ' ')}`;
