/** Servers send a form with a key, and are handled differently from browsers. */
import { expectLogged } from '../../../test/support/logged.ts';
import { createMetrics } from '../../telemetry/src/metrics/index.ts';
import { billing, env, keyed, shop } from './stage.ts';

const browserChecks = `origins: [https://example.com]
rate_limit: 1 per 1h
links: required
spam: {honeypot: website, min_fill_seconds: 3, too_fast: drop, proof_of_work: true, doubt: {drop: 1}}`;
const secret = { FORM_TOKEN_SECRET: 'a-long-random-text-of-many-characters' };

test('a server with a key skips every check for browsers', async () => {
  const { send, sink } = await keyed({ keys: browserChecks, env: { ...env, ...secret } });
  for (const name of ['Ada', 'Grace', 'Joan']) {
    const { status, json } = await send({ name, website: 'https://example.com' });
    expect([status, json]).toEqual([200, { message: 'ok', confirmation: expect.any(String) }]);
  }
  expect(sink.requests.map(({ body }) => body)).toEqual(['name=Ada', 'name=Grace', 'name=Joan']);
});

test('a server’s submission is validated like a visitor’s', async () => {
  const { send } = await keyed({ fields: '{name: email, type: email, required: true}' });
  const { status, json } = await send({ email: 'nobody' });
  expect(status).toBe(422);
  expect(json).toMatchObject({ code: 'invalid', errors: [{ field: 'email', code: 'not_an_email' }] });
  expect(json).not.toHaveProperty('token');
});

test('JSON is accepted only from servers, unless the form accepts it', async () => {
  const { send } = await keyed();
  expect((await send({ name: 'Ada' })).status).toBe(200);
  expect((await send({ name: 'Ada' }, { key: null })).json).toMatchObject({
    code: 'content_type_unsupported',
  });
});

test('a server gets JSON, whatever its Accept header and the form’s redirect say', async () => {
  const { send } = await keyed({ keys: 'redirect: https://example.com/thanks' });
  const { status, headers, json } = await send(undefined, {
    headers: { accept: 'text/html', 'hx-request': 'true' },
  });
  expect([status, headers.get('content-type'), json]).toEqual([
    200,
    'application/json; charset=utf-8',
    { message: 'ok' },
  ]);
});

test('pages of other origins cannot read a response to a server', async () => {
  const { send } = await keyed();
  const headers = { origin: 'https://a.example' };
  const readers = async (key?: null) => {
    const { headers: found } = await send({}, { key, headers });
    return [found.get('access-control-allow-origin'), found.get('vary')];
  };
  const vary = 'Origin, HX-Request, Accept, Sec-Fetch-Mode';
  expect([await readers(null), await readers()]).toEqual([
    ['*', vary],
    [null, vary],
  ]);
});

test('a wrong key is answered with 401, counted and logged, without any of its characters', async () => {
  const metrics = createMetrics();
  const { send, logged, sink } = await keyed({ metrics });
  const wrong = 'frk_wrong_0123456789ABCDEFGHIJKLMNOPQRST';
  const { status, headers, json, text } = await send(undefined, { key: wrong });
  expect(status).toBe(401);
  expect(headers.get('www-authenticate')).toBe('Bearer');
  expect(json).toMatchObject({ title: 'Unauthorized', code: 'key_refused' });
  expectLogged({ logged }, { event: 'submission', outcome: 'key_refused', client: expect.any(String) });
  const output = `${text}${JSON.stringify(logged)}${metrics.text()}`;
  expect(output).not.toContain('wrong_0123');
  expect(output).toContain('form_relay_submissions_total{form="order",outcome="key_refused"} 1');
  expect(output).toContain('form_relay_checks_ended_total{form="order",check="keys",code="wrong"} 1');
  expect(sink.requests).toEqual([]);
});

test('the log names the variable of the key, never the key itself', async () => {
  const { send, logged } = await keyed({ env: { ...env, LOG_LEVEL: 'info' } });
  await send(undefined, { key: shop });
  expectLogged({ logged }, { event: 'submission', outcome: 'delivered', key: 'KEY_SHOP' });
  expect(JSON.stringify(logged)).not.toContain('frk_');
});

test('each key has its own limit', async () => {
  const { send, advance, logged } = await keyed({ keys: 'keys_limit: 2 per 1m' });
  expect((await send()).status).toBe(200);
  expect((await send()).status).toBe(200);
  const refused = await send();
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
  expect(refused.json).toMatchObject({ code: 'key_limited' });
  expect(logged).toContainEqual(expect.objectContaining({ outcome: 'rate_limited', key: 'KEY_BILLING' }));
  expect((await send(undefined, { key: shop })).status).toBe(200);
  advance(60_000);
  expect((await send()).status).toBe(200);
});

