import { gzipSync } from 'node:zlib';
import { httpSink, reasons, relayWith, type SinkAnswer } from '../../../test/support/index.ts';

const fields = `
    fields:
      - {name: name, label: Your name}
      - {name: topics, type: checkboxes, options: [roof, wall]}
      - {name: amount, type: number, step: any}
      - {name: kind, type: select, options: [private, business]}
      - {name: consent, type: checkbox}
      - {name: vat, visible_when: {field: kind, is: business}}
      - {name: firm_consent, type: checkbox, visible_when: {field: kind, is: business}}`;

/** A relay whose form has this output, to a server with this response. */
async function start(output: (url: string) => string, answer: () => SinkAnswer = () => ({})) {
  const sink = await httpSink({ answer });
  const env: Record<string, string | undefined> = {
    KEY: 'k"1',
    HOOK_URL: `${sink.origin}/secret?key=hidden`,
  };
  const relay = await relayWith({
    config: `forms:\n  contact:${fields}\n    outputs:\n      - ${output(`${sink.origin}/hook`)}\n`,
    env,
    effects: { env: (name) => env[name] },
  });
  const send = (...pairs: [string, string][]) => relay.submit('contact', pairs);
  const sent = () => sink.requests.map(({ bytes }) => JSON.parse(bytes.toString('utf8')));
  return { sink, relay, env, send, sent };
}

const hook = (more: string) => (url: string) => `{type: webhook, url: "${url}", ${more}}`;

test('without a body it sends mapping and static as an object with typed values', async () => {
  const { send, sent, sink } = await start(
    hook('mapping: "*", static: {source: "{{ .form.id }}", none: ""}'),
  );
  await send(
    ['name', 'Zoë "Q"'],
    ['topics', 'roof'],
    ['amount', '2.50'],
    ['consent', 'on'],
    ['kind', 'private'],
  );
  await send(['topics', 'roof'], ['topics', 'wall'], ['kind', 'business'], ['name', '']);
  expect(sent()).toEqual([
    { amount: 2.5, consent: true, kind: 'private', name: 'Zoë "Q"', source: 'contact', topics: ['roof'] },
    { consent: false, firm_consent: false, kind: 'business', source: 'contact', topics: ['roof', 'wall'] },
  ]);
  expect(sink.requests[0]).toMatchObject({
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': expect.stringMatching(/-0$/) },
  });
});

test('a custom body is a tree of templates, typed fields, all fields and the submission', async () => {
  const { send, sent, sink } = await start(
    (url) => `type: webhook
        url: "${url}"
        method: PUT
        headers: {Content-Type: application/vnd.api+json, Authorization: 'Bearer {{ env "KEY" }}'}
        body:
          text: 'From {{ .fields.name }}: {{ join " + " (values "topics") }}'
          typed: [true, 5, -1.5, 01234, "5", "true", ~, yes]
          topics: {$field: topics}
          amount: {$field: amount}
          vat: {$field: vat}
          deep: [{vat: {nested: {$field: vat}}}, kept]
          empty: {}
          all: $fields
          about: $submission
          $set: 1
          __proto__: {x: 1}`,
  );
  const answer = await send(['name', '"},{"a":"'], ['topics', 'wall'], ['amount', '3'], ['kind', 'private']);
  expect(answer.status).toBe(200);
  const [body] = sent();
  expect(body).toEqual({
    text: 'From "},{"a":": wall',
    typed: [true, 5, -1.5, '01234', '5', 'true', null, 'yes'],
    topics: ['wall'],
    amount: 3,
    deep: ['kept'],
    empty: {},
    all: [
      { name: 'name', label: 'Your name', value: '"},{"a":"' },
      { name: 'topics', label: 'Topics', value: ['wall'] },
      { name: 'amount', label: 'Amount', value: 3 },
      { name: 'kind', label: 'Kind', value: 'private' },
      { name: 'consent', label: 'Consent', value: false },
      { name: 'vat', label: 'Vat', value: null },
      { name: 'firm_consent', label: 'Firm consent', value: null },
    ],
    about: {
      id: answer.headers.get('x-request-id'),
      form: 'contact',
      received_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    },
    $set: 1,
    ['__proto__']: { x: 1 },
  });
  expect(sink.requests[0]).toMatchObject({
    method: 'PUT',
    headers: { 'content-type': 'application/vnd.api+json', authorization: 'Bearer k"1' },
  });
});

test('a map whose fields all lack a value is omitted, but a map that is empty in the config stays', async () => {
  const { send, sent } = await start((url) =>
    [
      'body: {kept: 1, none: [{$field: vat}, {$field: vat}], nothing: {a: {$field: vat}}, empty: [], void: {}}',
      'body: [{$field: vat}, {$field: name}]',
      'body: [{$field: vat}]',
      'body: {a: {$field: vat}}',
      'body: []',
    ]
      .map((body) => `{type: webhook, url: "${url}", ${body}}`)
      .join('\n      - '),
  );
  expect((await send(['name', 'Ada'])).status).toBe(200);
  expect(
    sent()
      .map((one) => JSON.stringify(one))
      .sort(),
  ).toEqual(['{"kept":1,"empty":[],"void":{}}', '["Ada"]', '[]', '{}', '[]'].sort());
});

