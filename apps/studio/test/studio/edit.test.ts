/** The smallest edits of a config's text: before, action, after. */
import { applied, edit } from '../../edit/edit.ts';
import type { Action, Edited, Json, Path } from '../../edit/model.ts';

/** The template's text without its indentation here. */
function yaml([text = '']: TemplateStringsArray): string {
  const lines = text.replace(/^\n/, '').replace(/ *$/, '').split('\n');
  const indent = Math.min(
    ...lines.filter((line) => line.trim()).map((line) => line.length - line.trimStart().length),
  );
  return lines.map((line) => line.slice(indent)).join('\n');
}

const set = (path: Path, value: Json): Action => ({ do: 'set', path, value });
const remove = (...path: Path): Action => ({ do: 'remove', path });
const insert = (path: Path, index: number, value: Json): Action => ({ do: 'insert', path, index, value });
const move = (path: Path, from: number, to: number): Action => ({ do: 'move', path, from, to });
const rename = (path: Path, key: string): Action => ({ do: 'rename', path, key });

function after(text: string, actions: Action | readonly Action[]): string {
  const edited: Edited = edit(text, actions);
  return edited.ok ? applied(text, edited.changes) : edited.says;
}

type Case = readonly [promise: string, before: string, actions: Action | readonly Action[], after: string];

const fields = yaml`
  # The file.
  fields:
    # The first.
    - {name: name, required: true} # known

    # The second.
    - name: email # typed
      type: email

    - name: text
  # The end.
  other: 1
`;

const cases: readonly Case[] = [
  ['keeps a trailing comment', 'a: 1 # one\n', set(['a'], 2), 'a: 2 # one\n'],
  ['keeps double quotes', 'a: "x"\n', set(['a'], 'y'), 'a: "y"\n'],
  ['quotes where YAML needs it', 'a: x\n', set(['a'], 'b: c'), 'a: "b: c"\n'],
  ['quotes what YAML 1.1 takes for a flag', 'a: x\n', set(['a'], 'yes'), 'a: "yes"\n'],
  ['writes a date plainly', 'a: x\n', set(['a'], '2025-01-01 09:00'), 'a: 2025-01-01 09:00\n'],
  [
    'drops the quotes that only what was typed so far needed',
    'a: x\nb: {c: x}\n',
    [set(['a'], '15'), set(['a'], '15m'), set(['b', 'c'], '15'), set(['b', 'c'], '15m')],
    'a: 15m\nb: {c: 15m}\n',
  ],
  [
    'writes into an empty key, before its comment',
    'a: # none\nb: 1\n',
    set(['a'], 'x'),
    'a: x # none\nb: 1\n',
  ],
  ['starts an empty file', '', set(['forms', 'a', 'title'], 'A'), 'forms:\n  a:\n    title: A\n'],
  [
    'writes text of several lines as a block',
    'a: x # note\nb: 1\n',
    set(['a'], 'one\n\n  two\n'),
    'a: | # note\n  one\n\n    two\nb: 1\n',
  ],
  ['keeps a block a block', 'a: |\n    x\n    y\nb: 1\n', set(['a'], 'x\nz'), 'a: |-\n    x\n    z\nb: 1\n'],
  [
    'puts a setting of a form before its fields and their comments',
    'forms:\n  a: # one\n    title: A\n\n    # Asked.\n    fields:\n      - name: x\n    outputs: []\n',
    [set(['forms', 'a', 'opens'], '2026-12-01'), set(['forms', 'a', 'steps'], [{ fields: ['x'] }])],
    'forms:\n  a: # one\n    title: A\n    opens: 2026-12-01\n\n    # Asked.\n    fields:\n      - name: x\n    steps:\n      - fields:\n          - x\n    outputs: []\n',
  ],
  [
    'puts a setting of a field before its options and its own fields',
    'forms: {a: {fields: [{name: x, options: [y]}, {fields: [{name: z}]}]}}\n',
    [set(['forms', 'a', 'fields', 0, 'label'], 'X'), set(['forms', 'a', 'fields', 1, 'most'], 3)],
    'forms: {a: {fields: [{name: x, label: X, options: [y]}, {most: 3, fields: [{name: z}]}]}}\n',
  ],
  [
    'adds maps as deep as others, lists with dashes as others have them',
    'a:\n    b:\n    - x: 1\nc: 2\n',
    set(['c'], { d: [{ e: 1, f: 2 }], g: { h: 'i' } }),
    'a:\n    b:\n    - x: 1\nc:\n    d:\n    - e: 1\n      f: 2\n    g:\n        h: i\n',
  ],
  [
    'touches one line of a map with one change',
    'a:\n  b: 1 # one\n  # two\n  c:   [x,  y]\n',
    set(['a'], { b: 2, c: ['x', 'y'] }),
    'a:\n  b: 2 # one\n  # two\n  c:   [x,  y]\n',
  ],
  [
    'puts a new key of a map where it stands in the new one, and takes out what is gone',
    'a:\n  b: 1\n  c: 2 # gone\n  d: 3\n',
    set(['a'], { b: 1, e: 4, d: 3 }),
    'a:\n  b: 1\n  e: 4\n  d: 3\n',
  ],
  [
    'removes an item with its comments and one of the gaps around it',
    fields,
    remove('fields', 1),
    yaml`
      # The file.
      fields:
        # The first.
        - {name: name, required: true} # known

        - name: text
      # The end.
      other: 1
    `,
  ],
  [
    'leaves an empty map for its last key',
    'a: # mine\n  # b\n  b: 1\nc: 2\n',
    remove('a', 'b'),
    'a: {} # mine\nc: 2\n',
  ],
  [
    'moves an item with its comments and its gap',
    fields,
    move(['fields'], 1, 0),
    yaml`
      # The file.
      fields:
        # The second.
        - name: email # typed
          type: email

        # The first.
        - {name: name, required: true} # known

        - name: text
      # The end.
      other: 1
    `,
  ],
  [
    'inserts between, with a gap where all have one',
    fields,
    insert(['fields'], 1, { name: 'tel', type: 'tel' }),
    yaml`
      # The file.
      fields:
        # The first.
        - {name: name, required: true} # known

        - name: tel
          type: tel

        # The second.
        - name: email # typed
          type: email

        - name: text
      # The end.
      other: 1
    `,
  ],
  [
    'writes maps in braces where most are',
    '- {a: 1}\n',
    insert([], 1, { a: 2, b: ['x'] }),
    '- {a: 1}\n- {a: 2, b: [x]}\n',
  ],
  ['renames in place', 'a: # one\n  b: 1\nc: 2\n', rename(['a'], 'off'), '"off": # one\n  b: 1\nc: 2\n'],
  ['sets a value in braces', 'a: {b: 1, c: 2} # x\n', set(['a', 'b'], 'x, y'), 'a: {b: "x, y", c: 2} # x\n'],
  ['writes lines in braces between quotes', 'a: {b: 1}\n', set(['a', 'b'], 'x\ny\t'), 'a: {b: "x\\ny\\t"}\n'],
  [
    'keeps a comma at the end',
    'a: [\n  x,\n  y, # 2\n]\n',
    insert(['a'], 2, 'z'),
    'a: [\n  x,\n  y, # 2\n  z,\n]\n',
  ],
  [
    'removes a line of brackets with its comments',
    'a: [\n  x, # 1\n  # two\n  y # 2\n]\n',
    remove('a', 1),
    'a: [\n  x # 1\n]\n',
  ],
  ['edits beside an anchor', 'a: &x 1\nb: *x\nc: 2\n', set(['c'], 3), 'a: &x 1\nb: *x\nc: 3\n'],
  ['makes several actions one edit', 'a: 1\n', [set(['b'], 2), rename(['a'], 'c'), remove('b')], 'c: 1\n'],
];

