import { config, form } from '../support/config.ts';
import { relayWith } from '../support/index.ts';
import { controlIn, tagsIn } from './read.ts';

const fields = [
  ...['name!', 'email:email', 'message:textarea', 'page:hidden'],
  { name: 'greeting', value: 'initial' },
  { name: 'topic', type: 'checkboxes', options: ['sales', 'press', 'jobs'] },
  { name: 'langs', type: 'select', multiple: true, options: ['de', 'fr', 'it'] },
];

async function staged() {
  const relay = await relayWith({ config: config({ plain: { fields } }) });
  const shown = async (path: string) => (await relay.get(`/api/v1/form/${path}`)).text;
  return { relay, form: shown };
}

test.each([
  ['a script that asks for HTML', { accept: 'text/html', 'sec-fetch-mode': 'cors' }, '<form '],
  ['a browser that goes there', { accept: 'text/html', 'sec-fetch-mode': 'navigate' }, '<!doctype html>'],
  ['whoever does not say how it comes', { accept: 'text/html' }, '<form '],
])('%s gets a suitable format', async (_, headers, start) => {
  const { relay } = await relayWith({ config: form({}) });
  const { body, headers: answered } = await relay.handle({
    method: 'GET',
    path: '/api/v1/form/contact',
    query: '',
    headers,
    body: Buffer.alloc(0),
  });
  expect(answered.vary?.toLowerCase()).toContain('sec-fetch-mode');
  expect(body.slice(0, start.length).toLowerCase()).toBe(start);
});

test.each([{}, { 'HX-Request': 'true' }, { Accept: 'application/json' }] as Record<string, string>[])(
  'is the same fragment for a request with %j',
  async (headers) => {
    const { relay, form } = await staged();
    expect((await relay.get('/api/v1/form/plain', headers)).text).toBe(await form('plain'));
  },
);

describe('from_query: false', () => {
  const config = form({
    fields: [
      { name: 'dept', type: 'hidden', value: 'sales', from_query: false },
      'name',
      { name: 'why', visible_when: { field: 'dept', is: 'jobs' } },
    ],
  });
  const query = '?dept=jobs&name=Ann';

  test.each(['', '&as=page'])('keeps a link out%s, and no other field', async (as) => {
    const { get } = await relayWith({ config });
    const { text } = await get(`/api/v1/form/contact${query}${as}`, { 'sec-fetch-mode': 'navigate' });
    expect(controlIn(text, 'dept').attributes.value).toBe('sales');
    expect(controlIn(text, 'name').attributes.value).toBe('Ann');
  });

  test('keeps the form’s own parameters, and submitted values', async () => {
    const { get, submit } = await relayWith({ config });
    const { text: first } = await get('/api/v1/form/contact');
    const slot = tagsIn(first).find(({ attributes }) => attributes.id?.endsWith('-slot'))?.attributes.id;
    const headers = { 'hx-request': 'true', 'hx-target': slot ?? '' };
    const { text } = await get(`/api/v1/form/contact${query}`, headers);
    expect(controlIn(text, 'dept').attributes.value).toBe('jobs');
    const tooLong = Object.entries({ dept: 'jobs', name: 'x'.repeat(10_001) });
    const again = await submit('contact', tooLong, { 'hx-request': 'true' });
    expect(controlIn(again.text, 'dept').attributes.value).toBe('jobs');
  });
});

describe('the query fills in the fields', () => {
  test.each([
    ['name=Ann+Lee', 'name', 'Ann Lee'],
    ['name=%C3%84nn%20%3C%22%26%27%3E', 'name', `Änn <"&'>`],
    ['page=%2Fpricing', 'page', '/pricing'],
    ['', 'greeting', 'initial'],
    ['greeting=other', 'greeting', 'other'],
    ['greeting=', 'greeting', undefined],
    ['nosuch=x', 'name', undefined],
    ['name', 'name', undefined],
  ])('?%s: %s contains %j', async (query, name, value) => {
    const { form } = await staged();
    expect(controlIn(await form(`plain?${query}`), name).attributes.value).toBe(value);
  });

  test('a repeated key chooses several options', async () => {
    const { form } = await staged();
    const markup = await form('plain?topic=sales&langs=fr&topic=jobs&langs=de&topic=nosuch');
    const chosen = tagsIn(markup).filter(
      ({ attributes: { checked, selected } }) => (checked ?? selected) !== undefined,
    );
    expect(chosen.map(({ attributes }) => attributes.value)).toEqual(['sales', 'jobs', 'de', 'fr']);
  });

  test('a malformed query is ignored', async () => {
    const { form } = await staged();
    expect(await form('plain?name=%zz')).toBe(await form('plain'));
  });

  test('nothing is validated', async () => {
    const { form } = await staged();
    expect(await form('plain?email=no-address')).not.toMatch(/field-error|aria-invalid/);
  });
});
