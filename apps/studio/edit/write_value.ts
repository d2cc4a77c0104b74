/** The file's YAML style, so that new lines match it. */

import { blockText, type Scalar, type Style, scalarText } from '@form-relay/yaml/scalar';
import { isCollection, isScalar, isMap as isYamlMap, type ParsedNode } from 'yaml';
import { isList, isMap, type Json } from './model.ts';
import { columnOf, type Item, isFirstOnLine, itemsOf, type Parsed } from './read.ts';

export interface Habits {
  /** Indentation of a map's keys relative to the key above. */
  readonly step: number;
  /** Indentation of a list's dashes relative to its key. */
  readonly listStep: number;
  /** Padding inside braces: nothing, or a space. */
  readonly pad: string;
  readonly quote: '"' | "'";
  /** Whether this file writes a list of scalars, a map, or a map in a list below this key in flow style. */
  readonly isFlow: (kind: 'list' | 'map' | 'item', key: string | number | undefined) => boolean;
}

const known = new WeakMap<Parsed, Habits>();

export function habitsOf(parsed: Parsed): Habits {
  const habits = known.get(parsed) ?? readHabits(parsed);
  known.set(parsed, habits);
  return habits;
}

function readHabits({ text, root }: Parsed): Habits {
  let [step, listStep, pad]: [number?, number?, string?] = [];
  /** Positive if double quotes outnumber single ones. */
  let quotes = 0;
  /** Positive if flow style outnumbers block style. */
  const flow = new Map<string, number>();
  const count = (name: string, isFlow: boolean) => flow.set(name, (flow.get(name) ?? 0) + (isFlow ? 1 : -1));
  /** @param key The nearest map's key. */
  const see = (node: ParsedNode | undefined, key: Item['key'] | undefined, holder?: Item): void => {
    if (isScalar(node) && node.type === 'QUOTE_DOUBLE') quotes += 1;
    if (isScalar(node) && node.type === 'QUOTE_SINGLE' && !/["\\]/.test(String(node.value))) quotes -= 1;
    const items = itemsOf(text, node);
    const [first] = items;
    if (!isCollection(node) || !first) return;
    const isFlow = node.flow ?? false;
    if (isFlow && isYamlMap(node)) pad ??= text[node.range[0] + 1] === ' ' ? ' ' : '';
    if (!isFlow && holder?.written && isFirstOnLine(text, first.from)) {
      const deeper = columnOf(text, first.from) - columnOf(text, holder.from);
      if (isYamlMap(node)) step ??= deeper;
      else listStep ??= deeper;
    }
    if (isYamlMap(node)) count(`${holder?.written ? 'map' : 'item'} ${key}`, isFlow);
    else if (items.every((item) => !isCollection(item.node))) {
      count(`list ${key}`, isFlow);
      count('list', isFlow);
    }
    for (const item of items) see(item.node, item.written ? item.key : key, item);
  };
  see(root, undefined);
  step ??= 2;
  return {
    step,
    listStep: listStep ?? step,
    pad: pad ?? '',
    quote: quotes < 0 ? "'" : '"',
    isFlow: (kind, key) => (flow.get(`${kind} ${key}`) ?? flow.get(kind) ?? 0) > 0,
  };
}

/** Writes a value as YAML in the style of this file. */

export interface Where {
  /** Column of the key or dash that has the value. */
  readonly column: number;
  /** The nearest map's key: its values elsewhere determine the style. */
  readonly key: string | number | undefined;
  readonly isItem: boolean;
}

/** Longer lines do not use braces. */
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

/** The text after a colon or dash, and indented lines below. @param style The previous value's style. */
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
  // Scalars fit on one line; inside a map, so do maps and lists of scalars.
  const isFlat = isList(value)
    ? areShort(value)
    : Object.values(value as object).every((held: Json) => isShort(held) || areShort(held));
  const before = isItem || key === undefined ? 2 : String(key).length + 2;
  return isWanted && isFlat && column + before + flowText(value, habits).length <= widest;
}

const isShort = (value: Json) =>
  !isList(value) && !isMap(value) && !(typeof value === 'string' && value.includes('\n'));
