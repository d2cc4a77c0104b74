/** JSON bodies, over HTTP. */

import { form, post } from '../../../test/support/config.ts';
import { type HttpSink, relayWith, startHttpSink } from '../../../test/support/index.ts';
import { startRelay, type TestRelay } from '../../../test/support/relay.ts';

let sink: HttpSink;
let relay: TestRelay;
beforeAll(async () => {
  sink = await startHttpSink();
  const to = `outputs: [{type: http_post, url: "${sink.origin}/", mapping: "*"}]`;
  relay = await startRelay({
    env: { FORM_TOKEN_SECRET: 'not so secret' },
    config: `forms:
  contact:
    bodies: [json]
    fields:
      - {name: name}
      - {name: email, type: email}
      - {name: seats, type: number, step: 0.5}
      - {name: topics, type: checkboxes, options: [sales, press, support]}
      - {name: consent, type: checkbox, checked_value: agreed}
      - {name: reply, type: radios, options: ["true", "false"]}
      - {name: "a/b~c", type: email}
      - {name: __proto__}
    spam: {honeypot: website}
    ${to}
  steps:
    bodies: [json]
    fields: [{name: emails, type: email, required: true}, {name: name, required: true}]
    steps: [{title: One, fields: [emails]}, {title: Two, fields: [name]}]
    ${to}
  timed:
    bodies: [json]
    fields: [{name: name}]
    spam: {min_fill_seconds: 2}
    ${to}
  plain:
    fields: [{name: name}]
    ${to}
  party:
    bodies: [json]
    fields:
      - {name: guests, type: repeat, most: 3, fields: [{name: name}, {name: food, type: checkboxes, options: [soup, cake]}]}
      - {name: to, type: address}
      - {name: m, type: grid, rows: [a, b], options: [x, y]}
    ${to}
`,
  });
});
afterAll(() => Promise.all([relay.close(), sink.close()]));

async function send(
  form: string,
  body: unknown,
  { contentType = 'application/json', accept = 'application/problem+json' } = {},
) {
  const before = sink.requests.length;
  const bytes =
    body instanceof Uint8Array
      ? Uint8Array.from(body)
      : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const { status, json } = await relay.submit(form, bytes, { 'content-type': contentType, accept });
  const got = sink.requests.slice(before).map((one) => decodeURIComponent(one.body));
  return { status, got, ...(json as { code?: string; pointer?: string; errors?: object[] }) };
}

describe('accepted bodies', () => {
  test.each<[string, unknown, string]>([
    ['text', { name: 'Ada', email: '' }, 'name=Ada'],
    ['numbers', { seats: 12.5, name: -0 }, 'name=0&seats=12.5'],
    [
      'numbers as they stand there',
      '{"name": 12345678901234567890, "seats": 1.50}',
      'name=12345678901234567890&seats=1.50',
    ],
    ['numbers that JavaScript has not', '{"name": -1E+400}', 'name=-1E+400'],
    ['a ticked box', { consent: true }, 'consent=agreed'],
    ['a box that is not', { consent: false, name: 'Ada' }, 'name=Ada'],
    ['a box by its value', { consent: 'agreed' }, 'consent=agreed'],
    ['a choice of true or false', { reply: false }, 'reply=false'],
    ['what is not there', { name: null, email: false, reply: null, topics: [], seats: [null] }, ''],
    [
      'a list',
      { topics: ['sales', 'press'], name: ['Ada', 1, true] },
      'name=Ada&name=1&name=true&topics=sales&topics=press',
    ],
    ['names that JavaScript knows', '{"__proto__": "x", "constructor": "y"}', '__proto__=x'],
    ['escapes', '{"n\\u0061me": "\\ud83d\\ude42 \\" {[:,1]} \\\\"}', 'name=🙂+"+{[:,1]}+\\'],
    ['spaces', ' \r\n{ "name" :\t"Ada" } \n', 'name=Ada'],
    ['a byte order mark', '\uFEFF{"name": "Ada"}', 'name=Ada'],
    ['nothing', '{}', ''],
    ['names that nobody asked for', { other: 'x', name: 'Ada' }, 'name=Ada'],
  ])('%s', async (_, body, got) =>
    expect(await send('contact', body)).toMatchObject({ status: 200, got: [got] }),
  );

  test.each([
    'application/json; charset=utf-8',
    'application/json ; charset=utf-8',
    'Application/JSON',
    'application/json;charset=latin1',
  ])('%s', async (contentType) => {
    expect(await send('contact', { name: 'Ä' }, { contentType })).toMatchObject({
      status: 200,
      got: ['name=Ä'],
    });
  });
});

