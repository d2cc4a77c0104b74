/** Where in a config the caret stands, in texts that need not be YAML yet. */
import { expect, test } from 'vitest';
import { placeAt } from '../../packages/studio/app/code/place.ts';

/** A bar stands for the caret. */
const cases = [
  ['|', 'key ', ''],
  ['fo|', 'key ', 'fo'],
  ['forms:\n  |', 'child forms', ''],
  ['forms:\n  contact:\n    ti|', 'child forms.contact', 'ti'],
  ['forms:\n  contact:\n    title: x\n    fi|', 'key forms.contact', 'fi'],
  ['forms:\n  contact:\n    title: Wri|te to us # here', 'value forms.contact.title', 'Write to us'],
  ['forms:\n  contact:\n    title: |', 'value forms.contact.title', ''],
  ['forms:\n  contact:\n    title:|', 'value forms.contact.title', ''],
  ['a:\n  - name: x\n    ty|', 'key a.0', 'ty'],
  ['a:\n  - name: x\n  - |', 'item a.1', ''],
  ['a:\n  - name: x\n  - ty|', 'item a.1', 'ty'],
  ['a:\n- name: x\n- type: em|', 'value a.1.type', 'em'],
  ['a:\n- name: x\nb|', 'key ', 'b'],
  ['a:\n  - name: x\n  |', 'child a', ''],
  ['a:\n  - {name: x, ty|}', 'key a.0', 'ty'],
  ['a:\n  - {name: x, type: |}', 'value a.0.type', ''],
  ['a:\n  - {name: x, type: em|', 'value a.0.type', 'em'],
  ['a:\n  - {name: x, na|me: x}', 'key a.0', 'name'],
  ['a: [b, |c]', 'item a.1', 'c'],
  ['a: {b: [x, {c: "d|"}]}', 'value a.b.1.c', 'd'],
  ['a:\n  b: "x {{ |"', 'value a.b', 'x {{ '],
  ["a:\n  b: 'it''s |'", 'value a.b', "it''s "],
  ['a:\n  b: |-\n    text: |\n', 'value a.b', 'text: '],
  ['a:\n  b: >\n    text\n  c|', 'key a', 'c'],
  ['a: 1 # b|', 'none ', ''],
  ['a: "# b|"', 'value a', '# b'],
  ['a:\n  "b c": |', 'value a.b c', ''],
  ['a: {\n  b: 1,\n  c|\n}', 'key a', 'c'],
  ['a:\n  - - b: |', 'value a.0.0.b', ''],
  ['# x\n\na:\n\n  # y: 1\n  b: c\n\n  d|', 'key a', 'd'],
  ['a: &x\n  b|', 'child a', 'b'],
] as const;

test.each(cases)('%j', (marked, where, word) => {
  // The last bar: the ones before begin blocks of text.
  const offset = marked.lastIndexOf('|');
  const text = marked.slice(0, offset) + marked.slice(offset + 1);
  const { at, path, text: found } = placeAt(text, offset);
  expect([`${at} ${path.join('.')}`, found]).toEqual([where, word]);
});
