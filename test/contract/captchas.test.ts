import { gzipSync } from 'node:zlib';
import { captchaProviders } from '../../packages/spam/src/captcha/captcha.ts';
import { config, documented, guarded, human, secret, token, verdict } from '../spec/captcha_stage.ts';
import { httpSink, relayWith, type SinkAnswer, type TestRelay } from '../support/index.ts';
import { parseConfig } from '../support/parse_config.ts';

const unverified = [400, { error: 'The captcha could not be checked. Please try again later.' }];
const refused = [400, { error: 'The captcha was not solved. Please try again.' }];

test('every registered provider is held to these promises', () =>
  expect(Object.keys(documented).sort()).toEqual(Object.keys(captchaProviders).sort()));

describe.each(Object.entries(documented))('%s', (provider, { field, verifyUrl }) => {
  test('uses its own endpoint by default', () => {
    const result = parseConfig(config({ provider }), 'webform.yaml');
    if (!result.ok) expect.unreachable();
    expect(result.value.forms.get('contact')?.provided.get('captcha')).toMatchObject({ field });
    expect(captchaProviders).toMatchObject({ [provider]: { url: verifyUrl } });
  });

  test('posts secret and token urlencoded; after a success, the token is not passed on', async () => {
    const { submit, output, provider: judge } = await guarded({ provider });
    // The first token that is not empty counts.
    expect((await submit([field, ''], [field, token])).status).toBe(200);
    expect(judge.requests).toHaveLength(1);
    const [request] = judge.requests;
    expect(request).toMatchObject({
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'accept-encoding': 'identity' },
    });
    const { idempotency_key, ...sent } = Object.fromEntries(new URLSearchParams(request?.body));
    expect(sent).toEqual({ secret, response: token });
    if (idempotency_key !== undefined) expect(idempotency_key).toMatch(/^[0-9a-f-]{36}$/);
    expect(output.requests.map(({ body }) => body)).toEqual(['name=Ann']);
  });

  test('`field` sets the field that contains the token', async () => {
    const { submit, output, provider: judge } = await guarded({ provider, field: 'proof' });
    expect((await submit([field, 'not this'])).status).toBe(400);
    expect(judge.requests).toHaveLength(0);
    expect((await submit(['proof', token])).status).toBe(200);
    expect(new URLSearchParams(judge.requests[0]?.body).get('response')).toBe(token);
    expect(output.requests.map(({ body }) => body)).not.toContain('proof=');
  });

  test.each<[string, [string, string][]]>([
    ['no token', []],
    ['an empty token', [[field, '']]],
  ])('%s is refused without asking', async (_, tokens) => {
    const { submit, output, provider: judge } = await guarded({ provider });
    const answer = await submit(...tokens);
    expect([answer.status, answer.json]).toEqual(refused);
    expect([...judge.requests, ...output.requests]).toEqual([]);
  });

  test('a verdict after a byte order mark counts', async () => {
    const { send } = await guarded({ provider }, { body: `\ufeff${human.body}` });
    expect(await send()).toEqual({ status: 200, requests: 1, delivered: 1 });
  });

  test('a negative verdict is refused, and is not the operator’s problem', async () => {
    const robot = verdict({ success: false, 'error-codes': ['invalid-input-response'] });
    const { submit, output, relay } = await guarded({ provider }, robot);
    const answer = await submit([field, token]);
    expect([answer.status, answer.json]).toEqual(refused);
    expect(output.requests).toEqual([]);
    expect(relay.logged.filter(({ level }) => level !== 'info')).toEqual([]);
  });

  const notJson = 'the provider did not answer with a JSON object';
  const gzipped = { headers: { 'content-encoding': 'gzip' }, body: gzipSync(String(human.body)) };
  const complaint = verdict({ success: false, 'error-codes': ['invalid-input-secret'] });
  test.each<[string, SinkAnswer, string | undefined]>([
    ['a server error', { status: 503, ...human }, 'the provider answered 503'],
    ['a client error', { status: 404, ...human }, 'the provider answered 404'],
    ['a redirect', { status: 302, headers: { location: '/' }, ...human }, 'the provider answered 302'],
    ['an empty answer', { body: '' }, notJson],
    ['HTML', { body: '<html>' }, notJson],
    ['a JSON text', { body: '"success"' }, notJson],
    ['null', { body: 'null' }, notJson],
    ['a compressed one', gzipped, notJson],
    ['a success that is no boolean', { body: '{"success": "true", "score": 1}' }, undefined],
    ['no success', { body: '{}' }, undefined],
    ['a complaint about the secret', complaint, 'the provider does not accept the secret'],
  ])('%s is refused', async (_, answer, reason) => {
    const { relay, submit, output } = await guarded({ provider }, answer);
    const refusal = await submit([field, token]);
    expect([refusal.status, refusal.json]).toEqual(reason === undefined ? refused : unverified);
    expect(output.requests).toEqual([]);
    expectLogged(relay, provider, reason);
  });

  test.each([
    // Always closed; a port that was just closed might be reused by the next server.
    ['an endpoint that cannot be reached', { verify_url: 'http://127.0.0.1:1' }, 'connect ECONNREFUSED'],
    [
      'a secret that renders empty',
      { secret: '{{ env "UNSET" }}' },
      'the secret renders empty; is its environment variable set?',
    ],
  ])('%s is refused without asking the provider', async (_, keys, reason) => {
    const { relay, submit, output, provider: judge } = await guarded({ provider, ...keys });
    const refusal = await submit([field, token]);
    expect([refusal.status, refusal.json]).toEqual(unverified);
    expect([...judge.requests, ...output.requests]).toEqual([]);
    expectLogged(relay, provider, reason);
  });
});

