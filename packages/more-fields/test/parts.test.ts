/** Fields of type address, through real HTTP. */
import { contact, decodeMail, httpSink, relayWith, smtpSink } from '../../../test/support/index.ts';
import { sealLink } from '../../senders/src/links/sealed_link.ts';

const german = '[{name: to, type: address, label: Delivery address, required: true, countries: [DE]}]';
const anywhere = '[{name: to, type: address, required: true}]';

const berlin = [
  ['to.country', 'DE'],
  ['to.line1', 'Hauptstraße 1'],
  ['to.city', 'Berlin'],
] as const;

/** The delivered value. */
async function taken(fields: string, ...values: (readonly [string, string])[]) {
  const form = await contact({ fields });
  const answer = await form.send(...values);
  const [value] = form.delivered[0]?.find(([name]) => name === 'to')?.slice(1) ?? [];
  return answer.status === 200 ? value && JSON.parse(value) : answer.json;
}

describe('an address', () => {
  test('is delivered as one value, in one order', async () => {
    const sent = [
      ['to.postal_code', 'sw1a 1aa'],
      ['to.region', 'Greater London'],
    ] as const;
    expect(JSON.stringify(await taken(anywhere, ...sent, ...berlin, ['to.line2', 'c/o Ada']))).toBe(
      '{"country":"DE","line1":"Hauptstraße 1","line2":"c/o Ada","city":"Berlin","region":"Greater London","postal_code":"sw1a 1aa"}',
    );
  });

  test('is in one of the config’s countries', async () => {
    const [, ...inBerlin] = berlin;
    expect(await taken(german, ...inBerlin, ['to.country', 'FR'])).toEqual({
      error: 'to.country: Choose from the options.',
    });
    expect(await taken(german, ...inBerlin, ['to.country', 'de'])).toMatchObject({ country: 'DE' });
    const optional = german.replace('required: true, ', '');
    expect(await taken(optional, ['to.country', 'DE'])).toBeUndefined();
    const form = await contact({ fields: `${german}, bodies: [json]` });
    const send = (country: string) => {
      const to = { line1: 'Hauptstraße 1', postal_code: '10115', city: 'Berlin', country };
      const headers = { 'content-type': 'application/json', accept: 'application/problem+json' };
      return form.submit('contact', JSON.stringify({ to }), headers);
    };
    expect((await send('FR')).json).toMatchObject({
      errors: [{ field: 'to.country', label: 'Delivery address, Country', pointer: '/to/country' }],
    });
    expect((await send('DE')).status).toBe(200);
  });

  test('must be complete once the visitor has started it', async () => {
    const fields = '[{name: to, type: address}]';
    expect(await taken(fields, ['to.country', 'DE'], ['to.postal_code', '10115'])).toEqual({
      error: 'to.line1: Enter your street address. to.city: Enter your town or city.',
    });
    expect(await taken(fields, ...berlin)).toMatchObject({ city: 'Berlin' });
    expect(await taken(anywhere)).toEqual({
      error:
        'to.country: Choose your country. to.line1: Enter your street address. to.city: Enter your town or city.',
    });
  });

  test('is written in mails as on an envelope', async () => {
    const mails = await smtpSink();
    const outputs = `[{type: smtp, host: localhost, port: ${mails.port}, to: a@b.example, mapping: "*"}]`;
    const form = await contact({ fields: anywhere, outputs });
    const more = [
      ['to.postal_code', '10115'],
      ['to.region', 'BE'],
    ] as const;
    expect((await form.send(...berlin, ...more)).status).toBe(200);
    const { text } = decodeMail(mails.mails[0]?.raw ?? '');
    expect(text).toMatch(/Hauptstraße 1\n\tBerlin BE\n\t10115\n\tGermany/);
  });
});

const page = async (fields: string, language = 'en', query = '') => {
  const relay = await relayWith({
    config: `forms: {order: {languages: [en, ${language === 'en' ? 'de' : language}], fields: ${fields}, outputs: [{type: http_post, url: "http://127.0.0.1/"}]}}`,
  });
  return (await relay.get(`/api/v1/form/order?lang=${language}${query}`)).text;
};

