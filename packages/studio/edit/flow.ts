/** Where a step changes the text, in braces and brackets. */
import type { Change, Json } from './action.ts';
import type { Habits } from './habits.ts';
import { columnOf, isFirstOnLine, lineEnd, lineEndAt, nextLine } from './lines.ts';
import { itemStart } from './place.ts';
import type { Item, Node } from './read.ts';
import { keptStyle } from './scalar.ts';
import { flowText } from './write_value.ts';

/** An item as it is written, to stand elsewhere in its list. */
export interface Taken {
  readonly text: string;
  /** In brackets, the comment after its comma. */
  readonly comment: string;
  /** The blank lines that set it apart. */
  readonly blanks: number;
}

const endOf = ({ after, node }: Item) => Math.max(after, node.to);

export function putInFlow(text: string, item: Item, value: Json, habits: Habits): readonly Change[] {
  const { node, after, hasColon } = item;
  const isText = node.kind === 'scalar' && typeof value === 'string';
  const insert = flowText(value, habits, isText ? keptStyle(node, value, 'flow') : 'plain');
  if (!hasColon) return [{ from: after, to: after, insert: `: ${insert}` }];
  if (node.style === 'none') {
    const space = /^ */.exec(text.slice(after))?.[0].length ?? 0;
    return [{ from: after, to: after + space, insert: ` ${insert}` }];
  }
  return [{ from: node.from, to: node.to, insert }];
}

/** Each item has a line, or more, to itself. */
const isInLines = (text: string, { items, to }: Node) =>
  items.every(({ from }) => isFirstOnLine(text, from)) &&
  items.every((item) => lineEnd(text, endOf(item)) < to);

export function addToFlow(
  text: string,
  node: Node,
  holder: Item | undefined,
  index: number,
  { text: added, comment, blanks }: Taken,
): readonly Change[] {
  const { items } = node;
  const next = items[index];
  const last = items.at(-1) as Item;
  const end = endOf(last);
  if (!isInLines(text, node)) {
    const [first, second] = items;
    const between = first && second ? text.slice(endOf(first), second.from) : '';
    const comma = /^ *, *$/.test(between) ? between : ', ';
    if (next) return [{ from: next.from, to: next.from, insert: added + comma }];
    return [{ from: end, to: end, insert: comma + added }];
  }
  const indent = ' '.repeat(columnOf(text, last.from));
  const eol = lineEndAt(text, lineEnd(text, end)).repeat(1 + blanks);
  const note = comment && ` ${comment}`;
  if (next) {
    const at = itemStart(text, node, holder, index);
    return [{ from: at, to: at, insert: `${indent}${added},${note}${eol}` }];
  }
  const hasComma = /^[ \t]*,/.test(text.slice(end));
  const line = lineEnd(text, end);
  const below = { from: line, to: line, insert: `${eol}${indent}${added}${hasComma ? ',' : ''}${note}` };
  return hasComma ? [below] : [{ from: end, to: end, insert: ',' }, below];
}

export function dropFromFlow(
  text: string,
  node: Node,
  holder: Item | undefined,
  index: number,
): { changes: readonly Change[]; taken: Taken } {
  const { items } = node;
  const item = items[index] as Item;
  const [before, next] = [items[index - 1], items[index + 1]];
  const end = endOf(item);
  const inLine = { text: text.slice(item.from, end), comment: '', blanks: 0 };
  if (!before && !next)
    return { changes: [{ from: node.from + 1, to: node.to - 1, insert: '' }], taken: inLine };
  if (!isInLines(text, node)) {
    const cut = next ? { from: item.from, to: next.from } : { from: endOf(before as Item), to: end };
    return { changes: [{ ...cut, insert: '' }], taken: inLine };
  }
  const start = itemStart(text, node, holder, index);
  const line = lineEnd(text, end);
  const [, comma = '', comment = ''] = /^[ \t]*(,?)[ \t]*(#.*)?$/.exec(text.slice(end, line)) ?? [];
  const lines = { from: start, to: nextLine(text, line), insert: '' };
  const taken = { text: text.slice(start, end).trimStart(), comment, blanks: 0 };
  const above = before ? endOf(before) : 0;
  // The item above is the last now. Its comma stands right after it, or the text no longer loads and the edit is refused.
  const isCommaLeft = before && !next && comma === '';
  const length = isCommaLeft ? (/^[ \t]*,/.exec(text.slice(above))?.[0].length ?? 0) : 0;
  return {
    changes: [...(length > 0 ? [{ from: above, to: above + length, insert: '' }] : []), lines],
    taken,
  };
}
