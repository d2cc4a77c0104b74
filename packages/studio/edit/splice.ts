/** Where a step changes the text, in block style. */
import type { Change, Json, Path } from './action.ts';
import { addToFlow, dropFromFlow, putInFlow, type Taken } from './flow.ts';
import { type Habits, habitsOf } from './habits.ts';
import {
  blanksAfter,
  columnOf,
  isFirstOnLine,
  lineAfter,
  lineEnd,
  lineEndAt,
  lineStart,
  nextLine,
} from './lines.ts';
import type { Step } from './model.ts';
import { blanksBefore, isSpaced, itemEnd, itemStart, roomStart } from './place.ts';
import { type Item, itemsTo, type Node, nodeAt, type Parsed, whyWithin } from './read.ts';
import { blockText, keptStyle } from './scalar.ts';
import {
  blockValue,
  flowPair,
  flowText,
  indented,
  itemLines,
  keyText,
  pairLines,
  type Where,
} from './write_value.ts';

/** A reason not to make this step by hand. */
export function whyNot({ root, why }: Parsed, step: Step): string | undefined {
  if (why) return why;
  if (!root) return undefined;
  const way = itemsTo(root, step.path).map((item) => item.node);
  const target = way.at(-1) ?? root;
  const isWhole = step.do === 'put' || step.do === 'drop';
  const above = [root, ...(step.do === 'add' || step.do === 'move' ? way : way.slice(0, -1))];
  const found = above.find((node) => node.why)?.why;
  if (found || step.do === 'rename' || step.do === 'add') return found;
  if (isWhole) return whyWithin(target);
  const moved = target.items[step.from];
  return moved && whyWithin(moved.node);
}

/** The changes of a step that `whyNot` lets pass. `move` is `takeOut` and `putBack`. */
export function splice(parsed: Parsed, step: Exclude<Step, { do: 'move' }>): readonly Change[] {
  if (step.do === 'put') return put(parsed, step.path, step.value);
  if (step.do === 'add') return add(parsed, step.path, step.index, step);
  if (step.do === 'drop') return takeOut(parsed, step.path).changes;
  const item = itemsTo(parsed.root, step.path).at(-1) as Item;
  const style = keptStyle({ style: item.keyStyle, value: item.key }, step.key, 'key');
  return [{ from: item.from, to: item.keyTo, insert: keyText(step.key, habitsOf(parsed), style) }];
}

/** The nearest name: what its values look like elsewhere decides how new ones are written. */
const nameIn = (path: Path) => path.findLast((key) => typeof key === 'string');

function put(parsed: Parsed, path: Path, value: Json): readonly Change[] {
  const { text, root } = parsed;
  const way = itemsTo(root, path);
  const item = way.at(-1);
  const habits = habitsOf(parsed);
  if (!item) return putRoot(parsed, value, habits);
  const around = (way.at(-2)?.node ?? root) as Node;
  if (around.isFlow) return putInFlow(text, item, value, habits);
  const where = { column: columnOf(text, item.from), key: nameIn(path), isItem: around.kind === 'list' };
  return putInBlock(text, item, where, value, near(parsed, around, habits));
}

function putRoot({ text, root }: Parsed, value: Json, habits: Habits): readonly Change[] {
  const eol = lineEndAt(text, lineEnd(text, 0));
  const { head, body } = blockValue(
    value,
    { column: -habits.step, key: undefined, isItem: false },
    {
      ...habits,
      listStep: habits.step,
    },
  );
  const written = (head ? [head] : body).join(eol);
  if (root) return [{ from: root.from, to: lineEnd(text, root.to), insert: written }];
  const isNewLine = /(^\ufeff?|\n)$/.test(text);
  return [{ from: text.length, to: text.length, insert: isNewLine ? written + eol : eol + written }];
}

/** Where a value stands: on the line of its key or dash, and on the lines below. */
interface Region {
  readonly head: number;
  readonly headTo: number;
  readonly body: number;
  readonly bodyTo: number;
}

function regionOf(text: string, item: Item): Region {
  const { node, after } = item;
  const isBlock = node.items.length > 0 && !node.isFlow;
  if (node.style === 'none') {
    const line = lineEnd(text, after);
    const headTo = /^ +$/.test(text.slice(after, line)) ? line : after;
    return { head: after, headTo, body: line, bodyTo: line };
  }
  if (text.slice(after, node.from).includes('\n')) {
    const bodyTo = isBlock ? itemEnd(text, item) : lineEnd(text, node.to);
    return { head: after, headTo: after, body: lineEnd(text, after), bodyTo };
  }
  const line = lineEnd(text, node.from);
  if (isBlock) return { head: node.from, headTo: line, body: line, bodyTo: itemEnd(text, item) };
  if (node.style === 'literal' || node.style === 'folded') {
    const [header = ''] = /^[|>][\d+-]*/.exec(text.slice(node.from, line)) ?? [];
    return {
      head: node.from,
      headTo: node.from + header.length,
      body: line,
      bodyTo: Math.max(line, node.to),
    };
  }
  return { head: node.from, headTo: node.to, body: lineEnd(text, node.to), bodyTo: lineEnd(text, node.to) };
}

