/** `accept_undeclared`: which undeclared fields a form accepts, and which never. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectLogged, httpSink, relayWith, smtpSink, tempFolder } from '../../../test/support/index.ts';

const everywhere = '[{type: http_post, url: $sink/post, mapping: "*"}]';

async function open({ outputs = everywhere, fields = '[]', keys = '' } = {}) {
  const sink = await httpSink({ answer: () => ({ status: 200, body: 'ok' }) });
  const relay = await relayWith({
    config: `forms:
  contact:
    accept_undeclared: true
    ${keys.replaceAll('\n', '\n    ')}
    fields: ${fields}
    outputs: ${outputs.replaceAll('$sink', sink.origin)}`,
    env: { FORM_TOKEN_SECRET: 'f2a1c09d77e34b18a6d5' },
  });
  const post = (body: string, headers: Record<string, string> = {}, query = '') =>
    relay.post(`/api/v1/submit/contact${query}`, body, headers);
  const failures = () => relay.logged.filter(({ level }) => level === 'error');
  return { ...relay, sink, post, bodyAt: sink.bodyAt, failures };
}

const names = (count: number) => Array.from({ length: count }, (_, index) => `f${index}=x`).join('&');

test('names of programs, of features and of prototypes are ignored, and nothing breaks', async () => {
  const { post, bodyAt, failures } = await open({
    keys: `page: true
spam: {honeypot: website}
bodies: [json, multipart]`,
    fields: '[{name: guest, type: address}, {name: off, visible_when: {field: z, is: x}}, {name: z}]',
    outputs: '[{type: webhook, url: $sink/json, mapping: "*"}]',
  });
  const odd =
    '__proto__=1&_page_url=u&_subject=s&=nameless&a%0Ab=c&guest=g&off=o&z=&website=&constructor=c&toString=t&has=h&b=2&b=&b=3';
  expect([(await post(odd)).status, failures()]).toEqual([200, []]);
  expect(JSON.parse(bodyAt('/json'))).toEqual({ constructor: 'c', toString: 't', has: 'h', b: ['2', '3'] });
});

test('every output that sends all fields also sends these, in the order in which they were sent', async () => {
  const folder = tempFolder();
  const mail = await smtpSink();
  const { post, bodyAt, failures } = await open({
    fields: '[{name: name}]',
    outputs: `
      - {type: http_post, url: $sink/post, mapping: "*", static: {zip: fixed}}
      - {type: http_post, url: $sink/some, mapping: {to: town, n: name}, static: {t: '{{ .fields.town }}'}}
      - {type: webhook, url: $sink/json, mapping: "*"}
      - {type: webhook, url: $sink/body, body: {all: $fields}}
      - {type: webhook, url: $sink/static, static: {a: b}}
      - {type: slack, url: $sink/chat}
      - {type: smtp, host: 127.0.0.1, port: "${mail.port}", to: a@acme.example, mapping: "*"}
      - {type: smtp, host: 127.0.0.1, port: "${mail.port}", to: b@acme.example, mapping: "*", html: true}
      - {type: folder, path: ${folder}}`,
  });
  const answer = await post('zip=8000&town=Z%26rich&name=Ada&area=East&area=West&empty=');
  expect([answer.status, failures()]).toEqual([200, []]);
  expect(bodyAt('/post')).toBe('name=Ada&zip=fixed&town=Z%26rich&area=East&area=West');
  expect(bodyAt('/some')).toBe('n=Ada&t=Z%26rich&to=Z%26rich');
  expect(bodyAt('/json')).toBe('{"name":"Ada","zip":"8000","town":"Z&rich","area":["East","West"]}');
  expect(JSON.parse(bodyAt('/body')).all.at(-1)).toEqual({
    name: 'area',
    label: 'area',
    value: ['East', 'West'],
  });
  expect(bodyAt('/static')).toBe('{"a":"b"}');
  expect(bodyAt('/chat')).toMatch(/Ada.*zip.*8000.*town.*Z&rich.*area.*East.*West/s);
  const mailTo = (to: string) => mail.mails.find(({ envelope }) => envelope.to[0] === to)?.raw;
  expect(mailTo('a@acme.example')).toContain('name=Ada\r\nzip=8000\r\ntown=Z&rich\r\narea=East\r\narea=West');
  expect(mailTo('b@acme.example')).toMatch(/town.*Z&amp;rich/s);
  const [file = ''] = readdirSync(folder, { recursive: true })
    .map(String)
    .filter((one) => one.endsWith('.json'));
  const stored = JSON.parse(readFileSync(join(folder, file), 'utf8'));
  expect(stored.fields.map((one: { name: string }) => one.name)).toEqual(['name', 'zip', 'town', 'area']);
});

test.each([
  ['100 names', names(100), 200],
  ['101 names', names(101), 422],
  ['100 values of a name', 'a=1&'.repeat(100), 200],
  ['101 values of a name', 'a=1&'.repeat(101), 422],
  ['as many as a body holds', names(8_000), 422],
  ['10,000 bytes', `a=${'x'.repeat(10_000)}`, 200],
  ['10,001 bytes', `a=${'x'.repeat(10_001)}`, 422],
])('%s', async (_, body, status) => {
  const { post, sink } = await open();
  expect((await post(body)).status).toBe(status);
  expect(sink.requests).toHaveLength(status === 200 ? 1 : 0);
});

test('too many values are reported in each kind of response, and are not shown again', async () => {
  const { post } = await open({ keys: 'languages: [de]', fields: '[{name: name}]' });
  const said = 'Dieses Formular nimmt höchstens 100 Felder an. Lassen Sie einige weg.';
  const body = `name=Ada&${names(8_000)}`;
  expect((await post(body)).json).toEqual({ error: said });
  expect((await post(body, { 'hx-request': 'true' })).text).toContain(`<li>${said}</li>`);
  const page = (await post(body, {}, '?as=page')).text;
  expect(page).toContain(said);
  expect(page).toContain('value="Ada"');
  expect(page).not.toContain('f99');
  expect((await post(`${'n'.repeat(201)}=x`)).status).toBe(422);
  // Browsers send every empty control.
  expect((await post(names(200).replaceAll('x', ''))).status).toBe(200);
});

test('files are not accepted, and the log says so', async () => {
  const { request, bodyAt, logged } = await open({ keys: 'bodies: [multipart]' });
  const form = new FormData();
  form.set('note', 'hi');
  form.set('cv', new File(['x'], 'cv.txt'));
  expect((await request('/api/v1/submit/contact', { method: 'POST', body: form })).status).toBe(200);
  expect(bodyAt('/post')).toBe('note=hi');
  expect(logged.find(({ event }) => event === 'files_unknown')).toBeDefined();
});

test('a form that is shown again keeps them', async () => {
  const { post } = await open({ fields: '[{name: email, type: email}]' });
  const again = await post('email=ada&town=Bern', { 'hx-request': 'true' });
  expect(again.text).toContain('<input type="hidden" name="town" value="Bern">');
});

test('their text is scored for spam', async () => {
  const { post, sink } = await open({ keys: 'spam: {doubt: drop}' });
  const spam =
    'We offer SEO services and backlinks: https://a.example https://b.example. Buy viagra casino crypto now! Reply for a free quote.';
  await post(new URLSearchParams({ comment: spam }).toString());
  expect(sink.requests).toHaveLength(0);
});

test('the log never contains their names, because visitors choose them', async () => {
  const { post, logged } = await open({ keys: 'spam: {doubt: {drop: 1}}' });
  const name = `my card 4111 ${'x'.repeat(200)}`;
  expect((await post(`${encodeURIComponent(name)}=1`)).status).toBe(422);
  await post('my+card+4111=https://x.example');
  expect(logged).toContainEqual(expect.objectContaining({ fields: ['(undeclared)'] }));
  expectLogged({ logged }, { reason: expect.stringContaining('an undeclared field') });
  expect(JSON.stringify(logged)).not.toContain('4111');
});
