/** Fields of type rating, scale and country, through real HTTP. */
import { contact, relayWith } from '../../../test/support/index.ts';
import { mistakesIn } from '../../../test/support/validate.ts';
import { countryCodes } from '../src/choices/country.ts';

describe.each([
  ['rating', ['1', '5'], ['0', '6', '3.5', '03', '+3', '３', '٣', '۳', ' 3', '3e0', 'three']],
  ['rating, max: 10', ['1', '10'], ['0', '11', '１０']],
  ['scale', ['0', '10'], ['-1', '11', '0.5', '00', '-0', '٠', '۱۰']],
  ['scale, min: 1, max: 7', ['1', '7'], ['0', '8']],
  ['country', ['DE', 'AX', 'ZW'], ['XX', 'UK', 'EU', 'XK', 'DEU', 'Germany', '276', 'D', 'ＤＥ', 'ı', 'DE ']],
  ['country, countries: [DE, AT, NO]', ['DE', 'NO'], ['FR', 'fr']],
] as const)('{type: %s}', (keys, valid, invalid) => {
  test('accepts its options, and nothing else', async () => {
    const form = await contact({ fields: `[{name: f, type: ${keys}}]` });
    for (const value of valid) expect((await form.send(['f', value])).status).toBe(200);
    const json = { error: 'f: Choose from the options.' };
    for (const value of invalid)
      expect(await form.send(['f', value]), value).toMatchObject({ status: 422, json });
    expect(form.delivered).toEqual(valid.map((value) => [['f', value]]));
  });
});

const fields = `[
  {name: stars, type: rating, label: Your rating},
  {name: nps, type: scale, low: {en: Unlikely, de: Unwahrscheinlich}, high: {en: Likely, de: Wahrscheinlich}},
  {name: land, type: country, countries: [DE, AT, CH, EG, GR]}]`;

const formIn = async (language: string, query = '') => {
  const relay = await relayWith({
    config: `forms: {survey: {languages: ${JSON.stringify([...new Set(['en', 'de', language])])}, fields: ${fields}, outputs: [{type: http_post, url: "http://127.0.0.1/"}]}}`,
  });
  return (await relay.get(`/api/v1/form/survey?lang=${language}${query}`)).text;
};

describe('in HTML', () => {
  test('a star is a radio button whose label is its number, in each language', async () => {
    const names = async (language: string) =>
      [
        ...(await formIn(language)).matchAll(/name="stars" value="\d"> <span class="choice-words">(.*?)</g),
      ].map(([, name]) => name);
    expect(await names('en')).toEqual(['1 star', '2 stars', '3 stars', '4 stars', '5 stars']);
    expect(await names('pl')).toEqual(['1 gwiazdka', '2 gwiazdki', '3 gwiazdki', '4 gwiazdki', '5 gwiazdek']);
    expect((await names('ar')).slice(0, 3)).toEqual(['نجمة واحدة', 'نجمتان', '3 نجوم']);
  });

  test('the labels of a scale belong to its ends', async () => {
    const text = await formIn('de');
    expect(text).toContain(
      'value="0"> <span class="choice-words">0</span> <span class="scale-words">Unwahrscheinlich<',
    );
    expect(text).toContain(
      'value="10"> <span class="choice-words">10</span> <span class="scale-words">Wahrscheinlich<',
    );
    expect(text.match(/scale-words/g)).toHaveLength(2);
  });

  test('numbers have the digits of the language', async () =>
    expect(await formIn('ar-EG')).toContain('value="10"> <span class="choice-words">١٠<'));

  test('countries have their names, in the alphabetical order of the language', async () => {
    const names = async (language: string) =>
      [...(await formIn(language)).matchAll(/<option value="[A-Z]+">(.*?)</g)].map(([, name]) => name);
    expect(await names('en')).toEqual(['Austria', 'Egypt', 'Germany', 'Greece', 'Switzerland']);
    expect(await names('de')).toEqual(['Ägypten', 'Deutschland', 'Griechenland', 'Österreich', 'Schweiz']);
    expect(await names('sv')).toEqual(['Egypten', 'Grekland', 'Schweiz', 'Tyskland', 'Österrike']);
  });
});

