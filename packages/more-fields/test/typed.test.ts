/** Numbers and dates in the digits of other scripts, through real HTTP. */
import { contact } from '../../../test/support/index.ts';

test.each(
  Object.entries({
    'type: number, step: 0.5':
      '４２ > 42 | ٤٢ > 42 | ۴۲ > 42 | \u200f٤٢\u200f > 42 | －１２．５ > -12.5 | −3 > -3 | ४२ > 42 | ١٬٠٠٠٫٥ > 1000.5 | １，０００．５ > 1000.5 | 42 > 42',
    'type: range, step: 5': '５０ > 50 | ٥٠ > 50 | ۵۰ > 50',
    'type: date, min: 2026-01-01':
      '２０２６-０２-０３ > 2026-02-03 | ２０２６－０２－０３ > 2026-02-03 | ٢٠٢٦-٠٢-٠٣ > 2026-02-03 | ۲۰۲۶-۰۲-۰۳ > 2026-02-03',
  }),
)('{%s} delivers ASCII digits', async (keys, rows) => {
  const form = await contact({ fields: `[{name: f, ${keys}}]` });
  for (const row of rows.split(' | ')) {
    const [value = '', delivered] = row.split(' > ');
    expect({ value, status: (await form.send(['f', value])).status }).toEqual({ value, status: 200 });
    expect({ value, got: form.delivered.at(-1) }).toEqual({ value, got: [['f', delivered]] });
  }
});

test.each(['10²', '½', '³½', '①', '٣x', '٣ ٤', '٤٢ €', '４２,５', '４２，５', '一'])(
  '%s is not a number',
  async (value) => {
    const form = await contact({ fields: '[{name: f, type: number, step: any}]' });
    expect((await form.send(['f', value])).status).toBe(422);
    expect(form.delivered).toEqual([]);
  },
);

test('a form with another error shows normalized values, because browsers show nothing else', async () => {
  const form = await contact({
    fields:
      '[{name: name, required: true}, {name: n, type: number}, {name: d, type: date}, {name: r, type: range}, {name: c, type: country}]',
  });
  const sent: [string, string][] = Object.entries({ n: '٤٢', d: '２０２６-０２-０３', r: '۵۰', c: 'de' });
  const { text } = await form.submit('contact', sent, { 'hx-request': 'true' });
  expect(text).toMatch(/name="n"[^>]* value="42"/);
  expect(text).toMatch(/name="d"[^>]* value="2026-02-03"/);
  expect(text).toMatch(/name="r"[^>]* value="50"/);
  expect(text).toMatch(/<option value="DE" selected/);
});

/** Fields of type tel with a country, through real HTTP. */

const fields = '[{name: f, type: tel, country: true}]';

test.each([
  ['030 901820', 'DE', '+4930901820'],
  [' 30901820 ', 'DE', '+4930901820'],
  ['+49 (0)30 901820', 'US', '+4930901820'],
  ['＋４９ ３０ ９０１８２０', '', '+4930901820'],
  ['\u202a+49 30 901820\u202c', '', '+4930901820'],
  ['0049 30 901820', '', '+4930901820'],
  ['011 49 30 901820', 'US', '+4930901820'],
  ['020 7946 0958', 'GB', '+442079460958'],
  ['+800 1234 5678', 'DE', '+80012345678'],
  ['030 901820 ext. 12', 'DE', '+4930901820;ext=12'],
  ['(+49) 30 901820', '', '+4930901820'],
  ['tel:+4930901820', '', '+4930901820'],
])('a number in the usual notation is delivered as E.164: %s in %s', async (typed, country, delivered) => {
  const form = await contact({ fields });
  expect((await form.send(['f', country], ['f', typed])).status).toBe(200);
  expect(form.delivered).toEqual([[['f', delivered]]]);
});

test.each([
  ['DE', '030 901820', '+4930901820'],
  ['DE', '+44 20 7946 0958', '+442079460958'],
  ['GB', '020 7946 0958', '+442079460958'],
])('a plain form with country: %s sends only %s', async (country, typed, delivered) => {
  const form = await contact({ fields: `[{name: f, type: tel, country: ${country}}]` });
  expect((await form.send(['f', typed])).status).toBe(200);
  expect(form.delivered).toEqual([[['f', delivered]]]);
  // The relay's own form asks for the country.
  expect((await form.send(['f', ''], ['f', '030 901820'])).status).toBe(422);
});

