/** A value as YAML, written as a person would in this file. */

import { blockText, type Scalar, type Style, scalarText } from '@form-relay/yaml/scalar';
import type { Json } from './action.ts';
import type { Habits } from './habits.ts';
import { isList, isMap } from './model.ts';

export interface Where {
  /** Column of the key or dash that holds the value. */
  readonly column: number;
  /** The key of the nearest map: what its values look like elsewhere decides. */
  readonly key: string | number | undefined;
  readonly isItem: boolean;
}

/** Longer lines are not put into braces. */
const widest = 100;

export const keyText = (key: string, habits: Habits, style?: Style) =>
  scalarText(key, 'key', style, habits.quote);

export function flowText(value: Json, habits: Habits, style?: Style): string {
  const { pad, quote } = habits;
  if (isList(value)) return `[${value.map((item) => flowText(item, habits)).join(', ')}]`;
  if (!isMap(value)) return scalarText(value as Scalar, 'flow', style, quote);
  const pairs = Object.entries(value).map(([key, held]) => flowPair(key, held, habits));
  return pairs.length === 0 ? '{}' : `{${pad}${pairs.join(', ')}${pad}}`;
}

export const flowPair = (key: string, value: Json, habits: Habits) =>
  `${keyText(key, habits)}: ${flowText(value, habits)}`;

/** The text after a colon or dash, and the lines below, indented. @param style That of the value before. */
export function blockValue(value: Json, where: Where, habits: Habits, style?: Style): readonly string[] {
  const { column, key, isItem } = where;
  const isCollection = isList(value) || isMap(value);
  const [mark, ...texts] = (typeof value === 'string' && blockText(value)) || [];
  if (mark !== undefined) return [mark, ...texts.map((line) => line && indent(column + habits.step) + line)];
  if (!isCollection) return [scalarText(value as Scalar, 'block', style, habits.quote)];
  if (Object.keys(value).length === 0 || isWrittenFlow(value, where, habits))
    return [flowText(value, habits)];
  const inner = column + (isItem ? 2 : isList(value) ? habits.listStep : habits.step);
  const lines = isList(value)
    ? value.flatMap((item) => itemLines(item, inner, key, habits))
    : Object.entries(value).flatMap(([name, held]) => pairLines(name, held, inner, habits));
  const [first = '', ...body] = lines;
  return isItem ? [first.trimStart(), ...body] : ['', ...lines];
}

const indent = (column: number) => ' '.repeat(column);

export function pairLines(key: string, value: Json, column: number, habits: Habits): readonly string[] {
  const [head, ...body] = blockValue(value, { column, key, isItem: false }, habits);
  return [`${indent(column)}${keyText(key, habits)}:${head && ` ${head}`}`, ...body];
}

export function itemLines(value: Json, column: number, key: Where['key'], habits: Habits): readonly string[] {
  const [head, ...body] = blockValue(value, { column, key, isItem: true }, habits);
  return [`${indent(column)}- ${head}`, ...body];
}

function isWrittenFlow(value: Json, { column, key, isItem }: Where, habits: Habits): boolean {
  const isWanted = habits.isFlow(isList(value) ? 'list' : isItem ? 'item' : 'map', key);
  const areShort = (held: Json) => Object.values(held as object).every(isShort);
  // Single values on one line, and in a map also maps and lists of them.
  const isFlat = isList(value)
    ? areShort(value)
    : Object.values(value as object).every((held: Json) => isShort(held) || areShort(held));
  const before = isItem || key === undefined ? 2 : String(key).length + 2;
  return isWanted && isFlat && column + before + flowText(value, habits).length <= widest;
}

const isShort = (value: Json) =>
  !isList(value) && !isMap(value) && !(typeof value === 'string' && value.includes('\n'));