describe('fields of parts', () => {
  test.each<[object, string]>([
    [{ guests: [{ name: 'A' }, null, {}, { name: null }] }, 'guests=[{"name":"A"}]'],
    [{ guests: [{ name: 'A', extra: 1 }], m: { a: 'x', zz: 'y' } }, 'guests=[{"name":"A"}]&m={"a":"x"}'],
    [{ guests: [], to: {}, m: null, 'm.a': 'x' }, 'm={"a":"x"}'],
    [{ guests: false, to: '', m: [] }, ''],
  ])('%j is accepted, and what the form does not know is ignored', async (body, got) =>
    expect(await send('party', body)).toMatchObject({ status: 200, got: [got] }),
  );

  test.each<[object, string, string]>([
    [{ guests: 'x' }, '[{…}]', '/guests'],
    [{ guests: { name: 'A' } }, '[{…}]', '/guests'],
    [{ guests: { 0: { name: 'A' } } }, '[{…}]', '/guests'],
    [{ guests: [{ name: 'A' }, 'B'] }, '{…}', '/guests/1'],
    [{ guests: [[{ name: 'A' }]] }, '{…}', '/guests/0'],
    [{ m: ['x', 'y'] }, '{…}', '/m'],
    [{ m: true }, '{…}', '/m'],
    [{ to: 'Berlin' }, '{…}', '/to'],
    [{ to: 7 }, '{…}', '/to'],
  ])('%j is reported to have the wrong shape', async (body, shape, pointer) => {
    expect(await send('party', body)).toMatchObject({
      status: 400,
      code: 'json_shape',
      pointer,
      detail: `the JSON needs ${shape} at ${pointer}`,
    });
  });

  test.each<[object, string]>([
    [{ guests: [{ name: 'A' }, { name: { first: 'B' } }] }, '/guests/1/name'],
    [{ guests: [{ food: ['soup', ['cake']] }] }, '/guests/0/food/1'],
    [{ guests: [{ other: {} }] }, '/guests/0/other'],
    [{ m: { a: { b: 'x' } } }, '/m/a'],
  ])('%j is too deep, and its path is reported', async (body, pointer) =>
    expect(await send('party', body)).toMatchObject({ status: 400, code: 'json_too_deep', pointer }),
  );

  test.each<[object, string]>([
    [{ guests: [{ name: 'A' }], 'guests.1.name': 'B' }, '/guests.1.name'],
    [{ 'guests.2.name': 'B', guests: [{ name: 'A' }] }, '/guests.2.name'],
    [{ guests: [{ name: 'A' }], 'guests.9.name': 'B' }, '/guests.9.name'],
    [{ to: { city: 'Ulm' }, 'to.line1': 'B' }, '/to.line1'],
  ])('%j has a field both as a whole and by its parts', async (body, pointer) => {
    expect(await send('party', body)).toMatchObject({
      status: 400,
      code: 'json_twice',
      pointer,
      detail: `the JSON has ${pointer} both by itself and inside its field; send one of the two`,
    });
  });
});

test('a captcha’s answer may have its provider’s name, in JSON and in FormData', async () => {
  const responses: (string | null)[] = [];
  const guarded = await relayWith({
    config: form({
      outputs: [post('http://sink.test/')],
      bodies: ['json', 'multipart'],
      captcha: { provider: 'turnstile', secret: 's3cret' },
    }),
    effects: {
      http: async ({ url, body }) => {
        const response = new URLSearchParams(body).get('response');
        if (url.hostname !== 'sink.test') responses.push(response);
        return { status: 200, headers: {}, body: JSON.stringify({ success: response === 'solved' }) };
      },
    },
  });
  const token = 'cf-turnstile-response';
  const asJson = (values: object) =>
    guarded.submit('contact', JSON.stringify(values), { 'content-type': 'application/json' });
  expect((await asJson({ name: 'Ada', [token]: 'solved' })).status).toBe(200);
  expect((await asJson({ name: 'Ada', [token]: 'guessed' })).status).toBe(400);
  expect((await asJson({ name: 'Ada' })).status).toBe(400);
  const data = new FormData();
  data.append(token, 'solved');
  expect((await guarded.request('/api/v1/submit/contact', { method: 'POST', body: data })).status).toBe(200);
  expect(responses).toEqual(['solved', 'guessed', 'solved']);
});

