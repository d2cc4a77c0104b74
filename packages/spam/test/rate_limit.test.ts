import { contact, httpSink, relayWith } from '../../../test/support/index.ts';
import type { Environment } from '../../core/src/settings.ts';

const fields = '[{name: name, required: true}]';
const limited = (rate: string, more = '') => `rate_limit: ${rate}${more}`;
const proxies = { TRUSTED_PROXIES: '127.0.0.1' };
const from = (client: string) => ({ 'x-forwarded-for': client });

test('a client can send a form as often as allowed, and again after the time is over', async () => {
  const relay = await contact({ fields, keys: limited('2 per 10m') });
  expect((await relay.send(['name', 'Ada'])).status).toBe(200);
  relay.advance(60_000);
  expect((await relay.send(['name', 'Ada'])).status).toBe(200);
  const refused = await relay.send(['name', 'Ada']);
  expect(refused.status).toBe(429);
  expect(refused.json).toEqual({
    error: 'This form was sent several times from your network just now. You can send it again in 9 minutes.',
  });
  const seconds = Number(refused.headers.get('retry-after'));
  expect(seconds).toBeGreaterThan(500);
  expect(seconds).toBeLessThanOrEqual(540);
  relay.advance(seconds * 1_000);
  expect((await relay.send(['name', 'Ada'])).status).toBe(200);
  expect(relay.delivered).toHaveLength(3);
});

test('a submission that is returned for correction, or could not be delivered, does not count', async () => {
  const relay = await contact({
    fields,
    outputs: `[{type: http_post, url: "http://127.0.0.1:1/", retries: 0, mapping: "*", when: {field: name, is: lost}}, {type: http_post, url: $sink, mapping: "*", when: {field: name, is_not: lost}}], rate_limit: 1 per 10m`,
  });
  for (let times = 0; times < 3; times += 1) {
    expect((await relay.send(['name', ''])).status).toBe(422);
    expect((await relay.send(['name', 'lost'])).status).toBe(500);
  }
  expect((await relay.send(['name', 'Ada'])).status).toBe(200);
  expect((await relay.send(['name', ''])).status).toBe(429);
});

/** A form that calls the service at `$service`, and may be sent once in ten minutes. */
const asking = async (guards: string, answer: object) => {
  const service = await httpSink({ answer: () => ({ body: JSON.stringify(answer) }) });
  const relay = await contact({
    fields: '[{name: name, required: true}, {name: email, type: email}]',
    keys: limited('1 per 10m', `, ${guards.replaceAll('$service', service.origin)}`),
    env: { ...proxies, FORM_TOKEN_SECRET: 'a secret of some length' },
  });
  const send = async (values: Record<string, string>) =>
    (await relay.submit('contact', new URLSearchParams(values).toString(), from('203.0.113.1'))).status;
  return { relay, service, send };
};
const captcha = 'captcha: {provider: turnstile, secret: s, site_key: k, verify_url: "$service/verify"';
const token = { 'cf-turnstile-response': 'token' };

test('a submission that made the relay call another service counts: a captcha that is solved along with a mistake, and one that is not', async () => {
  const solved = await asking(`${captcha}}`, { success: true });
  expect([await solved.send({ ...token }), await solved.send({ ...token, name: 'Ada' })]).toEqual([422, 429]);
  expect(solved.service.requests).toHaveLength(1);
  const failed = await asking(`${captcha}}`, { success: false });
  expect([await failed.send({ ...token }), await failed.send({ ...token, name: 'Ada' })]).toEqual([400, 429]);
});

test('each form counts separately, and `off` in a form overrides the top level', async () => {
  const form =
    '{fields: [{name: name, required: true}], outputs: [{type: http_post, url: "http://127.0.0.1:1/", on_error: continue, retries: 0}]';
  const { submit } = await relayWith({
    config: `{rate_limit: 1 per 1h, forms: {a: ${form}}, b: ${form}}, c: ${form}, rate_limit: "off"}}}`,
  });
  const send = async (id: string) => (await submit(id, 'name=Ada')).status;
  expect([await send('a'), await send('a'), await send('b'), await send('c'), await send('c')]).toEqual([
    200, 429, 200, 200, 200,
  ]);
});

test('many at once are no more than one after the other', async () => {
  const relay = await contact({ fields, keys: limited('5 per 10m') });
  const answers = await Promise.all(Array.from({ length: 40 }, () => relay.send(['name', 'Ada'])));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
  expect(relay.delivered).toHaveLength(5);
});

