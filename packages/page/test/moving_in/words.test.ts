import { expect, test } from 'vitest';
import { formHtml } from '../../../../test/support/form_html.ts';
import { must } from '../../../../test/support/must.ts';
import { parseConfig } from '../../../../test/support/parse_config.ts';
import { configText } from '../../src/moving_in/config_text.ts';
import { moveIn } from '../../src/moving_in/move_in.ts';

const move = async (markup: string) => must(await moveIn(markup, undefined));

const canonical = '<link rel="canonical" href="https://www.example.com/de/contact/">';
const consent = (href: string) =>
  `<form><label><input type="checkbox" name="ok"> I read the<a href="${href}"> privacy <b>notice</b> </a>.</label></form>`;

test.each([
  ['a whole address', '', 'https://example.com/a?b=c#d', 'https://example.com/a?b=c#d'],
  ['a telephone', '', 'tel:+4930123', 'tel:+4930123'],
  ['an address of mail', '', 'mailto:a@example.com', 'mailto:a@example.com'],
  ['a path', '', '/privacy', '/privacy'],
  ['a path, where the page says its address', canonical, '../privacy', 'https://www.example.com/de/privacy'],
  ['what would end the address', '', '/a(b)', '/a%28b%29'],
])('a link in a label: %s', async (_, head, href, address) => {
  const { fields, ...form } = await move(head + consent(href));
  expect(fields[0]?.keys.label).toBe(`I read the [privacy notice](${address}) .`);
  const html = await formHtml(configText([{ fields, ...form }], 'page.html', 's.json'), '--', 'contact');
  const direction = address.startsWith('tel:') ? ' dir="auto"' : '';
  expect(html).toContain(`<a href="${address.replaceAll('&', '&amp;')}"${direction}>privacy notice</a>`);
});

const fieldset = (legend: string, ...names: readonly string[]) =>
  `<fieldset><legend>${legend}</legend>${names.map((name) => `<input name="${name}">`).join('')}</fieldset>`;

test.each([
  ['each legend', fieldset('A', 'a', 'b') + fieldset('B', 'c'), ['A: a b', 'B: c'], []],
  [
    'the outer one of two',
    `<fieldset><legend>All</legend>${fieldset('A', 'a')}<input name="b"></fieldset>`,
    ['All: a b'],
    [],
  ],
  [
    'none for a choice, of which it is the label',
    '<fieldset><legend>R</legend><input type="radio" name="r" value="1"></fieldset>',
    [],
    [],
  ],
  ['none without words', fieldset('', 'a'), [], []],
  [
    'hidden fields stand where they like',
    `<fieldset><legend>A</legend><input name="a"><input type="hidden" name="h" value="1"><input name="b"></fieldset>`,
    ['A: a b'],
    [],
  ],
  ['none whose field stands elsewhere, too', `${fieldset('A', 'a', 'b')}<input name="a">`, [], ['"A"']],
  ['of one field', `<input name="b"><input name="x">${fieldset('Z', 'a')}`, ['Z: a'], []],
])('groups: %s', async (_, markup, expected, remarks) => {
  const moved = await move(`<form>${markup}</form>`);
  expect(moved.groups.map(({ legend, fields }) => `${legend}: ${fields.join(' ')}`)).toEqual(expected);
  expect(
    moved.remarks.filter(({ text }) => text.includes('legend')).map(({ text }) => /"[^"]*"/.exec(text)?.[0]),
  ).toEqual(remarks);
  const config = configText([moved], 'page.html', 's.json');
  expect(parseConfig(config, 'webform.yaml').ok, config).toBe(true);
});
