import {
  ancestry,
  groupBy,
  inline,
  inside,
  linkTo,
  nearest,
  type PageElement,
  unread,
} from '../check/markup.ts';
import type { Control } from '../check/page_form.ts';
import type { Links } from './addresses.ts';
import { isHiddenItself } from './protection.ts';

/** Text in a form that no attribute connects to a control. */
interface NearbyText {
  readonly words: string;
  readonly linked: string;
  /** Whether it contains a label element that belongs to no control. */
  readonly isLabel: boolean;
}

type Line = readonly (Control | NearbyText)[];

/**
 * `labels`: the text next to each unlabelled control, as people read lines: before a field, after a box, or
 * else in the line above. `headings`: the text above each group of choices, keyed by its first control.
 * `tied`: the elements that name a control by an attribute or by containing it.
 */
export function nearbyTexts(
  form: PageElement,
  controls: readonly Control[],
  tied: ReadonlySet<PageElement>,
  isTied: (control: Control) => boolean,
  links: Links,
) {
  const shown = controls.filter(({ kind }) => kind !== 'hidden' && kind !== 'submit');
  const lines = linesOf(form, shown, tied, links);
  const spots = new Map(lines.flatMap((line, row) => line.map((item, at) => [item, { row, at }] as const)));
  const taken = new Set<NearbyText | undefined>();
  const free = (item: Line[number] | undefined) =>
    item && !('kind' in item) && !taken.has(item) ? item : undefined;
  const onlyText = (line: Line | undefined) => (line?.length === 1 ? free(line[0]) : undefined);
  /** A sentence is not a title. */
  const titled = (line: Line | undefined) => {
    const text = onlyText(line);
    return text && (text.isLabel || /^.{0,99}[^.!。]$/.test(text.words)) ? text : undefined;
  };
  const around = (control: Control) => {
    const { row, at } = spots.get(control) ?? { row: -1, at: -1 };
    const line = lines[row] ?? [];
    return {
      before: free(line[at - 1]),
      behind: free(line[at + 1]),
      above: at === 0 ? titled(lines[row - 1]) : undefined,
      below: onlyText(lines[row + 1]),
      leads: line[0] && 'kind' in line[0] && free(line.at(-1)) !== undefined,
    };
  };
  const textFor = (control: Control) => {
    const { before, behind, above, below, leads } = around(control);
    if (isChoice(control)) return behind ?? before ?? below ?? above;
    const isLabel = leads && behind && (behind.isLabel || !isUnit.test(behind.words));
    return isLabel ? behind : (before ?? above);
  };
  const take = (of: readonly Control[], choose: (control: Control) => NearbyText | undefined) => {
    const found = new Map<Control, NearbyText>();
    for (const control of of) {
      const text = choose(control);
      taken.add(text);
      if (text) found.set(control, text);
    }
    return found;
  };
  const open = shown.filter((control) => !isTied(control) && !control.element.attributes.has('aria-label'));
  const labels = take(open, textFor);
  const headings = take(firstOfGroups(shown), (first) => {
    const { before, above } = around(first);
    return before ?? above;
  });
  return { labels, headings };
}

export const isChoice = ({ kind }: Control) => kind === 'checkbox' || kind === 'radio';

/** "EUR", "kg" or "%" after a field. */
const isUnit = /^([A-Z]{3}|\P{L}*\p{L}{0,2}\P{L}*)$/u;

/** The first control of each group of choices. */
const firstOfGroups = (shown: readonly Control[]) =>
  [...groupBy(shown.filter(isChoice), ({ name }) => name)].flatMap(([name, [first, second]]) =>
    first && (second || name.endsWith('[]')) ? [first] : [],
  );

/** Elements whose text is not a label, or that have their own meaning. */
const apart = new Set('h1 h2 h3 h4 h5 h6 option optgroup svg iframe object title'.split(' '));

/** Hints, messages and hidden elements. Labels for screen readers are only visually hidden, so they count. */
const isSkipped = (element: PageElement) =>
  (element.tag === 'legend' && element.parent?.tag === 'fieldset') ||
  unread.has(element.tag) ||
  apart.has(element.tag) ||
  (isHiddenItself(element) &&
    !/visually-?hidden|sr-?only|screen-reader/i.test(element.attributes.get('class') ?? '')) ||
  isHelp(element) ||
  isError(element);

