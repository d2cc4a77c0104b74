import { createRelay, startRelay, type TestRelay, untilEnd } from '../../../../test/support/index.ts';
import { mistakesIn } from '../../../../test/support/validate.ts';
import { everyField } from './every_field.ts';

const relayWith = (config: string) =>
  untilEnd(
    startRelay({
      config: config.replaceAll('$sink', 'http://127.0.0.1:9/'),
      env: { FORM_TOKEN_SECRET: 'not so secret' },
    }),
  );

/** A form with these fields, as rendered by GET with this query, and by a failed submission of this body. */
async function rendered(fields: string, { query = '', body }: { query?: string; body?: string } = {}) {
  const relay = await relayWith(
    `forms: {f: {fields: [${fields}], outputs: [{type: http_post, url: $sink}]}}`,
  );
  const answer =
    body === undefined
      ? await relay.get(`/api/v1/form/f?${query}`)
      : await relay.submit('f', body, { 'hx-request': 'true' });
  return answer.text;
}

/** The form's own page, as a browser navigates to it; `fetch` sends another mode. */
async function pageOf({ relay }: TestRelay, form: string) {
  const { status, body } = await relay.handle({
    method: 'GET',
    path: `/api/v1/form/${form}`,
    query: '',
    headers: { 'sec-fetch-mode': 'navigate' },
    body: Buffer.alloc(0),
  });
  return { status, text: body };
}

test('a form and its page, with every field type, are valid HTML, with and without errors', async () => {
  const relay = await relayWith(
    `forms:${everyField.replace('title:', 'redirect: https://example.com\n    title:')}`,
  );
  const page = { accept: 'text/html' };
  const htmx = { 'hx-request': 'true' };
  const { text: token } = await relay.get('/api/v1/token/every_field');
  relay.advance(3_000);
  const wrong = `_ts=${/value="(.*)"/.exec(token)?.[1]}&email=x&website=x&seats=x&day=x&country=x&kind=business&topics=x&phone=x&message=x`;
  const answers = await Promise.all([
    relay.get('/api/v1/form/every_field'),
    pageOf(relay, 'every_field'),
    relay.get('/api/v1/token/every_field'),
    relay.submit('every_field', wrong, htmx),
    relay.submit('every_field', wrong, page),
    relay.submit('every_field', 'nickname=x', htmx),
    relay.submit('every_field', '%', htmx),
    relay.submit('every_field', '%', page),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 422, 422, 200, 400, 400]);
  expect(answers[3]?.text.match(/class="field-error"/g)).toHaveLength(18);
  for (const { text } of answers) expect(await mistakesIn(text)).toEqual([]);
});

const chained =
  '{name: kind}, {name: opt, type: checkbox, value: "on", visible_when: {field: kind, filled: true}}, ' +
  '{name: detail, visible_when: {field: opt, filled: true}}';

test.each([
  ['kind=a', 'form-f--kind--slot', true],
  ['kind=a&opt=', 'form-f--kind--slot', false],
  ['kind=a', 'form-f--opt--slot', false],
  ['kind=a&opt=on', 'form-f--opt--slot', true],
])(
  'an unticked box remains unticked in a chain of conditions: ?%s, decided by %s',
  async (query, target, isThere) => {
    const relay = await relayWith(
      `forms: {f: {fields: [${chained}], outputs: [{type: http_post, url: $sink}]}}`,
    );
    const { text } = await relay.get(`/api/v1/form/f?${query}`, {
      'hx-request': 'true',
      'hx-target': target,
    });
    expect(text.includes('name="detail"')).toBe(isThere);
  },
);

test('a field in the form asks which fields to show; a new field has its initial value', async () => {
  const fields =
    '{name: more, type: checkbox, value: "on"}, {name: extra, value: initial, visible_when: {field: more, is: "on"}}';
  const relay = await relayWith(
    `forms: {f: {fields: [${fields}], outputs: [{type: http_post, url: $sink}]}}`,
  );
  const slots: readonly string[] = ['form-f--more--slot', 'div#form-f--more--slot'];
  const headers = (target: string) => ({ 'hx-request': 'true', 'hx-target': target });
  for (const target of slots) {
    expect((await relay.get('/api/v1/form/f', headers(target))).text).not.toContain('name="extra"');
    expect((await relay.get('/api/v1/form/f?more=on', headers(target))).text).toContain(
      'name="extra" value="initial"',
    );
  }
  expect((await relay.get('/api/v1/form/f')).text).toContain('name="extra" value="initial"');
});

