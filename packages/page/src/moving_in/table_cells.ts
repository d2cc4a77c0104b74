import { groupBy, nearest, type PageElement } from '../check/markup.ts';

/** The heads of a cell that holds a control: the first cell of its row, and the one of its column in the first row. */
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

/** The heads of each control in a table whose first row has only words. Tables that only arrange a form have no such row. */
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
    // For a single control, the head of its row says all: "Name | …" below "Field | Value".
    const isGrid = (filledIn.get(row)?.size ?? 0) > 1 && top?.some(isHeadCell);
    if (isGrid) heads.set(input, { row: head, column });
  }
  return heads;
}

const isHeadCell = (element: PageElement) => element.tag === 'th' || roleOf(element) === 'columnheader';