describe('in outputs', () => {
  test('a country code in lower case is sent in upper case', async () => {
    const form = await contact({ fields: '[{name: f, type: country}]' });
    expect((await form.send(['f', 'de'])).status).toBe(200);
    expect(form.delivered).toEqual([[['f', 'DE']]]);
  });

  test.each([
    ['de', 'Österreich', '4 von 5', '0 von 10'],
    ['fr', 'Autriche', '4 sur 5', '0 sur 10'],
    ['ja', 'オーストリア', '5 点中 4 点', '10 点中 0 点'],
  ])('JSON has numbers, people read text, in %s', async (language, country, stars, nps) => {
    const relay = await contact({
      fields: '[{name: stars, type: rating}, {name: nps, type: scale}, {name: land, type: country}]',
      outputs: '[{type: webhook, url: $origin/json, mapping: "*"}, {type: slack, url: $origin/chat}]',
      keys: `language: ${language}, bodies: [json]`,
      answer: () => ({ body: 'ok' }),
    });
    const { sink } = relay;
    const body = JSON.stringify({ stars: 4, nps: 0, land: 'at' });
    const answer = await relay.submit('contact', body, { 'content-type': 'application/json' });
    expect(answer.status).toBe(200);
    expect(JSON.parse(sink.bodyAt('/json'))).toEqual({ stars: 4, nps: 0, land: 'AT' });
    for (const words of [country, stars, nps]) expect(sink.bodyAt('/chat')).toContain(words);
  });
});

test('countries: are those of ISO 3166-1 that Intl has names for', () => {
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  expect(countryCodes).toHaveLength(249);
  expect(countryCodes.filter((code) => !names.of(code))).toEqual([]);
  // Intl replaces withdrawn codes.
  expect(countryCodes.filter((code) => new Intl.Locale(`und-${code}`).region !== code)).toEqual([]);
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const others = letters
    .flatMap((one) => letters.map((other) => one + other))
    .filter((code) => names.of(code) && new Intl.Locale(`und-${code}`).region === code)
    .filter((code) => !countryCodes.includes(code));
  // Reserved codes, groups of countries, and private-use codes.
  expect(others.join(' ')).toBe('AC CP CQ DG EA EU EZ IC QO TA UN XA XB XK ZZ');
});

/** Fields of type range, through real HTTP. */

describe.each([
  ['range', ['0', '50', '100'], '-1'],
  ['range, min: 1, max: 10', ['1', '10'], '0'],
  ['range, min: -5, max: 5, step: 2.5', ['-5', '-2.5', '5'], '-7.5'],
  ['range, min: 0, max: 1, step: 0.1', ['0', '0.3', '0.7', '1'], '-0.1'],
  ['range, min: 0.3, max: 0.9, step: 0.1', ['0.3', '0.9'], '0.2'],
] as const)('{type: %s}', (keys, valid, rest) => {
  test('accepts values on its steps', async () => {
    const form = await contact({ fields: `[{name: f, type: ${keys}}]` });
    for (const value of valid) expect((await form.send(['f', value])).status).toBe(200);
    expect(form.delivered).toEqual(valid.map((value) => [['f', value]]));
  });

  test('starts in the position for no answer', async () => {
    const form = await contact({ fields: `[{name: f, type: ${keys}}]` });
    expect((await form.get('/api/v1/form/contact')).text).toMatch(
      new RegExp(`<input type="range"[^>]* min="${rest}"[^>]* value="${rest}"`),
    );
    expect((await form.send(['f', rest])).status).toBe(200);
    expect((await form.send(['f', ''])).status).toBe(200);
    expect((await form.send()).status).toBe(200);
    expect(form.delivered.flat().filter(([, value]) => value !== '')).toEqual([]);
  });

  test('must be moved if it is required', async () => {
    const form = await contact({ fields: `[{name: f, required: true, type: ${keys}}]` });
    for (const value of [rest, '']) {
      const answer = await form.send(['f', value]);
      expect(answer).toMatchObject({ status: 422, json: { error: 'f: Move the slider to a value.' } });
    }
    expect((await form.send(['f', valid[0]])).status).toBe(200);
  });
});

