/** Markup around a control: `prefix`, `suffix`, `attributes`, `classes` of a field, and notes in Markdown. */
import { contact, relayWith } from '../../../test/support/index.ts';
import { mistakesIn } from '../../../test/support/validate.ts';
import { everyField } from '../../core/test/html/every_field.ts';

const outputs = 'outputs: [{type: http_post, url: "http://127.0.0.1:9/"}]';

async function staged(fields: string, more = '') {
  const relay = await relayWith({
    config: `${more.startsWith('!') ? `${more.slice(1)}\n` : ''}forms:\n  f:\n    fields: ${fields}\n    ${outputs}\n${more.startsWith('!') ? '' : more}`,
    env: {},
  });
  return relay;
}

async function rendered(fields: string, more = '') {
  const { text } = await (await staged(fields, more)).get('/api/v1/form/f');
  expect(await mistakesIn(text)).toEqual([]);
  return text;
}

const tag = (markup: string, pattern: RegExp) => pattern.exec(markup)?.[0];

test('a prefix and a suffix are in the control’s box, describe it, and are not sent', async () => {
  const field =
    '[{name: price, type: number, prefix: {en: "<£>", de: €}, suffix: a & b, help: Net., required: true}]';
  const relay = await staged(field, '    languages: [en, de]\n    language: en\n');
  const { text } = await relay.get('/api/v1/form/f?lang=de');
  expect(await mistakesIn(text)).toEqual([]);
  expect(tag(text, /<div class="field-affixed.*<\/div>/)).toBe(
    '<div class="field-affixed"><span id="form-f--price--prefix" class="field-affix">€</span>' +
      '<input type="number" id="form-f--price" name="price" required aria-describedby="form-f--price--prefix form-f--price--suffix form-f--price--help" step="1">' +
      '<span id="form-f--price--suffix" class="field-affix">a &amp; b</span></div>',
  );
  expect((await relay.get('/api/v1/form/f')).text).toContain('class="field-affix">&lt;£&gt;</span>');
  const again = await relay.submit('f', [['price', '€5']], { 'hx-request': 'true' });
  expect(again.text).toMatch(/aria-describedby="\S+--prefix \S+--suffix \S+--help \S+--error"/);
});

test('attributes are on controls of every type that has the key, escaped and in the visitor’s language', async () => {
  const types = 'text email url tel textarea number date time datetime select country'.split(' ');
  const own =
    'attributes: {data-mask: "\\" onfocus=\\"x", inputmode: numeric, spellcheck: false, title: {en: Hi, de: Na}}';
  const fields = types.map(
    (type) => `{name: ${type}, type: ${type}, ${own}${type === 'select' ? ', options: [a]' : ''}}`,
  );
  const relay = await staged(
    `[${fields.join(', ')}]`,
    '    languages: [en, de]\n    language: en\n    time_zone: UTC\n',
  );
  const { text } = await relay.get('/api/v1/form/f?lang=de');
  for (const type of types) {
    const control = tag(text, new RegExp(`<[a-z]+ [^>]*name="${type}"[^>]*>`));
    expect(control).toContain(' data-mask="&#34; onfocus=&#34;x" inputmode="numeric" spellcheck="false"');
    expect(control?.match(/ title="[^"]*"/g)).toEqual([' title="Na"']);
  }
});

test('a pattern’s own message overrides an own title', async () => {
  const text = await rendered(
    '[{name: a, pattern: "[0-9]+", help: Digits., attributes: {title: No, inputmode: numeric}}]',
  );
  expect(tag(text, /<input [^>]*name="a"[^>]*>/)).toMatch(
    / title="Digits\." inputmode="numeric" pattern="\[0-9\]\+"/,
  );
});

test('classes of a field override those of the form, and inputs of a field have those of the form', async () => {
  const top = '!classes: {field: row, label: l, input: i, wrapper: w, affix: x}';
  const text = await rendered(
    '[{name: a, prefix: €, classes: {field: col-6, input: "", wrapper: input-group}}, {name: b, suffix: €}]',
    top,
  );
  const classed = [...text.matchAll(/<(div|label|input|span)[^>]*? class="([^"]*)"/g)].map(
    ([, , names]) => names,
  );
  expect(classed.join(' | ')).toBe(
    'field col-6 | l | field-affixed input-group | field-affix x | field row | l | field-affixed w | i | field-affix x | form-status',
  );
  expect(text).not.toContain('class=""');
});

describe('notes', () => {
  const shown = async (note: string, more = '    markdown_notes: true\n') =>
    (await rendered(`[{note: ${JSON.stringify(note)}}, {name: a}]`, more)).match(
      /<(p|div) class="field-note">(.*?)<\/\1>\n<div class="field"/s,
    )?.[2];

  test.each([
    ['<b onclick=x>', '\n<p>&lt;b onclick=x&gt;</p>\n'],
    ['**<i>** [x](javascript:1)', '\n<p><strong>&lt;i&gt;</strong> [x](javascript:1)</p>\n'],
    ['a\nb\n \nc', '\n<p>a\nb</p>\n<p>c</p>\n'],
    ['## A *b*\nc', '\n<h2 class="field-note-title">A <em>b</em></h2>\n<p>c</p>\n'],
    [
      'Bring\n- a\n  * **b**\n\n1. c\n2. d',
      '\n<p>Bring</p>\n<ul>\n<li>a</li>\n<li><strong>b</strong></li>\n</ul>\n<ol>\n<li>c</li>\n<li>d</li>\n</ol>\n',
    ],
    ['**[x](/y)**', '\n<p><strong><a href="/y">x</a></strong></p>\n'],
    ['必ず**全部**を', '\n<p>必ず<strong>全部</strong>を</p>\n'],
    // Stars that are not emphasis.
    ['2 * 3 * 4, 5*6*7, \\*a\\* ** **', '\n<p>2 * 3 * 4, 5*6*7, *a* ** **</p>\n'],
  ])('%j', async (note, markup) => expect(await shown(note)).toBe(markup));

  test('are unchanged without the key, and headings rank below the form’s', async () => {
    expect(await shown('## a\n- **b**', '')).toBe('## a\n- **b**');
    expect(await shown('## a', '    markdown_notes: true\n    title: T\n')).toContain(
      '<h3 class="field-note-title">a</h3>',
    );
  });
});

/** Each key's class is the key itself, so that the markup shows which key went where. */
const keys = [
  ...['form', 'field', 'label', 'input', 'select', 'check', 'check_input', 'help', 'error', 'button', 'back'],
];
const every = `{${keys.map((key) => `${key}: "a-${key}"`).join(', ')}}`;

async function stagedClasses(config: string) {
  return relayWith({ config, env: { FORM_TOKEN_SECRET: 'not so secret' } });
}

const forms = everyField.replaceAll('$sink', 'http://127.0.0.1:9/');
const small = (more = '') =>
  `small: {${more} fields: [{name: a, required: true}, {name: b, type: checkbox}], outputs: [{type: http_post, url: "http://127.0.0.1:9/"}]}`;

/** The tags with a class in some markup, in order: `div.field.a-field`. */
const classed = (markup: string): readonly string[] =>
  [...markup.matchAll(/<([\w-]+)[^>]*? class="([^"]*)"/g)].map(
    ([, tag, names = '']) => `${tag}.${names.replaceAll(' ', '.')}`,
  );

