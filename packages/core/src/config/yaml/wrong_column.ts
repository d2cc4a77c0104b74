/** Explains lines in the wrong column. */
import { COLLECTION_STYLE, EVENT_ID, type Event, parseEvents } from 'js-yaml';
import { type Misread, misread } from './places.ts';

/** A line above with which another can be aligned. */
interface Neighbour {
  /** 1-based, as in editors. */
  readonly line: number;
  readonly column: number;
  /** Its dash rather than its key. */
  readonly isDash: boolean;
}

interface Above {
  /** The open lists and maps above the line, from the outermost. */
  readonly open: readonly Neighbour[];
  /** The innermost one, if its last key has no value yet. */
  readonly waiting: Neighbour | undefined;
  /** Whether the innermost one has a value that ends on the line of its key or dash. */
  readonly isComplete: boolean;
}

type Told = readonly [code: string, message: string];

/** A dash, braces, or a key. */
const startOfLine = /^( *)(-(?=\s|$)|\{(?!\{)|("[^"]*"|'[^']*'|\w[\w.-]*)(?=\s*:(?:\s|$)))/;

/** `undefined` if the mistake is another, or uncertain. */
export function wrongColumn(text: string, lineStart: number): Misread | undefined {
  const [, indentation = '', start] = startOfLine.exec(text.slice(lineStart).split('\n', 1)[0] ?? '') ?? [];
  const above = start === undefined ? undefined : readAbove(text.slice(0, lineStart));
  if (start === undefined || above === undefined) return undefined;
  const explain = start === '-' ? wrongDash : start === '{' ? wrongBraces : wrongKey;
  const [code, message] = explain(indentation.length + 1, above) ?? [];
  const place = { offset: lineStart + indentation.length, length: start.length };
  return code === undefined || message === undefined ? undefined : misread(code, message, place);
}

function wrongKey(column: number, { open, waiting, isComplete }: Above): Told | undefined {
  const keys = open.filter(isKey);
  const inner = open.at(-1);
  if (!inner || keys.some((one) => one.column === column)) return undefined;
  if (column > inner.column && (!isComplete || waiting)) return undefined;
  if (column > inner.column)
    return [
      'yaml_line_below_a_value',
      inner.isDash
        ? `the item in line ${inner.line} is complete, so nothing can stand below it; add this inside it, or start a new item with a dash in column ${inner.column}`
        : `this line is indented further than line ${inner.line}, which already has a value; line the two up`,
    ];
  const near = besides(column, keys);
  if (isAmongDashes(column, open)) return dashMissing(near);
  if (near.length === 0) return undefined;
  const indent = waiting ? `, or indent it further to put it below line ${waiting.line}` : '';
  return [
    'yaml_line_out_of_line',
    `this line starts in column ${column}, which matches nothing above it; line it up with ${listed(near)}${indent}`,
  ];
}

function wrongDash(column: number, { open, waiting, isComplete }: Above): Told | undefined {
  const inner = open.at(-1);
  if (!inner || isAmongDashes(column, open) || (waiting && column >= waiting.column)) return undefined;
  const near = besides(column, [...(waiting ? [waiting] : []), ...open.filter((one) => one.isDash)]);
  if (waiting && near[0] === waiting)
    return [
      'yaml_dash_left_of_its_key',
      `this dash is too far left to belong to the key in line ${waiting.line}; move it to column ${waiting.column + 2}`,
    ];
  const dashes = near.filter((one) => one !== waiting);
  if (dashes.length > 0)
    return [
      'yaml_dash_out_of_line',
      `this dash in column ${column} matches no list above it; line it up with ${listed(dashes)}`,
    ];
  if (!isComplete || column < inner.column) return undefined;
  return [
    'yaml_list_below_a_value',
    `line ${inner.line} already has a value, so it cannot have this list as well; remove one of the two`,
  ];
}

function wrongBraces(column: number, { open, waiting }: Above): Told | undefined {
  if (isAmongDashes(column, open)) return dashMissing([]);
  return open.length > 0 && !waiting ? ['yaml_belongs_nowhere', belongsNowhere] : undefined;
}

export const belongsNowhere =
  'this belongs to nothing above it; look for a missing dash, a wrong indentation, or a quote or bracket too many';

const dashMissing = (near: readonly Neighbour[]): Told => [
  'yaml_dash_missing',
  `this line stands where its list has dashes; start it with "- "${near.length > 0 ? `, or line it up with ${listed(near)}` : ''}`,
];

const listed = (all: readonly Neighbour[]): string =>
  all
    .map(({ isDash, line, column }) => `${isDash ? 'the dash in ' : ''}line ${line} (column ${column})`)
    .join(' or ');

const isAmongDashes = (column: number, open: readonly Neighbour[]) =>
  open.some((one) => one.isDash && one.column === column);

const isKey = ({ isDash }: Neighbour) => !isDash;

/** The nearest ones on the left and right, the nearer first. */
function besides(column: number, all: readonly Neighbour[]): readonly Neighbour[] {
  const distance = (one: Neighbour) => Math.abs(one.column - column);
  const sorted = all.toSorted((one, other) => distance(one) - distance(other));
  const sides = [sorted.find((one) => one.column < column), sorted.find((one) => one.column > column)];
  return sorted.filter((one) => sides.includes(one));
}

/** `undefined` if the text ends within quotes or brackets. */
function readAbove(above: string): Above | undefined {
  let events: Event[];
  try {
    events = parseEvents(above, {});
  } catch {
    return undefined;
  }
  // Lists and maps that are still open end with the text.
  const last = events.findLastIndex(({ type }) => type !== EVENT_ID.POP);
  const open: { start: number; isMap: boolean; isBlock: boolean; children: number; latest: number }[] = [];
  for (const event of events.slice(0, last + 1)) {
    if (event.type === EVENT_ID.POP) open.pop();
    if (event.type === EVENT_ID.POP || event.type === EVENT_ID.DOCUMENT) continue;
    const parent = open.at(-1);
    const offset =
      'start' in event ? event.start : 'valueStart' in event ? event.valueStart : event.anchorStart;
    if (parent && !(parent.isMap && parent.children++ % 2 === 1)) parent.latest = offset;
    if (event.type !== EVENT_ID.MAPPING && event.type !== EVENT_ID.SEQUENCE) continue;
    const isBlock = event.style === COLLECTION_STYLE.BLOCK;
    open.push({
      start: offset,
      isMap: event.type === EVENT_ID.MAPPING,
      isBlock,
      children: 0,
      latest: offset,
    });
  }
  const lineOf = (offset: number) => above.slice(0, offset).split('\n').length;
  const neighbours = open
    .filter(({ isBlock }) => isBlock)
    .map(({ start, isMap, latest }) => ({
      isDash: !isMap,
      line: lineOf(Math.max(start, latest)),
      column: start - above.lastIndexOf('\n', start - 1),
    }));
  const inner = neighbours.at(-1);
  const end = events[last];
  const isEmpty = end?.type === EVENT_ID.SCALAR && end.valueStart < 0;
  return {
    open: neighbours,
    waiting: isEmpty && inner && isKey(inner) ? inner : undefined,
    isComplete: above.split('\n').findLastIndex((line) => /^\s*[^\s#]/.test(line)) + 1 === inner?.line,
  };
}
