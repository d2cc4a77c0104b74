/** Text changes for a step, in block style. */

import { keptStyle } from '@form-relay/yaml/scalar';
import { isCollection, isScalar, type ParsedNode } from 'yaml';
import type { Change, Json, Path, Step } from './model.ts';
import {
  afterBlanks,
  columnOf,
  endOf,
  type Item,
  isBlockText,
  isFirstOnLine,
  isSpaced,
  itemEnd,
  itemStart,
  itemsOf,
  itemsTo,
  lineEnd,
  nextLine,
  type Parsed,
  whyOf,
  whyWithin,
} from './read.ts';
import {
  blockValue,
  flowPair,
  flowText,
  type Habits,
  habitsOf,
  itemLines,
  keyText,
  pairLines,
} from './write_value.ts';

/** Why a step cannot be made in the text. */
export function whyNot(parsed: Parsed, step: Step): string | undefined {
  const { text, root, why } = parsed;
  const way = [root, ...itemsTo(parsed, step.path).map(({ node }) => node)];
  const isInside = step.do === 'add' || step.do === 'move';
  const above = (isInside ? way : way.slice(0, -1)).map(whyOf).find(Boolean);
  if (why ?? above) return why ?? above;
  if (step.do === 'put' || step.do === 'drop') return whyWithin(text, way.at(-1));
  return step.do === 'move' ? whyWithin(text, itemsOf(text, way.at(-1))[step.from]?.node) : undefined;
}

/** The text changes of a step that `whyNot` allows, in order. */
export function splice(parsed: Parsed, step: Step): readonly Change[] {
  if (step.do === 'put') return put(parsed, step.path, step.value);
  if (step.do === 'drop') return take(parsed, step.path).changes;
  if (step.do === 'rename') {
    const { written, key } = itemsTo(parsed, step.path).at(-1) as Item;
    const [from = 0, to = 0] = written?.range ?? [];
    const style = keptStyle(written?.type, key, step.key, 'key');
    return [{ from, to, insert: keyText(step.key, habitsOf(parsed), style) }];
  }
  const around = aroundAt(parsed, step.path);
  if (step.do === 'move') {
    const { changes, taken, gap } = take(parsed, [...step.path, step.from]);
    const to = step.to > step.from ? step.to + 1 : step.to;
    return [...changes, ...add(around, to, taken, gap)].toSorted((one, other) => one.from - other.from);
  }
  const { key, value } = step;
  const habits = habitsOf(parsed);
  if (around.isFlow)
    return add(
      around,
      step.index,
      key === undefined ? flowText(value, habits) : flowPair(key, value, habits),
    );
  const column = columnOf(parsed.text, around.items[0]?.from ?? 0);
  const lines =
    key === undefined
      ? itemLines(value, column, nameIn(step.path), habits)
      : pairLines(key, value, column, habits);
  return add(around, step.index, lines.join('\n'));
}

/** The nearest key: new values are written like those of the same key elsewhere. */
const nameIn = (path: Path) => path.findLast((key) => typeof key === 'string');

function aroundAt(parsed: Parsed, path: Path): Around {
  const { text, root } = parsed;
  const holder = itemsTo(parsed, path).at(-1);
  const node = holder ? holder.node : root;
  const isFlow = isCollection(node) && node.flow === true;
  const room = holder ? lineEnd(text, isFlow ? (node?.range[0] ?? 0) : holder.after) : 0;
  return { text, node, isFlow, items: itemsOf(text, node), room };
}

