/** Where a step changes the text, in braces and brackets. */
import type { ParsedNode } from 'yaml';
import { columnOf, isFirstOnLine, itemStart, lineEnd, nextLine } from './config_text.ts';
import type { Change } from './model.ts';
import type { Item } from './read.ts';

/** A map or list, and where the lines begin that belong to its first item. */
export interface Around {
  readonly text: string;
  readonly node: ParsedNode | undefined;
  readonly isFlow: boolean;
  readonly items: readonly Item[];
  readonly room: number;
}

export interface Taken {
  readonly changes: readonly Change[];
  /** The item as it is written, to stand elsewhere in its list. */
  readonly taken: string;
  /** The blank lines that set it apart. */
  readonly gap: string;
}

export function putInFlow(
  text: string,
  { node, after, to, hasColon }: Item,
  insert: string,
): readonly Change[] {
  if (!hasColon) return [{ from: after, to, insert: `: ${insert}` }];
  if (node) return [{ from: node.range[0], to, insert }];
  const spaces = /^ */.exec(text.slice(after))?.[0].length ?? 0;
  return [{ from: after, to: after + spaces, insert: ` ${insert}` }];
}

/** Each item has a line, or more, to itself. */
const isInLines = ({ text, items, node }: Around) =>
  items.every(({ from, to }) => isFirstOnLine(text, from) && lineEnd(text, to) < (node?.range[1] ?? 0));

/** `written`: in lines, with the comment behind its comma. */
export function addToFlow(around: Around, index: number, written: string): readonly Change[] {
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

export function dropFromFlow(around: Around, index: number): Taken {
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
  // The item above is the last now. If its comma does not stand right after it, the text no longer loads and the edit
  // is refused.
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
