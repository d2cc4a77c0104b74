import fc from 'fast-check';
import { type DefaultTreeAdapterTypes, parse, parseFragment } from 'parse5';
import { expect, test } from 'vitest';
import { createRelay } from '../../../../test/support/bare_relay.ts';
import { runs } from '../../../../test/support/fuzz.ts';
import { asciiDigits, asciiNumber } from '../../../base/src/digits.ts';
import { attributes, hasLinks, html, withLinks, withoutLinks } from '../../src/html/html.ts';
import { everyField } from './every_field.ts';

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

/** A rendered form holds the values that were filled in and nothing else changes, to a parser that browsers agree with. */

let now = Date.UTC(2030, 0, 1);
const relay = createRelay({
  config: `forms:${everyField.replace('$sink', 'http://sink.test/').replace('title:', 'redirect: https://example.com/\n    title:')}`,
  env: { FORM_TOKEN_SECRET: 'not so secret' },
  throttled: false,
  effects: { log: () => {}, now: () => now },
});

type Node = DefaultTreeAdapterTypes.Node;

function elements(node: Node): Element[] {
  const inside = 'childNodes' in node ? node.childNodes.flatMap(elements) : [];
  return 'tagName' in node ? [node, ...inside] : inside;
}
const attribute = ({ attrs }: Element, name: string) => attrs.find((one) => one.name === name)?.value;
const textOfAnyValues = (node: Node): string =>
  'value' in node ? node.value : 'childNodes' in node ? node.childNodes.map(textOfAnyValues).join('') : '';

/** Elements and names of attributes; an empty control has no `value`. */
const skeleton = (all: Element[]) =>
  all.map(({ tagName, attrs }) =>
    [
      tagName,
      ...attrs.map(({ name }) => name).filter((name) => !/^(value|checked|selected)$/.test(name)),
    ].join(' '),
  );

/** The values of each control in a browser, by name. */
function controls(all: Element[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  const add = (name: string, ...values: string[]) => found.set(name, [...(found.get(name) ?? []), ...values]);
  for (const element of all) {
    const name = attribute(element, 'name') ?? '';
    const type = attribute(element, 'type');
    if (element.tagName === 'textarea') add(name, textOfAnyValues(element));
    if (element.tagName === 'select') {
      const chosen = elements(element).filter((one) => attribute(one, 'selected') !== undefined);
      add(name, ...chosen.map((option) => attribute(option, 'value') ?? ''));
    }
    if (element.tagName !== 'input') continue;
    if (type !== 'radio' && type !== 'checkbox') add(name, attribute(element, 'value') ?? '');
    else if (attribute(element, 'checked') !== undefined) add(name, attribute(element, 'value') ?? '');
  }
  return found;
}

const marksAnyValues = [
  '<',
  '>',
  '"',
  "'",
  '&',
  '&amp;',
  '&#34;',
  '</textarea>',
  '</form>',
  '<script>',
  '-->',
  '\n',
  '\r\n',
  '\0',
  '=',
  '`',
  '\u2028',
  'é',
  '😀',
  ' onx=1 ',
];
const textAnyValues = fc.oneof(
  fc.array(fc.constantFrom(...marksAnyValues, 'a'), { maxLength: 6 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 8 }),
);
const free = ['first_name', 'email', 'message', 'campaign', 'website', 'phone', 'seats', 'day', 'company'];
const offered: Record<string, readonly string[]> = {
  country: ['gb', 'France'],
  languages: ['English', 'French', 'German'],
  topics: ['sales', 'support', 'press'],
  consent: ['on'],
};

/** As an HTML parser reads any text (HTML, 13.2.3.5 and 13.2.5). */
const parsed = (value: string) => value.replaceAll(/\r\n?/g, '\n').replaceAll('\0', '\ufffd');

/** Numbers and dates come back in digits that browsers show there. */
const shown = (name: string, value: string) =>
  parsed(name === 'seats' ? asciiNumber(value) : name === 'day' ? asciiDigits(value) : value);

async function ask(pairs: [string, string][], isPost: boolean, isPage: boolean) {
  const encoded = new URLSearchParams(pairs).toString();
  const asker = isPage ? { accept: 'text/html', 'sec-fetch-mode': 'navigate' } : { 'hx-request': 'true' };
  const { body } = await relay.handle({
    method: isPost ? 'POST' : 'GET',
    path: `/api/v1/${isPost ? 'submit' : 'form'}/every_field`,
    query: isPost ? '' : encoded,
    headers: { ...asker, 'content-type': 'application/x-www-form-urlencoded' },
    body: Buffer.from(encoded),
  });
  return elements(isPage ? parse(body) : parseFragment(body));
}

/** Sent along with chosen values; without any value, a form shows its initial ones. */
const empty = Object.keys(offered).map((name): [string, string] => [name, '']);

const token = await ask([['kind', 'business']], false, false).then(
  (all) => controls(all).get('_ts')?.[0] ?? '',
);
now += 10_000;
const rest: [string, string][] = [...empty, ['kind', 'business'], ['_ts', token]];
const filledIn = [...free.map((name): [string, string] => [name, 'a']), ...rest];
const [asFragment, asPage] = await Promise.all([ask(filledIn, false, false), ask(filledIn, false, true)]);

const scripts = (all: typeof asPage) => all.filter(({ tagName }) => tagName === 'script');

test('every value comes back, and the markup stays', async () => {
  const filled = fc.tuple(
    fc.tuple(...free.map((name) => textAnyValues.map((value): [string, string] => [name, value]))),
    fc.subarray(
      Object.entries(offered).flatMap(([name, values]) =>
        values.map((value): [string, string] => [name, value]),
      ),
    ),
  );
  await fc.assert(
    fc.asyncProperty(filled, fc.boolean(), fc.boolean(), async ([texts, choices], isPost, isPage) => {
      const pairs: [string, string][] = [...texts, ...choices, ...rest];
      const all = await ask(pairs, isPost, isPage);
      const found = controls(all);
      for (const [name, value] of texts)
        expect([name, found.get(name)]).toEqual([name, [shown(name, value)]]);
      for (const name of Object.keys(offered)) {
        const chosen = choices.filter(([one]) => one === name).map(([, value]) => value);
        expect(found.get(name) ?? []).toEqual(chosen);
      }
      // Errors come and go; everything else that a refused form is made of is that of the fresh one.
      if (!isPost) expect(skeleton(all)).toEqual(skeleton(isPage ? asPage : asFragment));
      expect(scripts(all)).toHaveLength(scripts(isPage ? asPage : asFragment).length);
      expect(
        all.flatMap(({ attrs }) => attrs.map(({ name }) => name)).filter((name) => /^on/.test(name)),
      ).toEqual([]);
    }),
    runs(12),
  );
});
