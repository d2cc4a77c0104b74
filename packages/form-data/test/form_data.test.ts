import fc from 'fast-check';
import { holds, runs } from '../../../test/support/fuzz.ts';
import { startRelay } from '../../../test/support/relay.ts';
import { sealLink } from '../../senders/src/links/sealed_link.ts';
import { ajv, bodyOf, fill, type Schema, type Values } from './assistant.ts';
import { startTemplates } from './templates.ts';

const secret = 'q7Zk2mVr9sLd4kTz8wBnX5cF';
const all = await startTemplates();
afterAll(all.close);
const { relay, names } = all;

const schemaOf = async (name: string, query = ''): Promise<Schema> => {
  const answer = await relay.get(`/api/v1/form/${name}?as=json${query}`);
  expect(answer.status).toBe(200);
  return answer.json as Schema;
};

const submissions = () => relay.logged.filter(({ event }) => event === 'submission');

describe('a program that knows only the schema', () => {
  test.each(names)('fills in and sends %s', async (name) => {
    for (const pick of [() => 0, (most: number) => most - 1]) {
      const schema = await schemaOf(name);
      const values = fill(schema, pick);
      expect(ajv.validate(schema, values)).toBe(true);
      const body = bodyOf(values, schema);
      const answer = await relay.request(schema['x-form']?.submit ?? '', { method: 'POST', body });
      expect([answer.status, answer.json]).toEqual([200, { message: 'ok' }]);
      const outcome = name === 'newsletter' ? 'held' : 'delivered';
      expect(submissions().at(-1)).toMatchObject({ form: name, outcome });
    }
  });
});

const rich = {
  title: { en: 'Everything', de: 'Alles' },
  languages: ['en', 'de'],
  bodies: ['json'],
  fields: [
    {
      name: 'kind',
      type: 'radios',
      required: true,
      options: ['private', 'business', { value: 'x', label: { en: 'Else', de: 'Sonst' } }],
    },
    { name: 'company', required: true, max_length: 12, visible_when: { field: 'kind', is: 'business' } },
    { name: 'vat', required_when: { field: 'company', is: ['Acme', 'a+b'] }, pattern: '[A-Z]{2}[0-9]+' },
    { name: 'age', type: 'number', min: 0.5, max: 99, step: 0.5 },
    {
      name: 'guardian',
      type: 'email',
      required: true,
      visible_when: { all: [{ field: 'age', at_most: 17.5 }, { not: { field: 'kind', is: 'x' } }] },
    },
    {
      name: 'note',
      type: 'textarea',
      required: true,
      min_length: 3,
      visible_when: {
        any: [
          { field: 'guardian', filled: true },
          { field: 'vat', matches: 'DE.*' },
        ],
      },
    },
    { name: 'site', type: 'url' },
    { name: 'day', type: 'date', label: { en: 'Day', de: 'Tag' }, help: { en: 'When?', de: 'Wann?' } },
    { name: 'at', type: 'time' },
    { name: 'when', type: 'datetime' },
    { name: 'topics', type: 'checkboxes', options: ['a', 'b', 'c'], min_choices: 2 },
    { name: 'why', required: true, visible_when: { field: 'topics', contains: 'c' } },
    { name: 'stars', type: 'rating' },
    { name: 'where', type: 'country', countries: ['DE', 'FR'] },
    { name: 'terms', type: 'consent', label: { en: 'I agree', de: 'Ich stimme zu' }, required: false },
    {
      name: 'guests',
      type: 'repeat',
      most: 3,
      fields: [
        { name: 'name', required: true },
        { name: 'size', type: 'select', options: ['S', 'L'] },
      ],
    },
    { name: 'views', type: 'grid', rows: ['food', 'music'], options: ['bad', 'good'] },
    { name: 'home', type: 'address', countries: ['DE', 'FR'] },
    { name: 'phone', type: 'tel' },
    { name: 'mail', type: 'email' },
  ],
  groups: [{ legend: 'Reach', fields: ['phone', 'mail'], required: 'one' }],
  time_zone: 'UTC',
  outputs: [],
};

const odd = [
  '',
  ' ',
  'x',
  'Acme',
  'a+b',
  'DE12',
  'c',
  'private',
  'business',
  'ada@b',
  'ftp://x',
  'https://é.fr/',
  '2031-02-30',
  '24:00',
  0,
  0.3,
  17.5,
  1e21,
  -3,
  true,
  null,
  [],
  ['c'],
  ['a', 'b'],
  ['b', 'c'],
  [{}],
  [{ name: 'Bo' }],
  [{ size: 'S' }],
  {},
  { food: 'good' },
  { country: 'DE', line1: 'x', city: 'y' },
];

const good: Values = { kind: 'business', guardian: 'ada@example.org', guests: [{ name: 'Bo' }] };