test('visitors who use up the throttle do not affect servers', async () => {
  const { send } = await keyed({ env: { ...env, THROTTLE_RATE_LIMIT: '1', THROTTLE_BURST_LIMIT: '1' } });
  await send(undefined, { key: null });
  expect((await send(undefined, { key: null })).status).toBe(429);
  expect((await send(undefined, { key: `${billing}x` })).status).toBe(429);
  for (let times = 0; times < 3; times += 1) expect((await send()).status).toBe(200);
});

test('a key exempts from the throttle, but only in forms that accept the key, and only for submissions', async () => {
  const { request } = await keyed({ env: { ...env, THROTTLE_RATE_LIMIT: '1', THROTTLE_BURST_LIMIT: '1' } });
  const headers = { authorization: `Bearer ${billing}` };
  const statuses: number[] = [];
  for (const [method, path] of [
    ['GET', '/api/v1/form/order'],
    ['GET', '/api/v1/submit/order'],
    ['POST', '/api/v1/check/order'],
    ['POST', '/api/v1/submit/other'],
    ['POST', '/api/v1/submit/nobody'],
    ['POST', '/nowhere'],
  ] as const)
    statuses.push((await request(path, { method, headers })).status);
  expect(statuses).toEqual([200, 429, 429, 429, 429, 429]);
});

test('a client with many wrong keys must wait, and the right key still works', async () => {
  const { send } = await keyed();
  for (let times = 0; times < 20; times += 1)
    expect((await send(undefined, { key: 'wrong' })).status).toBe(401);
  const { status, headers } = await send(undefined, { key: 'wrong' });
  expect([status, headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^(59|60)$/)]);
  expect((await send()).status).toBe(200);
});

test('two variables with the same key are a problem, which the log reports', async () => {
  const { send, logged } = await keyed({ env: { KEY_BILLING: billing, KEY_SHOP: billing } });
  await send();
  expect(logged.filter(({ event }) => event === 'key_unusable')).toEqual([
    {
      level: 'error',
      event: 'key_unusable',
      variable: 'KEY_SHOP',
      reason: 'KEY_SHOP holds the same key as KEY_BILLING',
    },
  ]);
});

test('an unset key is reported like other variables, and matches nothing', async () => {
  const { send, get, logged } = await keyed({ env: { KEY_SHOP: shop } });
  expect((await send(undefined, { key: '' })).status).toBe(401);
  expectLogged(
    { logged },
    {
      event: 'variables_missing',
      variables: ['KEY_BILLING'],
      places: ['forms.order.keys_env[0] needs KEY_BILLING'],
    },
  );
  expect((await get('/readyz')).status).toBe(503);
});

const differing = 'abcdefghij';

test.each([
  [
    '9 characters',
    'short-key',
    'KEY_BILLING is too short: a key needs at least 32 characters, and this key has 9',
  ],
  [
    'a character less than 32',
    `${'a1'.repeat(15)}b`,
    'is too short: a key needs at least 32 characters, and this key has 31',
  ],
  [
    'more than 512 characters',
    differing.repeat(52),
    'is too long: a key can have at most 512 characters, and this key has 520',
  ],
  ['a space', `${billing} x`, 'has characters that are not allowed in an Authorization header'],
  ['a character first that is none of a token', `"${billing}`, 'are not allowed in an Authorization header'],
  ['nine different characters', 'abcdefghi'.repeat(4), 'repeats a few characters, which can be guessed'],
])('a key with %s is rejected', async (_, key, reason) => {
  const { send, logged } = await keyed({ env: { KEY_BILLING: key, KEY_SHOP: shop } });
  expect((await send(undefined, { key })).status).toBe(401);
  expectLogged({ logged }, { event: 'key_unusable', reason: expect.stringContaining(reason) });
  expect(JSON.stringify(logged)).not.toContain(key);
});

test('wrong keys for one form do not use up another form’s limit, and the metrics name the limit', async () => {
  const metrics = createMetrics();
  const { send } = await keyed({ metrics });
  for (let times = 0; times < 21; times += 1) await send(undefined, { key: 'wrong' });
  expect((await send(undefined, { key: 'wrong', form: 'other' })).status).toBe(401);
  expect(metrics.text()).toContain(
    'form_relay_checks_ended_total{form="order",check="keys",code="beyond"} 1',
  );
});