test('ids are unique for any names', async () => {
  const text = await rendered(
    [
      '{name: a, help: h, required: true, type: radios, options: [x, y, z]}',
      ...[
        ...['a-2', 'a--2', 'a_2d_2', 'a--help', 'a--error', 'a-help', 'a 2', 'a_2', '-', '--status', 'ä'],
        ...['a--slot'],
      ].map((name) => `{name: "${name}", required: true, help: h}`),
    ].join(', '),
    { body: '' },
  );
  const ids = [...text.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
  expect(ids).toHaveLength(1 + 5 + 12 * 3);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => !/^[A-Za-z][\w-]*$/.test(id ?? ''))).toEqual([]);
});

test('an error list is shown next to the typed values if the form is known to be the target', async () => {
  const relay = await relayWith('forms: {"a b": {fields: [], outputs: [{type: http_post, url: $sink}]}}');
  const to = async (target?: string) => {
    const headers = { 'hx-request': 'true', ...(target && { 'hx-target': target }) };
    return (await relay.submit('a b', '%', headers)).headers.get('hx-retarget');
  };
  expect(await to('form-a-20_b')).toBe('find .form-status');
  expect(await to('form#form-a-20_b')).toBe('find .form-status');
  expect(await to('elsewhere')).toBe(null);
  expect(await to()).toBe(null);
});

const publicUrl = 'https://forms.example.com';
const crossSite = { 'sec-fetch-site': 'cross-site', host: 'b.test' };

/** A request's headers, the start of the addresses in a form shown again, and the same if PUBLIC_URL is set. */
const addresses: readonly [what: string, headers: Record<string, string>, base: string, known: string][] = [
  ['its own page', { 'sec-fetch-site': 'same-origin', origin: 'http://a.test', host: 'b.test' }, '', ''],
  ['no page at all', { 'sec-fetch-site': 'none', host: 'b.test' }, '', ''],
  ['an old browser’s own page', { origin: 'http://b.test', host: 'b.test' }, '', ''],
  [
    'an old browser’s own page behind a proxy',
    { origin: 'https://b.test', host: '10.0.0.1', 'x-forwarded-host': 'b.test' },
    '',
    '',
  ],
  ['a page of another origin', { ...crossSite, origin: 'http://a.test' }, '//b.test', publicUrl],
  ['an old browser’s page elsewhere', { origin: 'http://a.test', host: 'b.test' }, '//b.test', publicUrl],
  [
    'a page of another origin, through a proxy that says so',
    {
      'sec-fetch-site': 'same-site',
      origin: 'http://a.test',
      host: '10.0.0.1',
      'x-forwarded-host': 'b.test, c.test',
      'x-forwarded-proto': 'https',
    },
    'https://b.test',
    publicUrl,
  ],
  ['a page from a file', { ...crossSite, origin: 'null' }, 'http://b.test', publicUrl],
  ['no host', { origin: 'http://a.test', host: 'b.test', 'x-forwarded-host': '"><b>' }, '', publicUrl],
  [
    'a browser without script that came from another origin',
    { 'sec-fetch-site': 'cross-site', origin: 'null', host: 'b.test', accept: 'text/html', 'hx-request': '' },
    '',
    '',
  ],
];

test.each(addresses)('a form shown again submits to the relay, from %s', async (_, headers, base, known) => {
  const baseWith = async (env: Record<string, string>) => {
    const output = '{type: http_post, url: "http://127.0.0.1:9/"}';
    const form = `{redirect: "https://example.com", fields: [{name: a, required: true}], outputs: [${output}]}`;
    const relay = createRelay({ env, config: `forms: {f: ${form}}`, effects: { log: () => {} } });
    onTestFinished(relay.close);
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const { body } = await relay.handle({
      method: 'POST',
      path: '/api/v1/submit/f',
      mountPath: '/stage',
      query: '',
      headers: { 'hx-request': 'true', ...type, ...headers },
      body: new Uint8Array(),
    });
    return / action="([^"]*)\/stage\/api\/v1\/submit\/f(?:\?as=page)?"/.exec(body)?.[1];
  };
  expect(await baseWith({})).toBe(base);
  expect(await baseWith({ PUBLIC_URL: `${publicUrl}/` })).toBe(known);
});