function put(parsed: Parsed, path: Path, value: Json): readonly Change[] {
  const { text } = parsed;
  const item = itemsTo(parsed, path).at(-1);
  const habits = habitsOf(parsed);
  if (!item) return putRoot(parsed, value, habits);
  const around = aroundAt(parsed, path.slice(0, -1));
  const { node, after, to } = item;
  const isLine = typeof value === 'string' && !value.includes('\n') && isScalar(node) && !isBlockText(node);
  const style = isLine
    ? keptStyle(node.type, node.value, value, around.isFlow ? 'flow' : 'block')
    : undefined;
  if (around.isFlow) return putInFlow(text, item, flowText(value, habits, style));
  const column = columnOf(text, item.from);
  // Block text keeps its indentation.
  const depth = isBlockText(node) ? /\n( +)\S/.exec(text.slice(after, to))?.[1]?.length : undefined;
  const step = depth !== undefined && depth > column ? depth - column : habits.step;
  const where = { column, key: nameIn(path), isItem: !item.written };
  const [head = '', ...body] = blockValue(value, where, { ...habits, step }, style);
  const line = lineEnd(text, after);
  const start = node?.range[0] ?? Number.POSITIVE_INFINITY;
  const isBelow = start > line;
  const isBlock = isBlockText(node) || (isCollection(node) && !node.flow);
  // A comment on the key's line stays there; a comment after a dash belongs to the key on that line.
  const mark = isBlockText(node) && /^[|>][\d+-]*/.exec(text.slice(start))?.[0].length;
  const spaces = node ? '' : (/^ *$/.exec(text.slice(after, line))?.[0] ?? '');
  const headTo = isBelow ? after + spaces.length : mark ? start + mark : isBlock ? line : to;
  const from = isBelow || head === '' || (where.isItem && body.length > 0) ? after : start;
  const below = isBelow || isBlock ? line : lineEnd(text, to);
  const belowTo = isBlock && !isBlockText(node) ? itemEnd(text, item) : lineEnd(text, to);
  return [
    { from, to: headTo, insert: head && from === after ? ` ${head}` : head },
    { from: below, to: Math.max(below, belowTo), insert: body.map((one) => `\n${one}`).join('') },
  ];
}

function putRoot({ text, root }: Parsed, value: Json, habits: Habits): readonly Change[] {
  const { step } = habits;
  const where = { column: -step, key: undefined, isItem: false };
  const lines = blockValue(value, where, { ...habits, listStep: step });
  const written = lines.join('\n').trimStart();
  if (root) return [{ from: root.range[0], to: lineEnd(text, endOf(text, root)), insert: written }];
  const isNewLine = /(^|\n)$/.test(text);
  return [{ from: text.length, to: text.length, insert: isNewLine ? `${written}\n` : `\n${written}` }];
}

/** Inserts before item `index`. `written`: an item with its comments; in block style, on its own lines. */
function add(around: Around, index: number, written: string, gap?: string): readonly Change[] {
  if (around.isFlow) return addToFlow(around, index, written);
  const { text, items, room } = around;
  const before = items[index - 1];
  const blanks = gap ?? (isSpaced(text, items) ? '\n' : '');
  if (before) {
    const at = itemEnd(text, before);
    // Empty lines after a `|+` text would become part of it.
    return [{ from: at, to: at, insert: `\n${text[at - 1] === '\n' ? '' : blanks}${written}` }];
  }
  const at = itemStart(text, items, 0, room);
  const indent = ' '.repeat(columnOf(text, at));
  return [{ from: at, to: at, insert: `${indent ? written.trimStart() : written}\n${blanks}${indent}` }];
}

/** Removes an item with its comments and one adjacent gap. */
function take(parsed: Parsed, path: Path): Taken {
  const around = aroundAt(parsed, path.slice(0, -1));
  const { text, items, room } = around;
  const found = itemsTo(parsed, path).at(-1);
  const index = items.findIndex(({ from }) => from === found?.from);
  const [item, before, next] = [items[index] as Item, items[index - 1], items[index + 1]];
  if (around.isFlow) return dropFromFlow(around, index);
  if (!before && !next)
    return { changes: put(parsed, path.slice(0, -1), item.written ? {} : []), taken: '', gap: '' };
  const start = itemStart(text, items, index, before ? itemEnd(text, before) : room);
  const end = itemEnd(text, item);
  const cut = (from: number, to: number) => ({
    changes: [{ from, to, insert: '' }],
    taken: ' '.repeat(columnOf(text, start)) + text.slice(start, end),
    gap: '\n'.repeat(Math.max(0, (text.slice(from, start) + text.slice(end, to)).split('\n').length - 2)),
  });
  if (!isFirstOnLine(text, item.from)) {
    const second = next?.from ?? end;
    // When the first key is removed, the next takes its place, unless comments precede it.
    return text.slice(end, second).trim() === ''
      ? cut(start, second)
      : cut(text.slice(0, start).trimEnd().length, end);
  }
  const above = before ? itemEnd(text, before) : start;
  const blanks = /(?:\n[ \t]*)*$/.exec(text.slice(above, start))?.[0] ?? '';
  // Empty lines below a `|+` text would become part of it.
  const isKept = before !== undefined && text[above - 1] === '\n';
  if (!next) return cut(start - blanks.length, isKept ? afterBlanks(text, end) : end);
  const isApart = !before || isKept || blanks.split('\n').length > 2;
  return cut(start, nextLine(text, isApart ? afterBlanks(text, end) : end));
}