/** The text and controls in reading order. Not recursive, because pages can nest deeper than the stack. */
function linesOf(
  form: PageElement,
  shown: readonly Control[],
  tied: ReadonlySet<PageElement>,
  links: Links,
): readonly Line[] {
  const controls = shown.toSorted((a, b) => a.element.first - b.element.first);
  const numberOf = ({ element }: Control) => element.first;
  const byElement = new Map(controls.map((control) => [control.element, control]));
  const holders = new Set<PageElement>();
  for (const { element } of controls)
    for (const one of ancestry(element)) {
      if (holders.has(one)) break;
      holders.add(one);
    }
  // In a table, a form can end before its controls. Then start at the element around all of them.
  const root =
    [...ancestry(form)].find((one) => inside(controls, one, numberOf).length === controls.length) ?? form;
  const lines: (Control | NearbyText)[][] = [[]];
  const add = (words: string, linked = words, isLabel = false) => {
    const line = lines.at(-1) ?? [];
    const before = line.at(-1);
    if (!before || 'kind' in before) line.push({ words, linked, isLabel });
    else
      line[line.length - 1] = {
        words: before.words + words,
        linked: before.linked + linked,
        isLabel: before.isLabel || isLabel,
      };
  };
  const waiting: (PageElement | string | undefined)[] = [root];
  while (waiting.length > 0) {
    const at = waiting.pop();
    if (at === undefined) lines.push([]);
    else if (typeof at === 'string') add(at);
    else if (byElement.has(at)) lines.at(-1)?.push(byElement.get(at) as Control);
    else if (holders.has(at) || !(tied.has(at) || isSkipped(at))) {
      const { tag } = at;
      const isWhole = !holders.has(at) && (tag === 'label' || tag === 'a');
      if (isWhole) {
        const words = ` ${at.words()} `;
        const href = at.attributes.get('href');
        const link = href === undefined ? at.linkedWords(links) : linkTo(links(href), words);
        add(words, link ?? words, tag === 'label');
      }
      // Text in a label that names a control is already its label.
      const own = tied.has(at) ? inside(controls, at, numberOf).map(({ element }) => element) : at.children;
      const parts = isWhole ? [] : own;
      const edge = inline.has(tag) || tag === 'input' ? [] : [undefined];
      waiting.push(...edge);
      for (const part of parts.toReversed()) waiting.push(part);
      waiting.push(...edge);
    }
  }
  // A text without letters, such as an asterisk, is not a label.
  return lines
    .map((line) => line.filter((item) => 'kind' in item || /[\p{L}\p{N}]/u.test(item.words)).map(tidied))
    .filter((line) => line.length > 0);
}

const tidied = <T extends Line[number]>(item: T): T =>
  'kind' in item ? item : { ...item, words: tidy(item.words), linked: tidy(item.linked) };

const tidy = (words: string) =>
  words
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ (?=[.,;:!?)])/g, '')
    .trim();

/** Small print that explains a control, by the class names of frameworks and form plugins. */
export const isHelp = ({ attributes }: PageElement): boolean =>
  /(^|\s)(form-text|help-?block|help-?(text|message)|hint|field-help|[\w-]*desc(ription)?|[\w-]*help-message)(\s|$)/.test(
    attributes.get('class') ?? '',
  );

export const isError = ({ attributes }: PageElement): boolean =>
  attributes.get('role') === 'alert' ||
  /error|invalid/.test(`${attributes.get('class')} ${attributes.get('id')}`);

/** The headers of a cell with a control: the first cell of its row, and the cell of its column in the first row. */
interface Heads {
  readonly row: PageElement | undefined;
  readonly column: PageElement | undefined;
}

const roleOf = ({ attributes }: PageElement) => attributes.get('role') ?? '';
const isTable = (element: PageElement) =>
  element.tag === 'table' || /^(table|grid|treegrid)$/.test(roleOf(element));
const isRow = (element: PageElement) => element.tag === 'tr' || roleOf(element) === 'row';
const isCell = (element: PageElement) =>
  /^t[dh]$/.test(element.tag) || /^(cell|gridcell|columnheader|rowheader)$/.test(roleOf(element));
const controls = new Set(['input', 'select', 'textarea']);

/** The headers of each control in a table whose first row contains only text. Layout tables have no such row. */
export function cellsOf(elements: readonly PageElement[]): ReadonlyMap<PageElement, Heads> {
  const [tableOf, rowOf, cellOf] = [nearest(isTable), nearest(isRow), nearest(isCell)];
  const rows = groupBy(elements.filter(isCell), rowOf);
  const columnOf = new Map([...rows.values()].flatMap((row) => row.map((cell, at) => [cell, at] as const)));
  const inputs = elements.filter(
    ({ tag, attributes }) => controls.has(tag) && attributes.get('type') !== 'hidden',
  );
  const filled = new Set(inputs.flatMap((input) => cellOf(input) ?? []));
  const filledIn = new Map<PageElement | undefined, Set<PageElement>>();
  for (const cell of filled) {
    const row = rowOf(cell);
    filledIn.set(row, (filledIn.get(row) ?? new Set()).add(cell));
  }
  const firstRows = new Map<PageElement | undefined, readonly PageElement[]>();
  for (const [row, cells] of rows) {
    const table = row && tableOf(row);
    if (!firstRows.has(table)) firstRows.set(table, cells);
  }
  const heads = new Map<PageElement, Heads>();
  for (const input of inputs) {
    const cell = cellOf(input);
    const row = cell && rowOf(cell);
    const top = row && firstRows.get(tableOf(row));
    const column = top?.[columnOf.get(cell as PageElement) ?? -1];
    if (!column?.words() || top?.some((one) => filled.has(one))) continue;
    const [head] = rows.get(row) ?? [];
    if (!head || head === cell || filled.has(head) || head.words() === '') {
      heads.set(input, { row: undefined, column });
      continue;
    }
    // For a single control, the row header is enough: "Name | …" below "Field | Value".
    const isGrid = (filledIn.get(row)?.size ?? 0) > 1 && top?.some(isHeadCell);
    if (isGrid) heads.set(input, { row: head, column });
  }
  return heads;
}

const isHeadCell = (element: PageElement) => element.tag === 'th' || roleOf(element) === 'columnheader';
