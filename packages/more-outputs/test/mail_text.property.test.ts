import fc from 'fast-check';
import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import { holds } from '../../../test/support/fuzz.ts';
import { sampleMails } from '../../../test/support/sample_mails.ts';
import { type MailBody, renderMail } from '../src/html_mail.ts';

type Element = DefaultTreeAdapterTypes.Element;
type Node = DefaultTreeAdapterTypes.ChildNode;

const elementsIn = (node: DefaultTreeAdapterTypes.ParentNode): Element[] =>
  node.childNodes.flatMap((child) => ('tagName' in child ? [child, ...elementsIn(child)] : []));

/** The text as people see it: line breaks in the source are spaces, those of `<br>` and `<div>` are line breaks. */
const shown = (node: Element | Node): string => {
  if (node.nodeName === '#text') return (node as DefaultTreeAdapterTypes.TextNode).value;
  if (node.nodeName === 'br') return '\u0001';
  const inside = 'childNodes' in node ? node.childNodes.map(shown).join('') : '';
  return node.nodeName === 'div' ? `${inside.replace(/\u0001$/, '')}\u0001` : inside;
};
const textOf = (element: Element): string =>
  shown(element)
    .replaceAll('\u0001\n', '\u0001')
    .replace(/\u0001$/, '')
    .replaceAll(/[\n\u00a0]/g, ' ')
    .replaceAll('\u0001', '\n');

const attribute = (element: Element, name: string) => element.attrs.find((one) => one.name === name)?.value;
const all = (html: string, tagName: string) =>
  elementsIn(parse(html)).filter((one) => one.tagName === tagName);

const hostile = [
  ...['<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', "' style='color:red"],
  ...['</td></tr></table>', '<!--[if mso]>', '--><b>', ']]>', '&lt;b&gt; &amp;amp; &#60;', '\u202egnp.exe'],
  ...['\u2067\u2066', 'https://evil.example/?a=1&b="2"', 'www.evil.example', 'evil.example'],
  ...['ada@example.org', 'javascript:alert(1)', '[words](https://evil.example)', '  two   spaces  '],
  ...['\r\nName: Mallory', '\n\n\n', '\ud83d', '{{ .fields.name }}', 'äöü 山田 👩‍👩‍👧', 'x'.repeat(1_500)],
  ...['word '.repeat(400)],
];

const words = fc
  .array(fc.oneof(fc.constantFrom(...hostile), fc.string({ unit: 'binary', maxLength: 40 })), {
    maxLength: 4,
  })
  .map((parts) => parts.join(' '));

const ownLinks = [
  'https://acme.example/?a=1&b=2',
  'mailto:office@acme.example',
  'https://acme.example/privacy',
];
const links = fc.constantFrom(...ownLinks).chain((href) => words.map((text) => ({ words: text, href })));
const ownWords = fc.array(fc.oneof(words, links), { maxLength: 4 });

const anyMail: fc.Arbitrary<MailBody> = fc.record({
  language: fc.constantFrom('en', 'de', 'ar'),
  direction: fc.constantFrom('ltr', 'rtl'),
  title: words,
  intro: ownWords,
  entries: fc.array(fc.record({ label: words, values: fc.array(words, { maxLength: 3 }) }), { maxLength: 4 }),
  button: fc.option(fc.record({ words, href: fc.constant('https://forms.acme.example/confirm?s=a&b') }), {
    nil: undefined,
  }),
  page: fc.option(
    fc.record({ label: words, url: fc.webUrl({ withQueryParameters: true }), isLink: fc.boolean() }),
    { nil: undefined },
  ),
  footer: ownWords,
});

const tags = 'html head meta style body div table tbody tr td th h1 p br a ul li bdi'.split(' ');

/** All attributes in mails without hostile content. */
const attributesOf = (html: string) =>
  elementsIn(parse(html)).flatMap(({ tagName, attrs }) =>
    attrs.filter(({ name }) => name !== 'href').map(({ name, value }) => `${tagName} ${name}=${value}`),
  );
const ownAttributes = new Set(
  Object.values(sampleMails).flatMap((mail) =>
    (['ltr', 'rtl'] as const).flatMap((direction) =>
      ['en', 'de', 'ar'].flatMap((language) =>
        attributesOf(renderMail({ ...mail, language, direction }).html),
      ),
    ),
  ),
);

test('with any text in a mail, its HTML contains only elements, attributes and links from the relay and the owner', () =>
  holds(30, [anyMail], (mail) => {
    const { html } = renderMail(mail);
    const elements = elementsIn(parse(html));
    expect(elements.filter(({ tagName }) => !tags.includes(tagName))).toEqual([]);
    expect(attributesOf(html).filter((one) => !ownAttributes.has(one))).toEqual([]);
    const hrefs = elements.map((one) => attribute(one, 'href')).filter((href) => href !== undefined);
    expect(hrefs).toEqual([
      ...mail.intro.flatMap((run) => (typeof run === 'string' ? [] : [run.href])),
      ...(mail.button ? [mail.button.href] : []),
      ...(mail.page?.isLink ? [mail.page.url] : []),
      ...mail.footer.flatMap((run) => (typeof run === 'string' ? [] : [run.href])),
    ]);
  }));

describe('a text that looks like a web address cannot be followed', () => {
  const wordsOf = (value: string) => {
    const { html } = renderMail({ ...sampleMails.english, entries: [{ label: 'a', values: [value] }] });
    const [cell] = all(html, 'td').filter((one) => attribute(one, 'class') === 'v');
    return cell ? elementsIn(cell).map((one) => [one.tagName, attribute(one, 'href'), textOf(one)]) : [];
  };
  test.each([
    ['https://evil.example', ['https://evil.example']],
    ['HTTP://localhost/ and http://[::1]/', ['HTTP://localhost/', 'http://[::1]/']],
    ['see (www.evil.example).', ['(www.evil.example).']],
    ['evil.example/login, or пример.рф', ['evil.example/login,', 'пример.рф']],
    ['https://ada@evil.example/', ['https://ada@evil.example/']],
    ['bank.example/@evil', ['bank.example/@evil']],
    ['ada@evil.example/login', ['ada@evil.example/login']],
    ['www.evil.example?x=@b.example evil.example#@b', ['www.evil.example?x=@b.example', 'evil.example#@b']],
    ['evil.example,ada@b.example evil.example:x@b', ['evil.example,ada@b.example', 'evil.example:x@b']],
    ["ada@b.example, <ada+x@b.example>; (mailto:o'hara@b.example). jörg@bücher.example:", []],
  ])('%s', (value, marked) => expect(wordsOf(value)).toEqual(marked.map((word) => ['a', undefined, word])));

  test.each([
    'ada@example.org',
    '+44 20 7946 0018',
    'It costs 12.50. Or 3.1415?',
    'z. B. am 3.4.2027, z.B. or e.g. so',
    'a ... b',
  ])('but mail programs may turn %s into a link', (value) => expect(wordsOf(value)).toEqual([]));
});