function putInBlock(text: string, item: Item, where: Where, value: Json, habits: Habits): readonly Change[] {
  const { node, after } = item;
  const region = regionOf(text, item);
  const isBlock = node.style === 'literal' || node.style === 'folded';
  const kept =
    isBlock && typeof value === 'string' ? putBlockText(text, item, region, where, value) : undefined;
  if (kept) return kept;
  // The new value stands as far from its dash as the old one.
  const dash = where.isItem && region.head > after ? region.head - item.from : habits.dash;
  const { head, body } = blockValue(value, where, { ...habits, dash }, styleFor(node, value, isBlock));
  const eol = lineEndAt(text, region.body);
  const space = where.isItem ? ' '.repeat(dash - 1) : ' ';
  const onLine =
    head === ''
      ? { from: after, to: region.headTo, insert: '' }
      : { from: region.head, to: region.headTo, insert: region.head === after ? space + head : head };
  const below = { from: region.body, to: region.bodyTo, insert: body.map((line) => eol + line).join('') };
  return [onLine, below];
}

/** A text that gets its first line break leaves its quotes, so that people can read it. */
function styleFor(node: Node, value: Json, isBlock: boolean): Node['style'] {
  if (node.kind !== 'scalar' || typeof value !== 'string') return 'plain';
  if (isBlock) return 'double';
  const isFirstBreak = value.includes('\n') && typeof node.value === 'string' && !node.value.includes('\n');
  if (isFirstBreak || (node.style === 'single' && value.includes('\n'))) return 'plain';
  return keptStyle(node, value, 'block');
}

/** A text in block style stays one, as deep as it was. */
function putBlockText(
  text: string,
  { node }: Item,
  region: Region,
  { column }: Where,
  value: string,
): readonly Change[] | undefined {
  const header = text.slice(region.head, region.headTo);
  const old = text.slice(region.body, region.bodyTo);
  const [, spaces = ''] = /\n( *)[^ \r\n]/.exec(old) ?? [];
  const digit = /\d/.exec(header)?.[0];
  const indent = digit ? Number(digit) : spaces.length > column ? spaces.length - column : 2;
  const block = blockText(value, indent, node.style === 'folded');
  if (!block) return undefined;
  const isKept = header.includes('+');
  const end = isKept ? region.body + old.replace(/(\r?\n[ \t]*)+$/, '').length : region.bodyTo;
  const blanks = blanksAfter(text, end);
  // The empty lines at its end are those that stand there already, and as many more as it takes.
  if (block.blanks > 0 && blanks > block.blanks && !isKept) return undefined;
  const surplus = block.blanks > 0 ? Math.max(0, blanks - block.blanks) : 0;
  const more = block.blanks > 0 ? Math.max(0, block.blanks - blanks) : 0;
  const eol = lineEndAt(text, region.body);
  const lines = [...indented(block.lines, column + indent), ...Array<string>(more).fill('')];
  const isAtEnd = more > 0 && nextLine(text, end) === end;
  const to = surplus === 0 ? end : lineAfter(text, end, surplus) - eol.length;
  return [
    { from: region.head, to: region.headTo, insert: block.header },
    { from: region.body, to, insert: lines.map((line) => eol + line).join('') + (isAtEnd ? eol : '') },
  ];
}

/** The habits of the items around come first. */
function near({ text }: Parsed, { items, kind }: Node, habits: Habits): Habits {
  const inner = [...items, ...items.slice(0, 50).flatMap(({ node }) => (node.isFlow ? [] : node.items))];
  const deeper = (what: Node['kind']) => {
    const found = inner.find(
      ({ key, node }) =>
        typeof key === 'string' && node.kind === what && !node.isFlow && isFirstOnLine(text, node.from),
    );
    return found && columnOf(text, found.node.from) - columnOf(text, found.from);
  };
  const dashed =
    kind === 'list' && items.find(({ after, node }) => /^ +$/.test(text.slice(after, node.from)));
  const maps = items.filter(({ node }) => node.kind === 'map' && node.items.length > 0);
  const inBraces = maps.filter(({ node }) => node.isFlow).length;
  return {
    ...habits,
    step: deeper('map') ?? habits.step,
    listStep: deeper('list') ?? habits.listStep,
    dash: dashed ? dashed.node.from - dashed.from : habits.dash,
    areItemsFlow: (key) =>
      kind === 'list' && maps.length > 0 ? inBraces * 2 > maps.length : habits.areItemsFlow(key),
  };
}

function add(
  parsed: Parsed,
  path: Path,
  index: number,
  { key, value }: { readonly key?: string; readonly value: Json },
): readonly Change[] {
  const { text, root } = parsed;
  const node = nodeAt(root, path) as Node;
  const holder = itemsTo(root, path).at(-1);
  const habits = near(parsed, node, habitsOf(parsed));
  if (node.isFlow) {
    const written = key === undefined ? flowText(value, habits) : flowPair(key, value, habits);
    return addToFlow(text, node, holder, index, { text: written, comment: '', blanks: 0 });
  }
  const column = columnOf(text, node.items[0]?.from ?? node.from);
  const lines =
    key === undefined
      ? itemLines(value, column, nameIn(path), habits)
      : pairLines(key, value, column, habits);
  const before = node.items[Math.max(0, index - 1)] as Item;
  const eol = lineEndAt(text, itemEnd(text, before));
  const blanks = isSpaced(text, node) && !keepsBlanks(text, before.node) ? 1 : 0;
  return addLines(text, node, holder, index, { text: lines.join(eol), comment: '', blanks });
}