describe.each(Object.keys(documented))('%s, only in doubt', (provider) => {
  const { field } = documented[provider] ?? { field: '' };
  const doubted = Array.from({ length: 10 }, (_, index) => `https://shop-${index}.example/`).join(' ');
  const startAsking = async (spam = '') => {
    const judge = await httpSink({ answer: () => verdict({ success: isHuman, score: 1 }) });
    const output = await httpSink();
    const relay = await relayWith({
      config: `forms:
  contact:
    captcha: {provider: ${provider}, secret: s, site_key: a-key, only_in_doubt: true, verify_url: "${judge.origin}"}
    fields: [{name: name}, {name: text, type: textarea}]
    spam: {doubt: {tag: 3, challenge: 9}, signals: {links: 20, program: 0}${spam}}
    outputs: [{type: http_post, url: "${output.origin}", mapping: "*"}]
`,
      env: { FORM_TOKEN_SECRET: '0123456789abcdef0123456789abcdef' },
    });
    const send = async (values: Record<string, string>, accept = 'application/json', path = 'submit') => {
      const body = path === 'submit' ? new URLSearchParams({ name: 'Ada', ...values }) : undefined;
      const headers = { accept, ...(accept === 'text/html' && { 'hx-request': 'true' }) };
      const answer = await fetch(`${relay.origin}/api/v1/${path}/contact`, {
        ...(body && { method: 'POST', body }),
        headers,
      });
      return { status: answer.status, text: await answer.text() };
    };
    return { judge, output, send };
  };
  let isHuman = true;

  test('visitors who are not doubted see no captcha', async () => {
    const { judge, output, send } = await startAsking();
    const form = await send({}, 'text/html', 'form');
    expect(form.text).toContain('name="text"');
    expect(form.text).not.toContain('a-key');
    expect((await send({ text: 'Good morning' })).status).toBe(200);
    expect((await send({ text: 'Good morning', [field]: token })).status).toBe(200);
    expect([judge.requests.length, output.requests.length]).toEqual([0, 2]);
  });

  test('challenge: proof_of_work still asks for the puzzle', async () => {
    const { send } = await startAsking(', challenge: proof_of_work');
    const { status, text } = await send({ text: doubted });
    expect([status, Object.keys(JSON.parse(text))]).toEqual([422, expect.arrayContaining(['challenge'])]);
    expect(text).not.toContain('a-key');
  });

  test('a doubted visitor gets the captcha, and passes with it', async () => {
    const { judge, output, send } = await startAsking();
    const { status, text } = await send({ text: doubted });
    expect(status).toBe(422);
    expect(JSON.parse(text)).toMatchObject({
      error: expect.stringContaining('solve the task'),
      captcha: { provider, site_key: 'a-key', field },
    });
    const fragment = await send({ text: doubted }, 'text/html');
    expect(fragment.text).toMatch(/data-sitekey="a-key"/);
    expect(fragment.text).toContain('https://shop-9.example/</textarea>');
    isHuman = false;
    expect((await send({ text: doubted, [field]: token })).status).toBe(422);
    expect([judge.requests.length, output.requests.length]).toEqual([1, 0]);
    isHuman = true;
    expect((await send({ text: doubted, [field]: token })).status).toBe(200);
    expect(output.requests[0]?.body).toContain('_doubt=');
  });
});

/** Expects a line that says why there was no verdict, without a token or secret. */
function expectLogged({ logged }: TestRelay, provider: string, reason: string | undefined) {
  const problems = logged.filter(({ event }) => event === 'captcha_unverified');
  const expected = { level: 'error', provider, reason, form: 'contact' };
  expect(problems).toEqual(reason === undefined ? [] : [expect.objectContaining(expected)]);
  expect(JSON.stringify(logged)).not.toContain('TOKEN');
  expect(JSON.stringify(logged)).not.toContain('S3CRET');
}
