/** A value as YAML, written as a person would in this file. */
import type { Json } from './action.ts';
import type { Habits } from './habits.ts';
import { isList, isMap } from './model.ts';
import type { Node } from './read.ts';
import { blockText, type Scalar, scalarText } from './scalar.ts';

/** The text behind a colon or dash, and the lines below with their indentation. */
export interface Written {
  readonly head: string;
  readonly body: readonly string[];
}

export interface Where {
  /** Column of the key or dash that holds the value. */
  readonly column: number;
  /** The key of the nearest map: what its values look like elsewhere decides. */
  readonly key: string | number | undefined;
  readonly isItem: boolean;
}

/** Longer lines are not put into braces. */
const widest = 100;

export const keyText = (key: string, habits: Habits, style: Node['style'] = 'plain') =>
  scalarText(key, 'key', style, habits.quote);

export function flowText(value: Json, habits: Habits, style: Node['style'] = 'plain'): string {
  const { pad, quote } = habits;
  if (isList(value)) return `[${value.map((item) => flowText(item, habits)).join(', ')}]`;
  if (!isMap(value)) return scalarText(value as Scalar, 'flow', style, quote);
  const pairs = Object.entries(value).map(([key, held]) => flowPair(key, held, habits));
  return pairs.length === 0 ? '{}' : `{${pad}${pairs.join(', ')}${pad}}`;
}

export const flowPair = (key: string, value: Json, habits: Habits) =>
  `${keyText(key, habits)}: ${flowText(value, habits)}`;

/** @param style That of the value before, which is kept where the new one allows it. */
export function blockValue(
  value: Json,
  where: Where,
  habits: Habits,
  style: Node['style'] = 'plain',
): Written {
  if (!isList(value) && !isMap(value)) return scalarValue(value as Scalar, where, habits, style);
  const { column, key, isItem } = where;
  const isEmpty = Object.keys(value).length === 0;
  if (isEmpty || isWrittenFlow(value, where, habits)) return { head: flowText(value, habits), body: [] };
  const inner = isItem ? column + habits.dash : column + (isList(value) ? habits.listStep : habits.step);
  const lines = isList(value)
    ? value.flatMap((item) => itemLines(item, inner, key, habits))
    : Object.entries(value).flatMap(([name, held]) => pairLines(name, held, inner, habits));
  if (!isItem) return { head: '', body: lines };
  const [first = '', ...body] = lines;
  return { head: first.trimStart(), body };
}

export function pairLines(key: string, value: Json, column: number, habits: Habits): readonly string[] {
  const { head, body } = blockValue(value, { column, key, isItem: false }, habits);
  return [`${' '.repeat(column)}${keyText(key, habits)}:${head && ` ${head}`}`, ...body];
}

export function itemLines(
  value: Json,
  column: number,
  key: string | number | undefined,
  habits: Habits,
): readonly string[] {
  const { head, body } = blockValue(value, { column, key, isItem: true }, habits);
  return [`${' '.repeat(column)}-${' '.repeat(habits.dash - 1)}${head}`, ...body];
}

function scalarValue(value: Scalar, { column }: Where, habits: Habits, style: Node['style']): Written {
  const oneLine = () => ({ head: scalarText(value, 'block', style, habits.quote), body: [] });
  if (typeof value !== 'string' || style === 'single' || style === 'double' || !value.includes('\n'))
    return oneLine();
  const block = blockText(value, habits.step, false);
  // Empty lines at its end would take in those that follow it in the file.
  if (!block || block.blanks > 0) return oneLine();
  return { head: block.header, body: indented(block.lines, column + habits.step) };
}

export const indented = (lines: readonly string[], column: number) =>
  lines.map((line) => (line === '' ? '' : ' '.repeat(column) + line));

function isWrittenFlow(value: Json, { column, key, isItem }: Where, habits: Habits): boolean {
  const isWanted = isList(value)
    ? value.every(isSingle) && habits.isListFlow(key)
    : isItem
      ? habits.areItemsFlow(key)
      : habits.isMapFlow(key);
  if (!isWanted || !isFlat(value)) return false;
  const before = isItem || key === undefined ? 2 : String(key).length + 2;
  return column + before + flowText(value, habits).length <= widest;
}

const isSingle = (value: Json) => !isList(value) && !isMap(value);
const isShort = (value: Json) => isSingle(value) && !(typeof value === 'string' && value.includes('\n'));

/** Single values on one line, and in a map also maps and lists of them. */
const isFlat = (value: Json): boolean =>
  Object.values(value as object).every(
    (held: Json) => isShort(held) || (isMap(value) && Object.values(held as object).every(isShort)),
  );