test('the relay accepts everything that JSON Schema accepts', async () => {
  const [output] = [{ type: 'http_post', url: all.http.origin }];
  const own = await startRelay({
    config: JSON.stringify({ forms: { rich: { ...rich, outputs: [output] } } }),
  });
  const schema = (await own.get('/api/v1/form/rich?as=json')).json as Schema;
  const isValid = ajv.compile(schema);
  const names = Object.keys(schema.properties ?? {});
  let taken = 0;
  const mutation = fc.tuple(fc.constantFrom(...names), fc.constantFrom(undefined, ...odd));
  await holds(
    runs(600, 0.1),
    [fc.infiniteStream(fc.nat(6)), fc.array(mutation, { maxLength: 4 })],
    async (stream, mutations) => {
      const next = stream[Symbol.iterator]();
      const values = { ...fill(schema, (most) => Number(next.next().value) % most) };
      for (const [name, value] of mutations) Object.assign(values, { [name]: value });
      const sent = JSON.parse(JSON.stringify(values));
      // Corrects the values that the schema rejects.
      for (let tries = 0; tries < 4 && !isValid(sent); tries += 1)
        for (const { instancePath, keyword, params } of isValid.errors ?? []) {
          const [, name] = instancePath.split('/');
          if (name) delete sent[name];
          else if (keyword === 'required')
            sent[params.missingProperty] = good[params.missingProperty] ?? 'DE12';
        }
      if (!isValid(sent)) return;
      taken += 1;
      const headers = { 'content-type': 'application/json' };
      const answer = await own.post('/api/v1/submit/rich', JSON.stringify(sent), headers);
      expect([answer.status, answer.text, sent]).toEqual([200, '{"message":"ok"}', sent]);
    },
  );
  expect(taken).toBeGreaterThan(100);
  await own.close();
});

describe('the form as data', () => {
  const base = {
    fields: [{ name: 'name' }],
    outputs: [{ type: 'http_post', url: 'https://crm.example.com/' }],
  };
  const forms = {
    rich: { ...rich, outputs: base.outputs },
    closed: { ...base, opens: '2999-01-01', time_zone: 'UTC' },
    named: { ...base, fields: [{ name: 'as' }] },
    slow: { ...base, confirmation: 'Your code is 4711.', spam: { min_fill_seconds: 2 } },
    linked: { ...base, links: 'optional' },
  };

  test('is the form as its visitor would currently see it', async () => {
    const own = await startRelay({ config: JSON.stringify({ forms }), env: { FORM_TOKEN_SECRET: secret } });
    const data = (path: string) => own.get(`/api/v1/form/${path}`);
    const schema = (await data('rich?as=json&kind=x&day=2031-01-02')).json as Schema;
    expect([schema.properties?.kind, schema.properties?.day]).toMatchObject([
      { default: 'x' },
      { default: '2031-01-02' },
    ]);
    // Texts of the other language, by their place.
    const german = (await data('rich?as=json&lang=de')).json as Schema;
    expect(german.title).toBe('Alles');
    for (const [pointer, text] of Object.entries(schema['x-texts']?.de ?? {})) {
      const found = pointer
        .slice(1)
        .split('/')
        .reduce<unknown>((one, key) => Reflect.get(one as object, key), german);
      expect(found).toBe(text);
    }
    expect(schema['x-texts']?.de).toMatchObject({
      '/title': 'Alles',
      '/properties/day/description': 'Wann?',
    });
    // Consent applies to the wording that the visitor has read.
    expect(german.properties?.terms?.const).not.toBe(schema.properties?.terms?.const);
    expect((await data('closed?as=json')).status).toBe(403);
    expect((await data('closed?as=json')).json).toHaveProperty('error');
    const slow = (await data('slow?as=json')).json as Schema;
    expect(slow['x-form']?.token).toEqual({ name: '_ts', value: expect.any(String), wait_ms: 2_000 });
    // A confirmation may contain information that only senders may get.
    expect(JSON.stringify(slow)).not.toContain('4711');
    const unsafe = await startRelay({ config: JSON.stringify({ forms: { slow: forms.slow } }) });
    expect((await unsafe.get('/api/v1/form/slow?as=json')).status).toBe(500);
    await unsafe.close();
    expect((await data('none?as=json')).status).toBe(404);
    // A query parameter fills in a field of this name first.
    for (const path of ['named?as=json', 'rich?as=JSON', 'rich?was=json'])
      expect((await data(path)).headers.get('content-type')).toContain('text/html');
    const sealed = sealLink(
      secret,
      'linked',
      { until: Date.now() + 60_000, values: new Map([['name', ['Ada']]]), locked: ['name'] },
      'x',
    );
    const linked = (await data(`linked?as=json&fill=${sealed}`)).json as Schema;
    expect(linked.properties?.name).toMatchObject({ const: 'Ada', readOnly: true });
    expect(linked['x-form']).toMatchObject({ inputs: { fill: sealed } });
    await own.close();
  });
});