// Text changes for a step, in braces and brackets.

/** A map or list, and where the lines of its first item start. */
interface Around {
  readonly text: string;
  readonly node: ParsedNode | undefined;
  readonly isFlow: boolean;
  readonly items: readonly Item[];
  readonly room: number;
}

interface Taken {
  readonly changes: readonly Change[];
  /** The item's text, for insertion elsewhere in its list. */
  readonly taken: string;
  /** Blank lines around the item. */
  readonly gap: string;
}

function putInFlow(text: string, { node, after, to, hasColon }: Item, insert: string): readonly Change[] {
  if (!hasColon) return [{ from: after, to, insert: `: ${insert}` }];
  if (node) return [{ from: node.range[0], to, insert }];
  const spaces = /^ */.exec(text.slice(after))?.[0].length ?? 0;
  return [{ from: after, to: after + spaces, insert: ` ${insert}` }];
}

/** Whether each item has its own lines. */
const isInLines = ({ text, items, node }: Around) =>
  items.every(({ from, to }) => isFirstOnLine(text, from) && lineEnd(text, to) < (node?.range[1] ?? 0));

/** `written`: on lines of its own, with the comment after its comma. */
function addToFlow(around: Around, index: number, written: string): readonly Change[] {
  const { text, items, room } = around;
  const [first, second] = items;
  const next = items[index];
  const last = items.at(-1) as Item;
  if (!isInLines(around)) {
    const between = first && second ? text.slice(first.to, second.from) : '';
    const comma = /^ *, *$/.test(between) ? between : ', ';
    const at = next?.from ?? last.to;
    return [{ from: at, to: at, insert: next ? written + comma : comma + written }];
  }
  const indent = ' '.repeat(columnOf(text, last.from));
  const [, value = '', note = ''] = /^(.*?)(\n#[^\n]*)?$/s.exec(written) ?? [];
  const comment = note.replace('\n', ' ');
  if (next) {
    const before = items[index - 1];
    const at = itemStart(text, items, index, before ? lineEnd(text, before.to) : room);
    return [{ from: at, to: at, insert: `${indent}${value},${comment}\n` }];
  }
  const hasComma = /^[ \t]*,/.test(text.slice(last.to));
  const line = lineEnd(text, last.to);
  const below = { from: line, to: line, insert: `\n${indent}${value}${hasComma ? ',' : ''}${comment}` };
  return hasComma ? [below] : [{ from: last.to, to: last.to, insert: ',' }, below];
}

function dropFromFlow(around: Around, index: number): Taken {
  const { text, items, node, room } = around;
  const item = items[index] as Item;
  const [before, next] = [items[index - 1], items[index + 1]];
  const cut = (from: number, to: number) => ({ from, to, insert: '' });
  const taken = text.slice(item.from, item.to);
  if (!before && !next)
    return { changes: [cut((node?.range[0] ?? 0) + 1, (node?.range[1] ?? 0) - 1)], taken, gap: '' };
  if (!isInLines(around))
    return { changes: [next ? cut(item.from, next.from) : cut(before?.to ?? 0, item.to)], taken, gap: '' };
  const start = itemStart(text, items, index, before ? lineEnd(text, before.to) : room);
  const line = lineEnd(text, item.to);
  const [, comma = '', note = ''] = /^[ \t]*(,?)[ \t]*(#.*)?$/.exec(text.slice(item.to, line)) ?? [];
  // The item above becomes the last. If its comma does not directly follow it, the text would no longer load,
  // and the edit is refused.
  const left = before && !next && comma === '' ? /^[ \t]*,/.exec(text.slice(before.to))?.[0].length : 0;
  return {
    changes: [
      ...(before && left ? [cut(before.to, before.to + left)] : []),
      cut(start, nextLine(text, line)),
    ],
    taken: text.slice(start, item.to).trimStart() + (note && `\n${note}`),
    gap: '',
  };
}