const wrong =
  'f: Enter a complete phone number for the chosen country, or one that starts with + and the country code.';
const unplaced = 'f: Choose the country of this phone number, or start it with + and the country code.';

test.each([
  ['1-800-FLOWERS', 'US', wrong],
  ['1-800-FLOWERS', '', unplaced],
  ['030 901820', '', unplaced],
  ['call 030 901820 please', 'DE', wrong],
  ['030 901820 030 901821', 'DE', wrong],
  ['+1 111 555 0123', 'US', wrong],
  ['9'.repeat(9_000), 'DE', wrong],
  ['030 901820', 'UK', 'f: Choose from the options.'],
  ['030 901820', 'XX', 'f: Choose from the options.'],
  ['030 901820;country=UK', 'DE', wrong],
])('rejects: %s in %s', async (typed, country, error) => {
  const form = await contact({ fields });
  expect(await form.send(['f', country], ['f', typed])).toMatchObject({ status: 422, json: { error } });
  expect(form.delivered).toEqual([]);
});

test('the typed number is shown again with its country, in the language of the form', async () => {
  const relay = await contact({ fields: '[{name: f, type: tel, country: AT}]', keys: 'language: de' });
  const first = (await relay.get('/api/v1/form/contact')).text;
  expect(first).toContain('<option value="AT" selected>Österreich (+43)<');
  const again = await relay.submit('contact', 'f=DE&f=030+%229', { 'hx-request': 'true' });
  expect(again.status).toBe(422);
  expect(again.text).toContain('<option value="DE" selected>Deutschland (+49)<');
  expect(again.text).toMatch(/value="030 &(quot|#34);9"/);
  expect(again.text.match(/name="f"/g)).toHaveLength(2);
});

test('JSON and archives have E.164, and people read the number in groups', async () => {
  const { submit, sink } = await contact({
    fields,
    outputs: '[{type: webhook, url: $origin/json, mapping: "*"}, {type: slack, url: $origin/chat}]',
    keys: 'bodies: [json]',
    answer: () => ({ body: 'ok' }),
  });
  const body = JSON.stringify({ f: '+49 30 901820 x12' });
  const answer = await submit('contact', body, { 'content-type': 'application/json' });
  expect(answer.status).toBe(200);
  expect(JSON.parse(sink.bodyAt('/json'))).toEqual({ f: '+4930901820;ext=12' });
  expect(sink.bodyAt('/chat')).toContain('+49 30 901820 ext. 12');
});

/** Typed fields with a single value that get several. Plain fields keep all values (SPEC: Field). */

test.each([
  ['{name: f, type: range}', 'f', '1', '2'],
  ['{name: f, type: tel, country: DE}', 'f', '+4930901820', '+4930901821'],
  ['{name: f, type: time}', 'f', '09:00', '10:00'],
  ['{name: f, type: datetime}', 'f', '2030-12-31T09:00', '2030-12-31T10:00'],
  ['{name: f, type: repeat, fields: [{name: n, type: number}]}', 'f.1.n', '1', '8'],
  ['{name: f, type: repeat, fields: [{name: n}]}', 'f.1.n', 'a', 'b'],
])('%s rejects a second value, and shows only the first', async (fields, name, first, second) => {
  const form = await contact({ fields: `[${fields}]` });
  expect((await form.send([name, first])).status).toBe(200);
  const sent: [string, string][] = [
    [name, first],
    [name, second],
  ];
  expect(await form.send(...sent)).toMatchObject({
    status: 422,
    json: { error: `${name}: Enter one value.` },
  });
  const page = await form.submit('contact', sent, { 'hx-request': 'true', accept: '*/*' });
  expect(page.text).toContain(`value="${first}"`);
  expect(page.text).not.toContain(`value="${second}"`);
});

test.each([
  ['{name: f, type: number}', ['1', '8']],
  ['{name: f, type: date}', ['2030-11-01', '2030-12-01']],
  ['{name: f, type: checkbox}', ['on', 'on']],
  ['{name: f, type: checkboxes, options: [1, 8]}', ['1', '8']],
])('%s accepts several values', async (fields, values) => {
  const form = await contact({ fields: `[${fields}]` });
  expect((await form.send(...values.map((value) => ['f', value] as const))).status).toBe(200);
  expect(form.delivered[0]?.filter(([name]) => name === 'f').map(([, value]) => value)).toEqual(values);
});
