/** Rows of fields with a `width`: which fields share one. */

import { expect, test } from 'vitest';
import { relayWith } from '../../../test/spec/stage.ts';
import { mistakesIn } from '../../../test/support/validate.ts';

const half = (name: string, more = '') => `{name: ${name}, width: half${more}}`;

async function rendered(fields: readonly string[], { more = '', as = '' } = {}) {
  const output = '{type: http_post, url: "http://127.0.0.1:9/"}';
  const relay = await relayWith({
    config: `forms: {f: {fields: [${fields.join(', ')}], outputs: [${output}]${more}}}`,
    env: {},
  });
  return (await relay.get(`/api/v1/form/f${as}`)).text;
}

/** The names of the form's controls, those of a row in brackets. */
function rowsIn(html: string): string {
  const marks = html.matchAll(
    /<(\/?)(div|fieldset|section)\b([^>]*)>|<(?:input|select|textarea)[^>]* name="(\w+)"/g,
  );
  const open: boolean[] = [];
  let said = '';
  for (const [, end, tag, attributes, name] of marks) {
    if (name !== undefined) said += ` ${name}`;
    else if (tag && end) said += open.pop() ? ' ]' : '';
    else {
      open.push(attributes?.includes('"field-row"') ?? false);
      said += open.at(-1) ? ' [' : '';
    }
  }
  return said.trim();
}

const cases: readonly (readonly [why: string, fields: readonly string[], more: string, rows: string])[] = [
  ['consecutive ones', [half('a'), half('b'), '{name: c}', half('d')], '', '[ a b ] c [ d ]'],
  ['none across a note', [half('a'), '{note: Now}', half('b')], '', '[ a ] [ b ]'],
  [
    'none across the edge of a group',
    [half('a'), half('b'), half('c'), half('d')],
    ', groups: [{legend: G, fields: [b, c]}]',
    '[ a ] [ b c ] [ d ]',
  ],
  [
    'none across two steps',
    [half('a'), half('b'), half('c')],
    ', steps: [{title: One, fields: [a, b]}, {title: Two, fields: [c]}]',
    '[ a b ] [ c ]',
  ],
  [
    'with a hidden one between them, and none at the end',
    [
      '{name: x, type: hidden, width: half}',
      half('a'),
      '{name: y, type: hidden}',
      half('b'),
      '{name: z, type: hidden}',
    ],
    '',
    'x [ a y b ] z',
  ],
  [
    'with conditions',
    [half('a'), half('b', ', visible_when: {field: a, filled: true}'), '{name: c}'],
    '',
    '[ a b ] c',
  ],
];

test.each(cases)('a row holds narrower fields that follow each other: %s', async (_, fields, more, rows) => {
  const html = await rendered(fields, { more, as: '?as=page' });
  expect(rowsIn(html)).toBe(rows);
  expect(await mistakesIn(html)).toEqual([]);
});