test.each(cases)('%s', (_, before, actions, wanted) => expect(after(before, actions)).toBe(wanted));

const refusals: readonly (readonly [why: string, text: string, action: Action, says: RegExp])[] = [
  ['no YAML', 'a: [1\nb: 2\n', set(['b'], 1), /^Line 2 is not valid YAML yet\.$/],
  ['tabs before keys', 'a:\n\tb: 1\n', set(['a', 'b'], 2), /Line 2 is indented with a tab/],
  ['two documents', 'a: 1\n---\nb: 2\n', set(['a'], 2), /more than one document/],
  ['an anchor in what goes', 'a: {b: &x 1}\nc: *x\n', remove('a'), /anchor/],
  ['an anchor above', 'a: &x\n  b: 1\nc: *x\n', set(['a', 'b'], 2), /anchor/],
  ['an alias', 'a: &x {b: 1}\nc: *x\n', set(['c', 'b'], 2), /alias/],
  ['a merge key', 'a: {b: 1}\nc:\n  <<: {d: 1}\n  e: 1\n', set(['c', 'e'], 2), /merge key/],
  ['a tag', 'a: !!str 1\n', set(['a'], 2), /tag/],
  ['a key that appears twice', 'a: 1\na: 2\n', set(['a'], 3), /"a" appears twice/],
  ['a key of several lines', '? a\n: 1\n', set(['a'], 3), /not plain text/],
  ['a name that is taken', 'a: 1\nb: 2\n', rename(['a'], 'b'), /"b" is already there/],
  ['keys below a text', 'a: x\n', set(['a', 'b'], 1), /has no keys/],
  ['what is gone', 'a: [1]\n', move(['a'], 3, 0), /no longer/],
  [
    'aliases that explode',
    `a: &a [x]\n${[...'bcdefgh'].map((name, nth) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[nth]}`).join(', ')}]\n`).join('')}`,
    set(['z'], 1),
    /cannot be resolved/,
  ],
  ['an alias of itself', 'a: &a [*a]\n', set(['b'], 1), /cannot be resolved/],
];

test.each(refusals)('refuses %s', (_, text, action, says) =>
  expect(edit(text, action)).toEqual({ ok: false, says: expect.stringMatching(says) }),
);

test('changes only what differs', () => {
  const text = 'title: A form # mine\nother: 1\n';
  expect(edit(text, set(['title'], 'A farm'))).toEqual({
    ok: true,
    changes: [{ from: 10, to: 11, insert: 'a' }],
  });
});