const token = (markup: string) => /name="_ts" value="([^"]*)"/.exec(markup)?.[1] ?? '';

test('every class is where it belongs, next to the relay’s own', async () => {
  const relay = await stagedClasses(`classes: ${every}\nforms:${forms}`);
  const { text } = await relay.get('/api/v1/form/every_field');
  expect(await mistakesIn(text)).toEqual([]);
  expect([...new Set(classed(text))].toSorted().join('\n')).toMatchInlineSnapshot(`
    "button.a-button
    button.repeat-add.a-back
    button.repeat-remove.a-back
    div.field-phone
    div.field-row
    div.field-scale
    div.field-slot
    div.field-stars
    div.field.a-field
    div.field.field-third.a-field
    div.field.field-two-thirds.a-field
    div.form-status
    div.grid-choices
    div.grid-head
    div.grid-table
    div.grid-table.grid-several
    div.repeat-items
    fieldset.field.a-field
    fieldset.field.field-parts.field-address.a-field
    fieldset.field.field-parts.field-grid.a-field
    fieldset.field.field-parts.field-repeat.a-field
    fieldset.repeat-item
    form.form-relay.a-form
    input.a-check_input
    input.a-input
    label.a-label
    label.choice.a-check
    legend.a-label
    p.field-help.a-help
    p.form-note
    p.repeat-status
    select.a-select
    span.choice-words
    span.field-required
    span.scale-words
    textarea.a-input"
  `);
});