describe('clients', () => {
  test('each address behind a proxy is a client of its own, and a /64 is a single client', async () => {
    const relay = await contact({ fields, keys: limited('1 per 10m'), env: proxies });
    const send = async (client: string) => (await relay.submit('contact', 'name=Ada', from(client))).status;
    expect([await send('203.0.113.1'), await send('203.0.113.2'), await send('203.0.113.1')]).toEqual([
      200, 200, 429,
    ]);
    expect(await send('evil, 1.1.1.1, 203.0.113.1')).toBe(429);
    expect([
      await send('2001:db8::1'),
      await send('2001:db8::ffff:2'),
      await send('2001:db8:0:1::1'),
    ]).toEqual([200, 429, 200]);
  });

  test('without a trusted proxy the client is unknown: nothing is counted, and the log says so once', async () => {
    const relay = await contact({ fields, keys: limited('1 per 10m'), env: { TRUSTED_PROXIES: '' } });
    for (const client of ['203.0.113.1', '203.0.113.1', '203.0.113.2'])
      expect((await relay.submit('contact', 'name=Ada', from(client))).status).toBe(200);
    const warned = relay.logged.filter(({ event }) => event === 'client_unknown');
    expect(warned).toMatchObject([
      {
        level: 'warn',
        form: 'contact',
        reason:
          'the connection comes from 127.0.0.0/8, which looks like a proxy; list it in TRUSTED_PROXIES, or write none if there is no proxy',
      },
    ]);
  });

  test('the log names a client by an alias that changes daily, and never by its address', async () => {
    const relay = await contact({ fields, keys: limited('1 per 1d'), env: proxies });
    const client = '203.0.113.77';
    const names: unknown[] = [];
    for (let day = 0; day < 3; day += 1) {
      await relay.submit('contact', 'name=Ada', from(client));
      await relay.submit('contact', 'name=Ada', from(client));
      names.push(relay.logged.findLast(({ outcome }) => outcome === 'rate_limited')?.client);
      relay.advance(86_400_000);
    }
    for (const name of names) expect(name).toMatch(/^[0-9a-f]{12}$/);
    expect(new Set(names).size).toBe(3);
    expect(JSON.stringify(relay.logged)).not.toContain(client);
    expect(relay.logged.find(({ outcome }) => outcome === 'rate_limited')?.reason).toBe(
      'more than 1 within 24 h',
    );
  });

  test('every copy with the same secret uses the same alias, and other secrets give other aliases', async () => {
    const nameWith = async (secret: string) => {
      const relay = await contact({
        fields,
        keys: limited('1 per 1h'),
        env: { ...proxies, FORM_TOKEN_SECRET: secret },
      });
      for (let times = 0; times < 2; times += 1)
        await relay.submit('contact', 'name=Ada', from('203.0.113.77'));
      return relay.logged.find(({ outcome }) => outcome === 'rate_limited')?.client;
    };
    const first = await nameWith('one secret of some length');
    expect(await nameWith('one secret of some length')).toBe(first);
    expect(await nameWith('other secret of some length')).not.toBe(first);
  });
});

test('on AWS Lambda the client is the one that the gateway names, whatever the headers say', async () => {
  const relay = await contact({ fields, keys: limited('1 per 10m') });
  const send = async (senderAddress: string, forwarded: string) => {
    const answer = await relay.handle('contact', 'name=Ada', {
      headers: { 'x-forwarded-for': forwarded },
      senderAddress,
    });
    return answer.status;
  };
  expect(await send('203.0.113.1', '203.0.113.1')).toBe(200);
  expect(await send('203.0.113.1', '1.1.1.1')).toBe(429);
  expect(await send('203.0.113.2', '203.0.113.1')).toBe(200);
});

const config = { fields: '[{name: name, required: true}]' };

/** The result of a submission with these headers, and the reason. */
async function sentWith(origins: string, headers: Record<string, string>, env = {}) {
  const relay = await contact({ ...config, keys: origins, env });
  const { status, json } = await relay.submit('contact', 'name=Ada', headers);
  const line = relay.logged.find(({ event }) => event === 'submission');
  return {
    status,
    json,
    outcome: line?.outcome,
    reason: line?.reason,
    isDelivered: relay.delivered.length === 1,
  };
}