const ok = 'json: {at: ok, is: true}';
const toB = 'location: "https://b.example"';
const signIn = 'https://b.example.evil.example/';
const nested = `json: [{at: a, is: '{"b":[1]}'}, {at: a.b, is: "[1]"}]`;
const redirect = (location: string) => ({ status: 302, headers: { location } });

test.each<[expected: string, answer: string | SinkAnswer, says?: string]>([
  [ok, '{"ok":true}'],
  [ok, '{"ok":false}', '`json` at ok'],
  [ok, '<p>Sign in</p>', 'not JSON'],
  [ok, '\ufeff{"ok":true}'],
  ['json: {at: data.id, filled: true}', '{"data":{}}', '`json` at data.id'],
  ['json: {at: data.id, filled: true}', '{"data":{"id":0}}'],
  ['json: {at: errors, filled: false}', '{"errors":[{"a":1}]}', '`json` at errors'],
  ['json: [{at: errors, filled: false}, {at: s, is_not: [b, c]}]', '{"errors":[],"s":"a"}'],
  ['json: [{at: a, filled: false}, {at: b, filled: false}]', '{"a":null,"b":{}}'],
  ['json: [{at: s, is_not: a}, {at: s, is_not: b}]', '{"s":"b"}', '`json` at s'],
  [nested, '{"a": {"b": [1]}}'],
  [toB, redirect('https://b.example/done?x=1')],
  [`status: 302, ${toB}`, redirect(signIn), '`location`'],
  [toB, 'ok', '`location`'],
  ['text: done', 'well done!'],
  ['text: done', 'Sorry, Ada', '`text` is not in it'],
  [`${ok}, code: error`, '{"ok":false,"error":"no_channel"}', '`json` at ok (no_channel)'],
  [`${ok}, code: error`, '{"ok":false,"error":"Ada is not known"}', '`json` at ok'],
  ['text: ok, code: "."', 'no_service', '`text` is not in it (no_service)'],
])('expect: {%s} with the response %j', async (expected, given, says) => {
  const answer = typeof given === 'string' ? { body: given } : given;
  const { send, relay } = await start(hook(`mapping: {n: name}, expect: {${expected}}`), () => answer);
  expect((await send(['name', 'Ada'])).status).toBe(says === undefined ? 200 : 500);
  if (says === undefined) return;
  const failed = relay.logged.find(({ event }) => event === 'delivery_failed');
  expect(failed?.reason).toBe(`the answer does not match \`expect\`: ${says}`);
});

const gzip = { 'content-encoding': 'gzip' };

test.each([
  ['json: {at: ok, is: true}', { 'content-encoding': 'utf-8' }, '{"ok":true}', undefined],
  ['json: {at: ok, is: true}', gzip, '{"ok":true}', undefined],
  ['json: {at: ok, is: true}', gzip, gzipSync('{"ok":true}'), /the response is compressed/],
  ['json: {at: ok, filled: false}', gzip, gzipSync('{}'), /the response is compressed/],
  ['text: d', gzip, gzipSync('d'.repeat(100)), /the response is compressed/],
  ['text: done', { 'content-encoding': 'zstd' }, '\x28\xb5', /the response is compressed/],
])('expect: %s in a response with a content coding', async (expected, headers, body, says) => {
  const answer = () => ({ headers, body });
  const { send, relay } = await start(hook(`mapping: {n: name}, expect: {${expected}}`), answer);
  expect((await send(['name', 'Ada'])).status).toBe(says === undefined ? 200 : 500);
  expect(reasons(relay)).toEqual(says === undefined ? [] : [expect.stringMatching(says)]);
});

test.each([
  ['the default takes all below 400', '', 302, 200],
  ['the default fails at 400', '', 400, 500],
  ['one status', 'status: 201', 201, 200],
  ['another', 'status: 201', 200, 500],
  ['one of several, which may be an error elsewhere', 'status: [200, 409]', 409, 200],
])('expect.status: %s', async (_, expected, status, answered) => {
  const { send } = await start(hook(`mapping: {n: name}, expect: {${expected}}`), () => ({ status }));
  expect((await send(['name', 'Ada'])).status).toBe(answered);
});

test.each([
  [
    'in an answer of success',
    200,
    '{"ok":false,"error":"Ada"}',
    'the answer does not match `expect`: `json` at ok',
  ],
  ['in a refusal', 422, '{"error":"Lovelace"}', 'the server answered 422'],
  ['in one that is tried again', 503, '{"error":"Ada"}', 'the server answered 503'],
])('a visitor’s text is not interpreted, %s', async (_, status, body, reason) => {
  const expected = 'mapping: {n: name}, expect: {json: {at: ok, is: true}, code: error}';
  const { send, relay } = await start(hook(expected), () => ({ status, body }));
  expect((await send(['name', 'Ada Lovelace'])).status).toBe(500);
  expect(relay.logged.find(({ event }) => event === 'delivery_failed')?.reason).toBe(reason);
  expect(JSON.stringify(relay.logged)).not.toMatch(/Ada|Lovelace/);
});