test('error elements also have their classes', async () => {
  const relay = await stagedClasses(`classes: ${every}\nforms:${forms}\n  ${small()}`);
  const { text } = await relay.get('/api/v1/form/every_field');
  relay.advance(4_000);
  const invalid = await relay.submit('every_field', [['_ts', token(text)]], { 'hx-request': 'true' });
  expect(invalid.status).toBe(422);
  expect(await mistakesIn(invalid.text)).toEqual([]);
  const wrong = classed(invalid.text).filter((tag) => /invalid|error/.test(tag));
  expect(wrong).toEqual([...Array(13).fill('p.field-error.a-error'), 'ul.form-errors']);
});

test('the script gets the classes for elements that it makes', async () => {
  const relay = await stagedClasses(`
classes: ${every}
forms:
  stepped:
    fields: [{name: a}, {name: b}]
    steps: [{title: One, fields: [a]}, {title: Two, fields: [b]}]
    outputs: [{type: http_post, url: "http://127.0.0.1:9/"}]
  ${small()}`);
  const ofScript = { accept: 'text/html;profile=form-relay' };
  const { text } = await relay.get('/api/v1/form/stepped', ofScript);
  expect(await mistakesIn(text)).toEqual([]);
  for (const name of ['error', 'back']) expect(text).toContain(`data-${name}-class="a-${name}"`);
  expect((await relay.get('/api/v1/form/small', ofScript)).text).not.toContain('data-back-class');
});

test('a form’s own keys override one by one, and an empty one means none', async () => {
  const own = 'classes: {input: own, help: ~, field: "", button: ""},';
  const relay = await stagedClasses(
    `classes: {input: all, field: all, label: all, button: all}\nforms:\n  ${small(own)}\n  ${small().replace('small', 'other')}`,
  );
  expect(classed((await relay.get('/api/v1/form/small')).text)).toEqual([
    ...['form.form-relay', 'p.form-note', 'div.field', 'label.all', 'span.field-required', 'input.own'],
    ...['div.field', 'label.choice', 'div.form-status'],
  ]);
  expect(classed((await relay.get('/api/v1/form/other')).text)).toContain('button.all');
});

test('a form without classes gets the same markup as before', async () => {
  const without = await stagedClasses(`forms:\n  ${small()}`);
  const empty = await stagedClasses(`classes:\nforms:\n  ${small('classes: {input: ""},')}`);
  const markup = (await without.get('/api/v1/form/small')).text;
  expect((await empty.get('/api/v1/form/small')).text).toBe(markup);
  expect(markup).not.toContain('class=""');
});

test('Tailwind’s class names are accepted', async () => {
  const names =
    'mt-1.5 w-[50%] !p-0 -m-2 *:p-4 [&>p]:mt-4 md:hover:bg-(--x)/50 data-[a=b]:c bg-[#fff] grid-cols-[1fr,2fr] @md:p';
  const relay = await stagedClasses(`classes: {input: "${names}"}\nforms:\n  ${small()}`);
  const { text } = await relay.get('/api/v1/form/small');
  expect(text).toContain(`class="${names.replaceAll('&', '&amp;').replaceAll('>', '&gt;')}"`);
});

