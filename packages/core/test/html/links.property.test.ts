import fc from 'fast-check';
import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5';
import { expect, test } from 'vitest';
import { runs } from '../../../../test/support/fuzz.ts';
import { hasLinks, withLinks, withoutLinks } from '../../src/html/html.ts';

const parts = [
  '[words](https://a.example/x?y=1&z#w)',
  '[a](/privacy)',
  '\\[a](/privacy)',
  '\\',
  '[',
  ']',
  '(',
  ')',
  '](',
  'https://',
  'HTTP://a',
  'mailto:a@b.example',
  'tel:+43-1-234',
  '/',
  '//evil.example',
  '/\\evil.example',
  'javascript:alert(1)',
  'data:text/html,x',
  '<b>',
  '"',
  "'",
  '&amp;',
  ' ',
  '\n',
  '\t',
  'é',
];
const owners = fc.oneof(
  fc.array(fc.constantFrom(...parts), { maxLength: 9 }).map((some) => some.join('')),
  fc
    .string({ unit: 'binary', maxLength: 12 })
    .filter((text) => !/[\0\r]/.test(text) && Buffer.from(text).toString() === text),
);

type Element = DefaultTreeAdapterTypes.Element;
const nodesOf = (markup: string) => parseFragment(`<p>${markup}</p>`).childNodes[0] as Element;
const textOf = (node: DefaultTreeAdapterTypes.ChildNode): string =>
  'value' in node ? node.value : 'childNodes' in node ? node.childNodes.map(textOf).join('') : '';

test('words of owners are text with links in it, which lead to the web, to mail, to a telephone or to the same site', () => {
  fc.assert(
    fc.property(owners, (text) => {
      const { childNodes } = nodesOf(withLinks(text).toString());
      const links = childNodes.filter((node): node is Element => 'tagName' in node);
      expect(links.map(({ tagName }) => tagName)).toEqual(links.map(() => 'a'));
      for (const { attrs } of links) {
        const href = attrs[0]?.value ?? '';
        // A link that leads nowhere, such as https://a]b.
        if (!URL.canParse(href, 'https://same.example/')) continue;
        const { protocol, host } = new URL(href, 'https://same.example/');
        expect(attrs.map(({ name }) => name)).toEqual(protocol === 'tel:' ? ['href', 'dir'] : ['href']);
        expect(['https:', 'http:', 'mailto:', 'tel:']).toContain(protocol);
        if (href.startsWith('/')) expect(host).toBe('same.example');
      }
      expect(childNodes.map(textOf).join('')).toBe(withoutLinks(text));
      expect(hasLinks(text)).toBe(links.length > 0);
    }),
    runs(50),
  );
});
