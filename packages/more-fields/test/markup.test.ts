/** Markup round a control: `prefix`, `suffix`, `attributes`, `classes` of a field, and notes in Markdown. */

import { describe, expect, test } from 'vitest';
import { relayWith } from '../../../test/spec/stage.ts';
import { mistakesIn } from '../../../test/support/validate.ts';

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

test('a prefix and a suffix stand in the control’s box, describe it, and are not sent', async () => {
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

test('attributes stand on controls of every type that has the key, escaped and in the visitor’s language', async () => {
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

test('a pattern’s own message wins over an own title', async () => {
  const text = await rendered(
    '[{name: a, pattern: "[0-9]+", help: Digits., attributes: {title: No, inputmode: numeric}}]',
  );
  expect(tag(text, /<input [^>]*name="a"[^>]*>/)).toMatch(
    / title="Digits\." inputmode="numeric" pattern="\[0-9\]\+"/,
  );
});

test('classes of a field win over those of the form, and inputs of a field have those of the form', async () => {
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
    // Stars that mean no emphasis.
    ['2 * 3 * 4, 5*6*7, \\*a\\* ** **', '\n<p>2 * 3 * 4, 5*6*7, *a* ** **</p>\n'],
  ])('%j', async (note, markup) => {
    expect(await shown(note)).toBe(markup);
  });

  test('are as they were without the key, and headings stand below the form’s', async () => {
    expect(await shown('## a\n- **b**', '')).toBe('## a\n- **b**');
    expect(await shown('## a', '    markdown_notes: true\n    title: T\n')).toContain(
      '<h3 class="field-note-title">a</h3>',
    );
  });
});
