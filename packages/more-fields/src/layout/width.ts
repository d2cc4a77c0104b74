/** `width`: fields side by side. */

import { html } from '@form-relay/base/html';
import { fieldExtension } from '@form-relay/core/extensions';
import type { Field, HtmlValue, Plugin } from '@form-relay/core/index';
import { feature } from '@form-relay/core/plugin';
import { oneOf } from '@form-relay/schema/scalars';
import { withDefault } from '@form-relay/schema/schema';
import { type Range, wrapRuns } from './steps.ts';

const width = fieldExtension({
  name: 'width',
  keys: {
    width: withDefault(
      'full',
      'Width in its row. Narrow fields share a row if there is room.',
      oneOf(['full', 'half', 'third', 'two_thirds']),
    ),
  },
  configure: ({ width }) => ({ members: { width } }),
});

/** No row crosses an edge. Hidden fields neither start, end nor interrupt a row. */
export function rowsOf(fields: readonly Field[], edges: ReadonlySet<number> = new Set()): readonly Range[] {
  const rows: Range[] = [];
  let open: { from: number; to: number } | undefined;
  for (const [index, { layout, width = 'full' }] of fields.entries()) {
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

export const inRows = (rendered: readonly HtmlValue[], rows: readonly Range[]) =>
  wrapRuns(rendered, rows, (_, inside) => html`<div class="field-row">\n${inside}</div>\n`);

const rows = feature({
  name: 'rows',
  after: ['groups', 'steps'],
  configure: ({ fields, notes, provided }) => {
    if (fields.every(({ width = 'full' }) => width === 'full')) return undefined;
    const runs = [...(provided.get('groups') ?? []), ...(provided.get('steps') ?? [])];
    const edges = new Set([
      ...notes.map(({ before }) => before),
      ...runs.flatMap(({ from, to }) => [from, to]),
    ]);
    const all = rowsOf(fields, edges);
    return {
      markup: () => ({
        rows: (rendered) => inRows(rendered, all),
      }),
    };
  },
});

export const plugin: Plugin = { name: 'width', fieldExtensions: [width], features: [rows] };
