import fc from 'fast-check';
import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5';
import { expect, test } from 'vitest';
import { runs } from '../../../../test/support/fuzz.ts';
import { attributes, html } from '../../src/html/html.ts';

const marks = [
  '<',
  '>',
  '"',
  "'",
  '&',
  '&lt',
  '&#x26;',
  '</p>',
  '</script>',
  '<!--',
  '\n',
  '\r',
  '\0',
  '=',
  '`',
  '{{',
  'é',
  '😀',
  '\ud800',
];
const text = fc.oneof(
  fc.array(fc.constantFrom(...marks, 'a', ' '), { maxLength: 8 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 10 }),
);
/** As an HTML parser reads any text: NUL is dropped between tags, and replaced in attributes. */
const lines = (value: string) => value.replaceAll(/\r\n?/g, '\n');

test('values in markup are text, wherever they stand', () => {
  fc.assert(
    fc.property(text, text, text, fc.boolean(), (inside, title, more, flag) => {
      const markup = html`<p${attributes({ title, hidden: flag, 'data-x': undefined })}>${inside}<b>${[more, html`<i>${more}</i>`]}</b></p>`;
      const { childNodes } = parseFragment(markup.toString());
      const [p, ...others] = childNodes as DefaultTreeAdapterTypes.Element[];
      expect(others).toEqual([]);
      expect(p?.attrs).toEqual([
        { name: 'title', value: lines(title).replaceAll('\0', '\ufffd') },
        ...(flag ? [{ name: 'hidden', value: '' }] : []),
      ]);
      const shape = (node: DefaultTreeAdapterTypes.ChildNode): unknown =>
        'tagName' in node
          ? [node.tagName, ...node.childNodes.map(shape)]
          : 'value' in node
            ? node.value
            : node.nodeName;
      const shown = (value: string) =>
        value.replaceAll('\0', '') === '' ? [] : [lines(value).replaceAll('\0', '')];
      expect(p && shape(p)).toEqual(['p', ...shown(inside), ['b', ...shown(more), ['i', ...shown(more)]]]);
    }),
    runs(100),
  );
});