const controls = (text: string) => [...text.matchAll(/ name="(to[^"]*)"/g)].map(([, name]) => name);

describe('in HTML', () => {
  test('the parts have autofill tokens, and a single country is preselected', async () => {
    const text = await page(german.replace('required', 'autocomplete: shipping, required'));
    const order = ['to.country', 'to.line1', 'to.line2', 'to.city', 'to.region', 'to.postal_code'];
    expect(controls(text)).toEqual(order);
    expect(text).toContain('autocomplete="shipping address-level2"');
    expect(text).toMatch(
      /<fieldset class="field field-parts field-address"[^>]*>\s*<legend>Delivery address/,
    );
    expect(text).toContain('<option value="DE" selected>');
    expect(await page(anywhere)).not.toMatch(/<option value="[A-Z]+" selected/);
  });

  test('browsers require the parts that every address needs', async () => {
    const text = await page(anywhere);
    const demanded = [...text.matchAll(/<(?:input|select)[^>]* name="(to[^"]*)"[^>]* required/g)];
    expect(demanded.map(([, name]) => name)).toEqual(['to.country', 'to.line1', 'to.city']);
  });
});

/** Fields of type grid, through real HTTP. */

const rows =
  'rows: [speed, {value: price.tag, label: Price}, __proto__], options: [{value: bad, label: Poor}, good]';
const fields = (keys = '') => `[{name: rated, type: grid, ${rows}${keys}}]`;

async function takenGrid(field: string, ...values: (readonly [string, string])[]) {
  const form = await contact({ fields: field });
  const answer = await form.send(...values);
  return answer.status === 200 ? form.delivered : answer.json;
}

test('the answers are delivered as one value, in the order of the rows', async () => {
  expect(
    await takenGrid(
      fields(),
      ['rated.price.tag', 'good'],
      ['rated.speed', 'bad'],
      ['rated.__proto__', 'bad'],
    ),
  ).toEqual([[['rated', '{"speed":"bad","price.tag":"good","__proto__":"bad"}']]]);
  expect(await takenGrid(fields(), ['rated.speed', ''])).toEqual([[]]);
});

test('unknown rows are ignored, and unknown options are rejected at their row', async () => {
  expect(
    await takenGrid(
      fields(),
      ['rated.taste', 'good'],
      ['rated', '{"speed":"good"}'],
      ['rated.speed', 'good'],
    ),
  ).toEqual([[['rated', '{"speed":"good"}']]]);
  expect(await takenGrid(fields(), ['rated.speed', 'Poor'])).toEqual({
    error: 'rated.speed: Choose from the options.',
  });
  expect(await takenGrid(fields(), ['rated.speed', 'bad'], ['rated.speed', 'good'])).toEqual({
    error: 'rated.speed: Choose one option.',
  });
});

test('each row must be answered if the grid is required', async () => {
  expect(await takenGrid(fields(', required: true'), ['rated.speed', 'bad'])).toEqual({
    error: 'rated.price.tag: Choose an option. rated.__proto__: Choose an option.',
  });
});

test('several options of a row are a list', async () => {
  expect(await takenGrid(fields(', several: true'), ['rated.speed', 'bad'], ['rated.speed', 'good'])).toEqual(
    [[['rated', '{"speed":["bad","good"]}']]],
  );
});

test('each row is a group with its own name, in a table whose header is only visual', async () => {
  const relay = await relayWith({
    config: `forms: {survey: {fields: ${fields(', required: true')}, outputs: [{type: http_post, url: "http://127.0.0.1/"}]}}`,
  });
  const { text } = await relay.get('/api/v1/form/survey?rated.speed=good');
  expect(text).toMatch(
    /<fieldset class="field" role="radiogroup" aria-required="true"[^>]*>\s*<legend>Price/,
  );
  expect(text).toMatch(/<div class="grid-head" aria-hidden="true" hidden>/);
  expect(text).toMatch(/name="rated\.speed" value="good" checked/);
});

