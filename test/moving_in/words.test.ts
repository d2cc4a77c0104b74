import { expect, test } from 'vitest';
import { configText } from '../../packages/page/src/moving_in/config_text.ts';
import { moveIn } from '../../packages/page/src/moving_in/move_in.ts';
import { formHtml } from '../support/form_html.ts';
import { must } from '../support/must.ts';
import { parseConfig } from '../support/parse_config.ts';

const move = async (markup: string, url?: string) =>
  must(await moveIn(markup, undefined, url === undefined ? undefined : new URL(url)));

const canonical = '<link rel="canonical" href="https://www.example.com/de/contact/">';
const consent = (href: string) =>
  `<form><label><input type="checkbox" name="ok"> I read the<a href="${href}"> privacy <b>notice</b> </a>.</label></form>`;

test.each([
  ['a whole address', '', 'https://example.com/a?b=c#d', undefined, 'https://example.com/a?b=c#d'],
  ['a telephone', '', 'tel:+4930123', undefined, 'tel:+4930123'],
  ['an address of mail', '', 'mailto:a@example.com', undefined, 'mailto:a@example.com'],
  ['a path', '', '/privacy', undefined, '/privacy'],
  [
    'a path, where the page says its address',
    canonical,
    '../privacy',
    undefined,
    'https://www.example.com/de/privacy',
  ],
  ['a path, where a server gave the page', '', 'privacy', 'http://localhost:4321/en/contact', '/en/privacy'],
  ['what would end the address', '', '/a(b)', undefined, '/a%28b%29'],
])('a link in a label: %s', async (_, head, href, url, address) => {
  const { fields, ...form } = await move(head + consent(href), url);
  expect(fields[0]?.keys.label).toBe(`I read the [privacy notice](${address}) .`);
  const isPath = address.startsWith('/');
  expect(fields[0]?.remarks.map(({ text }) => text)).toEqual(
    isPath ? [expect.stringContaining(`leads to ${address}`)] : [],
  );
  const html = await formHtml(
    configText({ fields, ...form }, 'page.html', 's.json'),
    '--plain',
    '--',
    'contact',
  );
  const direction = address.startsWith('tel:') ? ' dir="auto"' : '';
  expect(html).toContain(`<a href="${address.replaceAll('&', '&amp;')}"${direction}>privacy notice</a>`);
});

test.each([
  ['within the page', '#terms'],
  ['to a script', 'javascript:open()'],
  ['from a folder that nobody knows', 'privacy.html'],
])('a link that goes nowhere else is text, which is told: %s', async (_, href) => {
  const { fields } = await move(consent(href));
  expect(fields[0]?.keys.label).toBe('I read the privacy notice .');
  expect(fields[0]?.remarks).toEqual([{ kind: 'note', text: 'the link in the label of "ok" is left out' }]);
});

test('links in a help text and in a legend; the labels of options have none', async () => {
  const { fields, groups } = await move(`<form>
    <fieldset><legend>See <a href="https://example.com/all">all</a></legend>
      <p><label for="n">Name</label> <input id="n" name="name"> <small class="form-text">As <a href="https://example.com/h">here</a></small></p>
      <p><label>Mail <input name="mail"></label></p></fieldset>
    <label><input type="radio" name="plan" value="a">Basic (<a href="https://example.com/a">what?</a>)</label>
    <label><input type="radio" name="plan" value="b">All</label></form>`);
  expect(fields[0]?.keys.help).toBe('As [here](https://example.com/h)');
  expect(groups).toEqual([{ legend: 'See [all](https://example.com/all)', fields: ['name', 'mail'] }]);
  expect(fields[2]?.keys.options).toEqual([
    { value: 'a', label: 'Basic (what?)' },
    { value: 'b', label: 'All' },
  ]);
  expect(fields[2]?.remarks.map(({ text }) => text)).toEqual(['the link in the label of "plan" is left out']);
});

test('a help text beside the label that is around its control', async () => {
  const { fields } = await move(`<form>
    <div><label>Phone <input name="phone"></label> <small class="form-text">With the area code</small></div>
    <div><label>A <input name="a"></label> <label>B <input name="b"></label> <small class="form-text">Of which?</small></div>
    </form>`);
  expect(fields.map(({ keys }) => keys.help)).toEqual(['With the area code', undefined, undefined]);
});