/** `messages` of a field, wherever its errors are shown. */

const fields = `[
  {name: name, required: true, messages: {required: Who are you?}},
  {name: email, type: email, messages: {type: "<b>That</b> is no address.", same_as: Twice.}},
  {name: again, type: email, same_as: email, messages: {same_as: These differ.}},
  {name: guests, type: number, min: 2, max: 9, messages: {min: "{min} guests at least, {not_there}please.", step: Whole guests.}},
  {name: code, pattern: "[A-Z]+", max_length: 3, messages: {pattern: Capital letters.}},
  {name: size, type: radios, options: [S, M], messages: {options: S or M}},
  {name: day, type: date, min: 2030-01-01, messages: {required: Never said.}}]`;

describe('each violated rule has the owner’s message, others have the relay’s', () => {
  test.each([
    ['name', '', 'name: Who are you?'],
    ['email', 'x', 'email: <b>That</b> is no address. again: These differ.'],
    ['guests', '1', 'guests: 2 guests at least, please.'],
    ['guests', '1.5', 'guests: 2 guests at least, please.'],
    ['guests', '2.5', 'guests: Whole guests.'],
    ['guests', '10', 'guests: Enter a number that is 9 or less.'],
    ['code', 'x', 'code: Capital letters.'],
    ['code', 'ABCD', 'code: Enter at most 3 characters.'],
    ['size', 'L', 'size: S or M'],
    ['day', '2029-01-01', 'day: Enter a date that is 2030-01-01 or later.'],
  ])('%s: %s', async (name, value, error) => {
    const form = await contact({ fields });
    const others = name === 'name' ? [] : ([['name', 'Ada']] as const);
    expect(await form.send(...others, [name, value])).toMatchObject({ status: 422, json: { error } });
  });
});

test('fragments, pages and scripts show the messages, escaped and in the visitor’s language', async () => {
  const relay = await relayWith({
    config: `forms: {contact: {languages: [en, de], title: T, fields: [
      {name: a, required: true, messages: {required: {en: "A & B?", de: "A & B bitte!"}, max_length: "At most {max}."}, max_length: 3},
      {name: guests, type: repeat, fields: [{name: x, required: true, messages: {required: "X?"}}]}],
      outputs: [{type: http_post, url: "http://127.0.0.1:9/"}]}}`,
  });
  const answer = (query: string, headers: Record<string, string>) =>
    relay.post(`/api/v1/submit/contact?${query}`, 'a=', headers);
  expect((await answer('lang=de', { 'hx-request': 'true' })).text).toContain('>A &amp; B bitte!</p>');
  expect((await answer('lang=en&as=page', { accept: 'text/html' })).text).toContain('>A &amp; B?</p>');
  const { json } = await answer('lang=de', { accept: 'application/problem+json' });
  expect(json).toMatchObject({ errors: [{ field: 'a', code: 'missing', message: 'A & B bitte!' }] });
  const form = (await relay.get('/api/v1/form/contact?lang=en&as=script')).text;
  expect(form).toMatch(/data-parts="[^"]*messages/);
  // Browsers cannot fill in {max}.
  expect(form).toContain('&#34;a&#34;:{&#34;valueMissing&#34;:&#34;A &amp; B?&#34;}');
  expect(form).toContain('&#34;guests.1.x&#34;:{&#34;valueMissing&#34;:&#34;X?&#34;}');
  expect((await relay.get('/api/v1/messages.js')).status).toBe(200);
});

test('forms without messages load nothing for them', async () => {
  const form = await contact({ fields: '[{name: a, required: true}]' });
  expect((await form.get('/api/v1/form/contact')).text).not.toMatch(/data-messages|data-parts/);
});