/** A text with `|+` takes the empty lines after it as its own. */
function keepsBlanks(text: string, node: Node): boolean {
  const last = node.items.at(-1);
  if (last && !node.isFlow) return keepsBlanks(text, last.node);
  return (
    (node.style === 'literal' || node.style === 'folded') &&
    /^.\d?\+/.test(text.slice(node.from, node.from + 3))
  );
}

function addLines(
  text: string,
  node: Node,
  holder: Item | undefined,
  index: number,
  { text: lines, blanks }: Taken,
): readonly Change[] {
  const before = node.items[index - 1];
  if (before) {
    const at = itemEnd(text, before);
    return [{ from: at, to: at, insert: lineEndAt(text, at).repeat(1 + blanks) + lines }];
  }
  const first = node.items[0] as Item;
  const eol = lineEndAt(text, lineEnd(text, first.from));
  if (isFirstOnLine(text, first.from)) {
    const at = itemStart(text, node, holder, 0);
    return [{ from: at, to: at, insert: lines + eol.repeat(1 + blanks) }];
  }
  const indent = ' '.repeat(columnOf(text, first.from));
  return [{ from: first.from, to: first.from, insert: lines.trimStart() + eol.repeat(1 + blanks) + indent }];
}

/** Takes an item out, with its comments and what sets it apart. */
export function takeOut(parsed: Parsed, path: Path): { changes: readonly Change[]; taken: Taken } {
  const { text, root } = parsed;
  const way = itemsTo(root, path);
  const item = way.at(-1) as Item;
  const holder = way.at(-2);
  const node = (holder?.node ?? root) as Node;
  const index = node.items.indexOf(item);
  if (node.isFlow) return dropFromFlow(text, node, holder, index);
  const start = itemStart(text, node, holder, index);
  const end = itemEnd(text, item);
  const empty = node.kind === 'map' ? '{}' : '[]';
  if (!isFirstOnLine(text, item.from)) {
    const taken = {
      text: ' '.repeat(columnOf(text, item.from)) + text.slice(item.from, end),
      comment: '',
      blanks: 0,
    };
    const next = node.items[1];
    if (!next) return { changes: [{ from: item.from, to: end, insert: empty }], taken };
    const isNext = /^\s*$/.test(text.slice(end, next.from));
    // Without the first key, the next takes its place, unless it has comments above it.
    const cut = isNext || !holder ? { from: item.from, to: next.from } : { from: holder.after, to: end };
    return { changes: [{ ...cut, insert: '' }], taken };
  }
  if (node.items.length === 1 && !holder) {
    return {
      changes: [{ from: start, to: end, insert: empty }],
      taken: { text: '', comment: '', blanks: 0 },
    };
  }
  const { from, to, blanks } = linesOut(text, node, holder, index, start, end);
  const cut = { from, to, insert: '' };
  const taken = { text: text.slice(start, end), comment: '', blanks };
  if (node.items.length > 1 || !holder) return { changes: [cut], taken };
  return { changes: [{ from: holder.after, to: holder.after, insert: ` ${empty}` }, cut], taken };
}

/** The lines of an item, with the blank lines above or below that only set it apart. */
function linesOut(
  text: string,
  node: Node,
  holder: Item | undefined,
  index: number,
  start: number,
  end: number,
): { from: number; to: number; blanks: number } {
  const room = roomStart(text, node, holder, index);
  const above = blanksBefore(text, start, room);
  const below = blanksAfter(text, end);
  const before = node.items[index - 1];
  const isLast = index === node.items.length - 1;
  const next = nextLine(text, end);
  if ((!before && !isLast) || (before && keepsBlanks(text, before.node)))
    return { from: start, to: below === 0 ? next : lineAfter(text, end, below), blanks: below };
  const isApart = above > 0 && (below > 0 || isLast);
  let from = start;
  for (let left = isApart ? above : 0; left > 0; left -= 1) from = lineStart(text, from - 1);
  if (next > end) return { from, to: next, blanks: isApart ? above : 0 };
  // The last line of a file without a line end: the one above loses its own.
  const to = end;
  const before2 = text[from - 2] === '\r' ? from - 2 : from - 1;
  return { from: Math.max(0, before2), to, blanks: isApart ? above : 0 };
}

/** Puts what was taken out before the item that is at `index` now. */
export function putBack(parsed: Parsed, path: Path, index: number, taken: Taken): readonly Change[] {
  const node = nodeAt(parsed.root, path) as Node;
  const holder = itemsTo(parsed.root, path).at(-1);
  return node.isFlow
    ? addToFlow(parsed.text, node, holder, index, taken)
    : addLines(parsed.text, node, holder, index, taken);
}