test.each([
  ['101', 'Enter a number that is 100 or less.'],
  ['-2', 'Enter a number that is 0 or more.'],
  ['7', 'Enter a number in steps of 5, counted from 0.'],
  ['five', 'Enter a number, such as 42.'],
  ['5⁵', 'Enter a number, such as 42.'],
  ['٧', 'Enter a number in steps of 5, counted from 0.'],
  ['0x10', 'Enter a number, such as 42.'],
  ['1e999', 'Enter a number, such as 42.'],
])('rejects %s', async (value, error) => {
  const form = await contact({ fields: '[{name: f, type: range, step: 5}]' });
  expect(await form.send(['f', value])).toMatchObject({ status: 422, json: { error: `f: ${error}` } });
});

test('a condition sees no answer in the start position', async () => {
  const form = await contact({
    fields: '[{name: f, type: range}, {name: g, required: true, visible_when: {field: f, filled: true}}]',
  });
  expect((await form.send(['f', '-1'])).status).toBe(200);
  expect((await form.send(['f', '0'])).status).toBe(422);
  const shown = async (value: string) =>
    (await form.get(`/api/v1/form/contact?f=${value}`, { 'hx-request': 'true' })).text;
  expect(await shown('-1')).not.toContain('name="g"');
  expect(await shown('0')).toContain('name="g"');
});

/** Rows of fields with a `width`: which fields share one. */

const half = (name: string, more = '') => `{name: ${name}, width: half${more}}`;

async function rendered(fields: readonly string[], { more = '', as = '' } = {}) {
  const output = '{type: http_post, url: "http://127.0.0.1:9/"}';
  const relay = await relayWith({
    config: `forms: {f: {fields: [${fields.join(', ')}], outputs: [${output}]${more}}}`,
    env: {},
  });
  return (await relay.get(`/api/v1/form/f${as}`)).text;
}

/** The names of the form's controls, with brackets around those in one row. */
function rowsIn(html: string): string {
  const marks = html.matchAll(
    /<(\/?)(div|fieldset|section)\b([^>]*)>|<(?:input|select|textarea)[^>]* name="(\w+)"/g,
  );
  const open: boolean[] = [];
  let said = '';
  for (const [, end, tag, attributes, name] of marks) {
    if (name !== undefined) said += ` ${name}`;
    else if (tag && end) said += open.pop() ? ' ]' : '';
    else {
      open.push(attributes?.includes('"field-row"') ?? false);
      said += open.at(-1) ? ' [' : '';
    }
  }
  return said.trim();
}

const cases: readonly (readonly [why: string, fields: readonly string[], more: string, rows: string])[] = [
  ['consecutive ones', [half('a'), half('b'), '{name: c}', half('d')], '', '[ a b ] c [ d ]'],
  ['none across a note', [half('a'), '{note: Now}', half('b')], '', '[ a ] [ b ]'],
  [
    'none across the edge of a group',
    [half('a'), half('b'), half('c'), half('d')],
    ', groups: [{legend: G, fields: [b, c]}]',
    '[ a ] [ b c ] [ d ]',
  ],
  [
    'none across two steps',
    [half('a'), half('b'), half('c')],
    ', steps: [{title: One, fields: [a, b]}, {title: Two, fields: [c]}]',
    '[ a b ] [ c ]',
  ],
  [
    'with a hidden one between them, and none at the end',
    [
      '{name: x, type: hidden, width: half}',
      half('a'),
      '{name: y, type: hidden}',
      half('b'),
      '{name: z, type: hidden}',
    ],
    '',
    'x [ a y b ] z',
  ],
  [
    'with conditions',
    [half('a'), half('b', ', visible_when: {field: a, filled: true}'), '{name: c}'],
    '',
    '[ a b ] c',
  ],
];

test.each(cases)('a row contains consecutive narrow fields: %s', async (_, fields, more, rows) => {
  const html = await rendered(fields, { more, as: '?as=page' });
  expect(rowsIn(html)).toBe(rows);
  expect(await mistakesIn(html)).toEqual([]);
});