test('a refusal includes the service’s error code, but never its text', async () => {
  const body = '{"error":{"code":"INVALID_EMAIL","text":"Ada"}}';
  const { send, relay } = await start(hook('mapping: {n: name}, expect: {code: error.code}'), () => ({
    status: 422,
    body,
  }));
  expect((await send(['name', 'Ada'])).status).toBe(500);
  expect(relay.logged.find(({ event }) => event === 'delivery_failed')?.reason).toBe(
    'the server answered 422 (INVALID_EMAIL)',
  );
  expect(JSON.stringify(relay.logged)).not.toContain('Ada');
});

test.each(['webhook', 'http_post', 'crm_web2lead'])(
  '%s reads its URL from the environment for each delivery',
  async (type) => {
    const { send, sink, env, relay } = await start(
      () => `{type: ${type}, url_env: HOOK_URL, mapping: {n: name}}`,
    );
    expect((await send(['name', 'Ada'])).status).toBe(200);
    expect(sink.requests[0]?.url).toBe('/secret?key=hidden');
    for (const [value, reason] of [
      ['', 'HOOK_URL, which `url_env` names, is not set'],
      [undefined, 'HOOK_URL, which `url_env` names, is not set'],
      ...[
        'hooks.example/secret',
        'ftp://hooks.example/secret',
        'https://u:p@hooks.example/secret',
        'not a url',
        'https://a.example/secret\nhttps://b.example/hidden',
      ].map((wrong) => [
        wrong,
        'HOOK_URL, which `url_env` names, is not a URL that starts with https:// or http://, without a user name',
      ]),
    ]) {
      env.HOOK_URL = value;
      expect((await send(['name', 'Ada'])).status).toBe(500);
      expect(relay.logged.findLast(({ event }) => event === 'delivery_failed')?.reason).toBe(reason);
    }
    expect(sink.requests).toHaveLength(1);
    expect(JSON.stringify(relay.logged)).not.toMatch(/secret|hidden/);
  },
);

test('a number that JSON cannot hold exactly stays text', async () => {
  const { send, sent } = await start(hook('body: {id: 12345678901234567890, n: {$field: amount}}'));
  await send(['amount', '12345678901234567890']);
  expect(sent()).toEqual([{ id: '12345678901234567890', n: '12345678901234567890' }]);
});

test('expect.location is the target of a redirect, however the service writes it', async () => {
  const sink = await httpSink({ answer: () => ({ status: 303, headers: { location: '/done?x=1' } }) });
  for (const [expected, status] of [
    ['/done', 200],
    ['/sign-in', 500],
  ] as const) {
    const { send } = await start(
      () =>
        `{type: webhook, url: "${sink.origin}/hook", mapping: "*", expect: {location: "${sink.origin}${expected}"}}`,
    );
    expect((await send(['name', 'Ada'])).status).toBe(status);
  }
});

/** Unquoted words in a webhook's `body` are typed as in JSON. Everything else in a config is text. */

/** The JSON that a form with this `body` sends. */
async function sent(body: string): Promise<unknown> {
  const sink = await httpSink();
  const relay = await relayWith({
    config: `forms:\n  contact:\n    fields: [{name: name}]\n    outputs: [{type: webhook, url: "${sink.origin}", body: ${body}}]\n`,
  });
  await relay.submit('contact', [['name', 'Ada']]);
  return JSON.parse(sink.requests[0]?.bytes.toString('utf8') ?? '');
}

const as = (value: unknown, words: string): [string, unknown][] =>
  words.split(' ').map((word) => [word, value]);
const asTheyAre = (words: string): [string, unknown][] => words.split(' ').map((word) => [word, word]);

/** Unquoted words, and what is sent for each. */
const plainWords = [
  ...as(true, 'true True TRUE'),
  ...as(false, 'false False FALSE'),
  ...asTheyAre('tRUE truely untrue fALSE falsely nofalse yes on'),
  ...[0, -1, 1, 10, 120, 2.5, 2.25, -0.125].map((number): [string, unknown] => [String(number), number]),
  ...as(100, '1e2 1E2 1e+2 1.0e+02'),
  ...as(1e-12, '1e-12'),
  ...asTheyAre('01 -01 +1 .5 1. 1.e2 1e 1e2.5 0x1f 1_000 v1 1v'),
  ...as(null, ' ~'),
];

test('unquoted words are typed as in JSON, and everything else is text, like everything in quotes', async () => {
  const body = plainWords.map(([word], n) => `p${n}: ${word}, q${n}: "${word}"`).join(', ');
  const expected = plainWords.map(([word, value], n) => ({ [`p${n}`]: value, [`q${n}`]: word }));
  expect(await sent(`{${body}}`)).toEqual(Object.assign({}, ...expected));
});

test('a number differs from text when anchors are used twice, and when a tag says so', async () => {
  expect(await sent('{a: &x 5, b: *x, c: &x "7", d: *x, e: !!str 8, f: [*x, &x 9, *x]}')).toEqual({
    a: 5,
    b: 5,
    c: '7',
    d: '7',
    e: '8',
    f: ['7', 9, 9],
  });
});