test('errors name the grid, because another grid may have the same rows', async () => {
  const labelled = fields(', label: How was it?, required: true');
  const form = await contact({ fields: labelled });
  const sent: [string, string][] = [['rated.price.tag', 'bad']];
  expect((await form.submit('contact', sent, { 'hx-request': 'true' })).text).toContain('How was it?, speed');
  const { json } = await form.submit('contact', sent, { accept: 'application/problem+json' });
  expect(json).toMatchObject({ errors: [{ label: 'How was it?, speed' }, {}] });
});

/** Fields with several parts in an owner's links: locked values stay, and others can be changed. */

const env = { FORM_TOKEN_SECRET: 'not so secret' };

async function open(locked: readonly string[], more: readonly (readonly [string, string[]])[] = []) {
  const sink = await httpSink();
  const relay = await relayWith({
    env,
    config: `forms: {order: {links: required, fields: [{name: name}, {name: to, type: address, countries: [DE]},
      {name: guests, type: repeat, fields: [{name: who}, {name: age, type: number}, {name: vegan, type: checkbox, checked_value: "yes"}]},
      {name: m, type: grid, rows: [x, y], options: [u, v]}],
      outputs: [{type: webhook, url: "${sink.origin}/", mapping: "*"}]}}`,
  });
  const values = new Map([
    ['to', ['{"country":"DE","line1":"X 1","city":"Berlin","postal_code":"10115"}']],
    ['guests', ['[{"who":"Bob","age":3,"vegan":true}]']],
    ['m', ['{"x":"u"}']],
    ...more,
  ]);
  const link = { until: Date.now() + 3_600_000, values, locked };
  return { relay, sink, fill: sealLink(env.FORM_TOKEN_SECRET, 'order', link, 'fresh') };
}

const forged = { 'guests.1.who': 'Mallory', 'guests.2.who': 'Eve', 'to.city': 'Paris', 'm.x': 'v', to: '{}' };

test('locked ones are delivered, whatever is sent', async () => {
  const { relay, sink, fill } = await open(['to', 'guests', 'm']);
  const page = (await relay.get(`/api/v1/form/order?as=page&fill=${fill}`)).text;
  expect(page).toContain('name="guests.1.who" value="Bob"');
  expect(page).toContain('Berlin');
  for (const sent of [{}, forged]) {
    const answer = await relay.submit('order', Object.entries<string>({ name: 'Ada', fill, ...sent }));
    expect(answer.status).toBe(200);
    expect(JSON.parse(sink.requests.at(-1)?.bytes.toString() ?? '')).toEqual({
      name: 'Ada',
      to: { line1: 'X 1', city: 'Berlin', postal_code: '10115', country: 'DE' },
      guests: [{ who: 'Bob', age: 3, vegan: true }],
      m: { x: 'u' },
    });
  }
});

test('others are filled in, and can be changed', async () => {
  const { relay, fill } = await open([]);
  const page = (await relay.get(`/api/v1/form/order?as=page&fill=${fill}`)).text;
  expect(page).toMatch(/name="to.city"[^>]* value="Berlin"/);
  expect(page).toMatch(/name="guests.1.who"[^>]* value="Bob"/);
  expect(page).toMatch(/name="m.x"[^>]* value="u"[^>]* checked/);
});

test('a locked value from before its field had parts is dropped', async () => {
  const { relay, sink, fill } = await open(['to'], [['to', ['X 1, Berlin']]]);
  expect((await relay.get(`/api/v1/form/order?as=page&fill=${fill}`)).status).toBe(200);
  const answer = await relay.submit('order', Object.entries<string>({ name: 'Ada', fill, ...forged }));
  expect([answer.status, sink.requests[0]?.bytes.toString()]).toEqual([
    200,
    expect.not.stringContaining('Paris'),
  ]);
});