describe('rejected bodies', () => {
  test.each<[string, unknown]>([
    ['nothing', ''],
    ['no object', '"Ada"'],
    ['null', 'null'],
    ['a list', '[{"name": "Ada"}]'],
    ['no JSON', '{name: "Ada"}'],
    ['a number that is none', '{"seats": 01}'],
    ['an end that is missing', '{"name": "Ada"'],
    ['more behind it', '{"name": "Ada"} {}'],
    ['urlencoded', 'name=Ada'],
    ['half a character', '{"name": "\\ud83d"}'],
    ['half a character in a name', '{"\\ude42": "x"}'],
    ['text that is not UTF-8', Buffer.from('{"name": "Ä"}', 'latin1')],
    ['UTF-16', Buffer.from('\uFEFF{"name": "Ada"}', 'utf16le')],
    ['brackets without end', '['.repeat(60_000)],
    ['objects without end', '{"a":'.repeat(10_000)],
  ])('%s', async (_, body) =>
    expect(await send('contact', body)).toMatchObject({ status: 400, code: 'json_malformed', got: [] }),
  );

  test('a name that comes twice', async () =>
    expect(await send('contact', '{"name": "Ada", "n\\u0061me": "Bob"}')).toMatchObject({
      ...{ status: 400, code: 'json_repeated', got: [] },
      ...{ pointer: '/name', detail: 'the JSON has /name twice; send it once' },
    }));

  test.each<[unknown, string]>([
    [{ name: 'Ada', address: { street: 'x' } }, '/address'],
    [{ name: ['Ada', ['Bob']] }, '/name/1'],
    [{ name: [null, {}] }, '/name/1'],
    [{ 'a/b~c': {} }, '/a~1b~0c'],
    [{ '': [[]] }, '//0'],
    [`{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`, '/a/0'],
  ])('%j is too deep', async (body, pointer) => {
    expect(await send('contact', body)).toMatchObject({
      status: 400,
      code: 'json_too_deep',
      pointer,
      got: [],
    });
    expect(await send('contact', body, { accept: 'application/json' })).toEqual({
      status: 400,
      got: [],
      error: `the JSON may hold text, numbers, true, false and lists of these; found something else at ${pointer}`,
    });
    // The sender chooses the names in a body.
    expect(relay.logged.at(-1)).toMatchObject({ reason: expect.stringMatching(/else at \/…$/) });
  });

  test.each(['application/ld+json', 'text/json', 'text/plain', 'application/jsonp', ''])(
    'as "%s"',
    async (contentType) => {
      expect(await send('contact', '{}', { contentType })).toMatchObject({
        status: 400,
        code: 'content_type_unsupported',
        detail: 'the Content-Type must be application/x-www-form-urlencoded, application/json',
      });
    },
  );
});

describe('problem+json', () => {
  const pointers = ({ errors = [] }: { errors?: object[] }) =>
    errors.map((one) => (one as { pointer: string }).pointer);

  test('each wrong field is named, with its JSON pointer', async () => {
    const answer = await send('contact', { email: 'x', 'a/b~c': 'y', topics: ['sales', 'cats'], seats: '1' });
    expect(answer).toMatchObject({
      status: 422,
      errors: [
        { field: 'email', code: 'not_an_email', message: expect.any(String), pointer: '/email' },
        { field: 'topics', code: 'not_an_option', message: expect.any(String), pointer: '/topics/1' },
        { field: 'a/b~c', code: 'not_an_email', message: expect.any(String), pointer: '/a~1b~0c' },
      ],
    });
  });

  test('a value in a form’s body has the pointer of the equivalent JSON', async () => {
    const problem = { accept: 'application/problem+json' };
    const answer = await relay.submit('contact', 'email=x&topics=sales&topics=cats', problem);
    expect(pointers(answer.json as object)).toEqual(['/email', '/topics/1']);
  });

  test('in a step, too', async () => {
    const check = (body: object) =>
      relay.request('/api/v1/check/steps?step=1', {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/problem+json' },
        body: JSON.stringify(body),
      });
    expect(pointers((await check({ emails: ['a@b.test', 'x'] })).json as object)).toEqual(['/emails/1']);
    expect((await check({ emails: 'a@b.test' })).status).toBe(204);
  });
});
