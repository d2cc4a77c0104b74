/** Rows: consecutive fields narrower than the form, which stand side by side where there is room. */

import type { Field } from '../fields/field.ts';
import type { Form, Range } from '../form.ts';

const none: readonly Range[] = [];

/** No row crosses a note, or the edge of a group or step. Hidden fields neither begin, end nor interrupt a row. */
export function rowsOf(
  fields: readonly Field[],
  { notes, groups, steps }: Pick<Form, 'notes' | 'groups' | 'steps'>,
): readonly Range[] {
  if (fields.every(({ width }) => width === 'full')) return none;
  const edges = new Set([
    ...notes.map(({ before }) => before),
    ...[...groups, ...steps].flatMap(({ from, to }) => [from, to]),
  ]);
  const rows: Range[] = [];
  let open: { from: number; to: number } | undefined;
  for (const [index, { layout, width }] of fields.entries()) {
    if (edges.has(index)) open = undefined;
    if (layout === 'bare') continue;
    if (width === 'full') open = undefined;
    else if (open) open.to = index + 1;
    else {
      open = { from: index, to: index + 1 };
      rows.push(open);
    }
  }
  return rows;
}