test('a label for none of the boxes, before what is around them', async () => {
  const boxes = (name: string) =>
    ['a', 'b'].map(
      (value) => `<label><input type="checkbox" name="${name}" value="${value}">${value}</label>`,
    );
  const { fields } = await move(`<form>
    <label>What do you like?</label><div>${boxes('topics').join('')}</div>
    <label>Name <input name="name"></label><div>${boxes('others').join('')}</div></form>`);
  expect(fields.map(({ keys }) => keys.label)).toEqual(['What do you like?', undefined, undefined]);
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
])('groups: %s', async (_, markup, expected, told) => {
  const moved = await move(`<form>${markup}</form>`);
  expect(moved.groups.map(({ legend, fields }) => `${legend}: ${fields.join(' ')}`)).toEqual(expected);
  expect(
    moved.remarks.filter(({ text }) => text.includes('legend')).map(({ text }) => /"[^"]*"/.exec(text)?.[0]),
  ).toEqual(told);
  const config = configText(moved, 'page.html', 's.json');
  expect(parseConfig(config, 'webform.yaml').ok, config).toBe(true);
});

test.each([
  ['the page’s', '<html lang="de-AT"><form><input name="a"></form>', 'de-AT', 0],
  ['the form’s own, before the page’s', '<html lang="de"><form lang="he"><input name="a"></form>', 'he', 0],
  ['English, which needs no key', '<html lang="en-GB"><form><input name="a"></form>', undefined, 0],
  ['one that the relay does not speak', '<html lang="hu"><form><input name="a"></form>', undefined, 1],
  ['none', '<html lang="{{ .Lang }}"><form><input name="a"></form>', undefined, 0],
])('the language is %s', async (_, markup, language, remarks) => {
  const moved = await move(markup);
  expect(moved.language.language).toBe(language);
  expect(moved.language.remarks).toHaveLength(remarks);
  const parsed = must(parseConfig(configText(moved, 'page.html', 's.json'), 'webform.yaml'));
  expect(parsed.forms.size).toBe(1);
});

test('code of a page that is not built yet is no word for visitors', async () => {
  const { fields, remarks, submitLabel, title } = await move(`<form>
    <h2>{{ .Title }}</h2><label for="a">{{ i18n "name" }}</label><input id="a" name="town" value="<?php echo $a; ?>">
    <input name="street" placeholder="{% t 'b' %}"><input name="coupon" placeholder="50% off"><button>{{ i18n "send" }}</button></form>`);
  expect(fields.map(({ keys }) => keys)).toEqual([
    { name: 'town' },
    { name: 'street' },
    { name: 'coupon', placeholder: '50% off' },
  ]);
  expect([submitLabel, title]).toEqual([undefined, undefined]);
  expect(remarks.map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
    'to_do: what code writes into "town", "street" is left out: name the page as browsers get it, such as its address on a local server',
  ]);
});

test('suggestions and the text between fields are told', async () => {
  const { fields, remarks } = await move(`<form><p>We answer <b>soon</b>.</p><p hidden>Thanks!</p><p></p>
    <p><label>Browser <input name="a" list="l"></label></p><datalist id="l"><option value="x"></datalist></form>`);
  expect(fields[0]?.remarks.map(({ text }) => text)).toEqual([
    expect.stringContaining('suggestions for "a"'),
  ]);
  expect(remarks.map(({ text }) => text)).toEqual([expect.stringContaining('left out: "We answer soon."')]);
});

test('a form whose fields have no names says what it lacks', async () => {
  const moved = await moveIn(
    '<form><input id="name"><input id="email" type="email"><button>Go</button></form>',
    undefined,
  );
  expect(moved.ok ? '' : moved.error).toContain('no field of this form has a name');
});

test('an address of mail in other letters than ASCII', async () => {
  const { output } = await move(
    '<form action="mailto:info@müller.example?subject=x"><input name="a"></form>',
  );
  expect(output.keys.to).toBe('info@xn--mller-kva.example');
});

test.each([
  ['max="10"', { type: 'range', max: '10' }],
  [
    'min="50" max="500" step="10" value="150"',
    { type: 'range', min: '50', max: '500', step: '10', value: '150', required: true },
  ],
  // Browsers cannot reach the limit, or send what our own slider cannot have.
  ['max="10" step="3"', { type: 'number', min: '0', max: '10', step: '3' }],
  ['step="any" value="3.7"', { type: 'number', min: '0', max: '100', step: 'any', value: '3.7' }],
  ['value="200"', { type: 'number', min: '0', max: '100' }],
])('a slider with %s', async (attributes, keys) => {
  const { fields } = await move(`<form><input type="range" name="heat" ${attributes}></form>`);
  const given = Object.entries(fields[0]?.keys ?? {}).filter(([, value]) => value !== undefined);
  expect(Object.fromEntries(given)).toEqual({ name: 'heat', ...keys });
});