const listed = 'origins: [https://example.com, "https://*.example.org", "http://shop.example:8080"]';

test.each([
  ['as it is written', 'https://example.com'],
  ['a host below the open one', 'https://a.b.example.org'],
  ['with a port that is named', 'http://shop.example:8080'],
  ['in other letters', 'HTTPS://EXAMPLE.com'],
])('a page among the origins: %s', async (_, origin) =>
  expect(await sentWith(listed, { origin })).toMatchObject({ status: 200, isDelivered: true }),
);

test.each([
  ['another host', 'https://evil.example'],
  ['the host alone, without anything below', 'https://example.org'],
  ['a host that only ends so', 'https://evilexample.org'],
  ['the listed one as a part', 'https://example.com.evil.example'],
  ['another scheme', 'http://example.com'],
  ['another port', 'https://example.com:8443'],
  ['no page of the web', 'capacitor://localhost'],
  ['no origin', 'example.com'],
  ['two', 'https://example.com, https://evil.example'],
])('a page that is not among the origins is refused, and the log names it: %s', async (_, origin) => {
  expect(await sentWith(listed, { origin })).toEqual({
    status: 403,
    json: { error: 'This form cannot be sent from this page. Please tell its owner.' },
    outcome: 'origin_refused',
    reason: `sent from ${origin}, which is not among the allowed origins`,
    isDelivered: false,
  });
});

test.each<[string, (host: string) => Record<string, string>, Environment?]>([
  ['by the host that was asked', (host) => ({ origin: `http://${host}` })],
  [
    'by what a proxy was asked',
    () => ({ origin: 'https://forms.example', 'x-forwarded-host': 'forms.example' }),
  ],
  [
    'where the proxy writes the port that the scheme has anyway',
    () => ({ origin: 'https://forms.example', 'x-forwarded-host': 'forms.example:443, inner' }),
  ],
  ['by PUBLIC_URL', () => ({ origin: 'https://forms.example' }), { PUBLIC_URL: 'https://forms.example' }],
  [
    'by what the browser says, though the page hides itself',
    () => ({ origin: 'null', 'sec-fetch-site': 'same-origin' }),
  ],
])('the relay’s own pages: %s', async (_, headersAt, env = {}) => {
  const relay = await contact({ ...config, keys: listed, env });
  expect((await relay.submit('contact', 'name=Ada', headersAt(new URL(relay.origin).host))).status).toBe(200);
});

test.each<Record<string, string>>([
  {},
  { origin: 'null' },
  { origin: 'null', referer: 'https://evil.example/' },
  { referer: 'about:blank' },
])('a request is accepted if the browser does not report its page: %j', async (headers) =>
  expect(await sentWith(listed, headers)).toMatchObject({ status: 200 }),
);

test('steps are checked only from the same pages', async () => {
  const { post } = await contact({ ...config, keys: listed });
  const check = async (origin: string) =>
    (await post('/api/v1/check/contact', 'name=Ada', { origin })).status;
  expect(await check('https://example.com')).toBe(204);
  expect(await check('https://evil.example')).toBe(403);
});

test('pages, fragments and programs each get the refusal in their own format', async () => {
  const { submit } = await contact({ ...config, keys: `${listed}, failure_message: "Call 555."` });
  const origin = 'https://evil.example';
  const fragment = await submit('contact', 'name=Ada', { origin, 'hx-request': 'true' });
  expect(fragment.text).toBe(
    '<ul class="form-errors"><li>This form cannot be sent from this page. Please tell its owner.</li><li>Call 555.</li></ul>\n',
  );
  const problem = await submit('contact', 'name=Ada', { origin, accept: 'application/problem+json' });
  expect(problem.json).toMatchObject({ status: 403, title: 'Forbidden', code: 'origin_refused' });
});

test('a flood of refusals writes one log line per second, with their number', async () => {
  const relay = await contact({ ...config, keys: listed });
  const send = () => relay.submit('contact', 'name=Ada', { origin: 'https://evil.example' });
  for (let sent = 0; sent < 20; sent += 1) await send();
  relay.advance(1_000);
  await send();
  const lines = relay.logged.filter(({ event }) => event === 'submission');
  expect(lines.length).toBeLessThan(20);
  expect(lines.reduce((sum, { requests }) => sum + Number(requests), 0)).toBe(21);
});
