import fc from 'fast-check';
import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5';
import { holds } from '../../../../test/support/fuzz.ts';
import { attributes, hasLinks, html, withLinks, withoutLinks } from '../../../base/src/html.ts';

const marks = [
  ...['<', '>', '"', "'", '&', '&lt', '&#x26;', '</p>', '</script>', '<!--', '\n', '\r', '\0', '=', '`'],
  ...['{{', 'é', '😀', '\ud800'],
];
const text = fc.oneof(
  fc.array(fc.constantFrom(...marks, 'a', ' '), { maxLength: 8 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 10 }),
);
/** As an HTML parser reads any text: NUL is dropped between tags, and replaced in attributes. */
const lines = (value: string) => value.replaceAll(/\r\n?/g, '\n');

test('values in markup are text, in every position', () =>
  holds(100, [text, text, text, fc.boolean()], (inside, title, more, flag) => {
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
  }));

const parts = [
  ...['[words](https://a.example/x?y=1&z#w)', '[a](/privacy)', '\\[a](/privacy)', '\\', '[', ']', '(', ')'],
  ...['](', 'https://', 'HTTP://a', 'mailto:a@b.example', 'tel:+43-1-234', '/', '//evil.example'],
  ...['/\\evil.example', 'javascript:alert(1)', 'data:text/html,x', '<b>', '"', "'", '&amp;', ' ', '\n'],
  ...['\t', 'é'],
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

test('owners’ texts may have links to the web, to mail, to a telephone or to the same site', () =>
  holds(50, [owners], (text) => {
    const { childNodes } = nodesOf(withLinks(text).toString());
    const links = childNodes.filter((node): node is Element => 'tagName' in node);
    expect(links.map(({ tagName }) => tagName)).toEqual(links.map(() => 'a'));
    for (const { attrs } of links) {
      const href = attrs[0]?.value ?? '';
      // A link without a valid target, such as https://a]b.
      if (!URL.canParse(href, 'https://same.example/')) continue;
      const { protocol, host } = new URL(href, 'https://same.example/');
      expect(attrs.map(({ name }) => name)).toEqual(protocol === 'tel:' ? ['href', 'dir'] : ['href']);
      expect(['https:', 'http:', 'mailto:', 'tel:']).toContain(protocol);
      if (href.startsWith('/')) expect(host).toBe('same.example');
    }
    expect(childNodes.map(textOf).join('')).toBe(withoutLinks(text));
    expect(hasLinks(text)).toBe(links.length > 0);
  }));
