import http from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { relayWith, startRelay, type TestRelayOptions } from '../../../test/support/index.ts';

/** Does not use `fetch`, which sets its own navigation headers. */
async function staged(fields: string, env: Record<string, string> = {}) {
  const relay = await relayWith({
    env,
    config: `forms: {contact: {redirect: "https://a.example/thanks", title: Write to us, fields: ${fields},
      outputs: [{type: http_post, url: "http://127.0.0.1:9/"}]}}`,
  });
  const get = async (query: string, headers: Record<string, string>) =>
    relay.relay.handle({ method: 'GET', path: '/api/v1/form/contact', query, headers, body: undefined });
  const post = async (body: string, method = 'POST') =>
    relay.relay.handle({
      method,
      path: '/api/v1/submit/contact',
      query: '',
      headers: { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' },
      body: Buffer.from(body),
    });
  return { get, post };
}

const policyOf = ({ headers }: { headers: Readonly<Record<string, string>> }) =>
  headers['content-security-policy']?.split('; ').find((one) => one.startsWith('frame-ancestors'));

test.each([
  ['a browser that goes there', '', { 'sec-fetch-mode': 'navigate' }, '<!DOCTYPE html>'],
  ['one that does not say so, after a link', 'as=page', { accept: 'text/html' }, '<!DOCTYPE html>'],
  ['one that does not say so', '', { accept: 'text/html,*/*;q=0.8' }, '<form '],
  ['a script', '', { accept: 'text/html', 'sec-fetch-mode': 'cors' }, '<form '],
  ['htmx, whatever the link says', 'as=page', { 'hx-request': 'true' }, '<form '],
  ['a query that asks for something else', 'as=pages', {}, '<form '],
])('GET /form is a page or a fragment: %s', async (_, query, headers, start) => {
  const { get } = await staged('[{name: name}]');
  expect((await get(query, headers)).body.slice(0, start.length)).toBe(start);
});

test('/f/NAME is the page of a form, which a query fills in, however it is requested', async () => {
  const relay = await relayWith({
    config: `forms: {contact: {title: Write to us, fields: [{name: as}, {name: name}], outputs: [{type: http_post, url: "http://127.0.0.1:9/"}]}}`,
  });
  const page = await relay.get('/f/contact?name=Ada');
  expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'private, no-cache']);
  expect(page.text).toMatch(/<h1>Write to us<\/h1>.*action="\/api\/v1\/submit\/contact".*value="Ada"/s);
  expect(page.text).toContain('<meta name="robots" content="noindex">');
  const missing = await relay.get('/f/nothing');
  expect([missing.status, missing.text]).toEqual([404, expect.stringContaining('no form at this address')]);
  const posted = await relay.request('/f/contact', { method: 'POST', body: 'name=Ada' });
  expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
  expect(posted.text).toContain('Nothing was sent.');
  for (const [name, value] of [
    ['hx-request', 'true'],
    ['accept', 'text/html;profile=form-relay'],
  ] as const)
    expect((await relay.get('/f/contact', { [name]: value })).text).toMatch(/^<form /);
});

describe('a browser that navigates to a URL gets a page, and a program gets the same as always', () => {
  const navigates = { accept: 'text/html,*/*;q=0.8', 'sec-fetch-mode': 'navigate' };
  const urlencoded = 'application/x-www-form-urlencoded';

  test.each([
    ['GET', '/', '', 200, 'This address receives', 404],
    ['GET', '/nothing', '', 404, 'no page at this address', 404],
    ['GET', '/api/v1/form/nothing', '', 404, 'no form at this address', 404],
    ['GET', '/api/v1/submit/contact', '', 405, 'Nothing was sent.', 405],
    ['POST', '/', '', 404, 'no page at this address', 404],
    ['POST', '/api/v1/submit/nothing', 'name=Ada', 404, 'no form at this address', 404],
    ['POST', '/api/v1/submit/contact', 'name=', 422, 'aria-invalid="true"', 422],
    ['POST', '/api/v1/submit/contact', '%', 400, '<title>Error: Contact', 400],
    ['POST', '/api/v1/submit/contact', `name=${'x'.repeat(65_537)}`, 400, 'shorten it', 400],
    ['POST', '/api/v1/submit/contact', 'name=Ada', 500, 'could not be delivered', 500],
    ['POST', '/api/v1/submit/closed', 'name=Ada', 403, 'closed', 403],
  ] as const)('%s %s: %#', async (method, path, body, status, words, plainStatus) => {
    const output = '{type: http_post, url: "http://127.0.0.1:9/", retries: 0';
    const relay = await relayWith({
      config: `forms:
  contact: {fields: [{name: name, required: true}], outputs: [${output}}]}
  quiet: {fields: [{name: name}], outputs: [${output}, on_error: continue}]}
  closed: {closes: 2020-01-01, time_zone: UTC, fields: [{name: name}], outputs: [${output}}]}`,
    });
    const ask = (headers: Record<string, string>) =>
      relay.relay.handle({
        ...{ method, path, query: '', body: Buffer.from(body) },
        headers: { ...(method === 'POST' && { 'content-type': urlencoded }), ...headers },
      });
    const page = await ask(navigates);
    expect([page.status, page.body.slice(0, 15)]).toEqual([status, '<!DOCTYPE html>']);
    expect(page.body).toContain(words);
    if (path !== '/api/v1/submit/contact') expect(page.body).not.toMatch(/contact|quiet/);
    for (const headers of [
      { accept: '*/*' },
      { accept: 'text/html' },
      { ...navigates, accept: 'application/json' },
    ]) {
      const plain = await ask(headers);
      expect([plain.status, plain.headers['content-type']]).toEqual([
        plainStatus,
        'application/json; charset=utf-8',
      ]);
    }
  });
});

test('a form’s first page may be cached for going back, but not in shared caches', async () => {
  const { get } = await staged('[{name: name}]');
  const asBrowser = await get('', { 'sec-fetch-mode': 'navigate' });
  expect(asBrowser.headers['cache-control']).toBe('private, no-cache');
  expect((await get('as=page', {})).headers['cache-control']).toBe('private, no-cache');
  expect((await get('', {})).headers['cache-control']).toBe('no-store');
});

test('every later page, including errors, is not cached, and no other site can frame one', async () => {
  const { get, post } = await staged('[{name: name, required: true}]', {
    THROTTLE_RATE_LIMIT: '0.001',
    THROTTLE_BURST_LIMIT: '4',
  });
  const pages = [await get('as=page', {}), await post('name='), await post('%'), await post('', 'GET')];
  const throttled = await post('name=Ada');
  expect([...pages, throttled].map(({ status }) => status)).toEqual([200, 422, 400, 405, 429]);
  for (const page of [...pages, throttled]) {
    expect(page.body).toMatch(/^<!DOCTYPE html>/);
    if (page.status !== 200) expect(page.headers['cache-control']).toBe('no-store');
    expect(policyOf(page)).toBe("frame-ancestors 'self'");
  }
});

test('a page may be in frames of the origins in ALLOWED_ORIGINS', async () => {
  const { get } = await staged('[]', { ALLOWED_ORIGINS: 'https://www.example.com, https://example.com' });
  expect(policyOf(await get('as=page', {}))).toBe(
    "frame-ancestors 'self' https://www.example.com https://example.com",
  );
});

test('if a bug prevents reading a page, reloading sends the submission again', async () => {
  const { relay } = await startRelay({
    config: `forms: {contact: {redirect: "https://a.example/thanks", fields: [{name: name}],
      captcha: {provider: turnstile, secret: '{{ env "SECRET" }}'},
      outputs: [{type: http_post, url: "http://127.0.0.1:9/"}]}}`,
    effects: {
      env: () => {
        throw new Error('no such effect');
      },
    },
  });
  onTestFinished(relay.close);
  const { status, body } = await relay.handle({
    method: 'POST',
    path: '/api/v1/submit/contact',
    query: '',
    headers: { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' },
    body: Buffer.from('name=Ada&cf-turnstile-response=x'),
  });
  expect(status).toBe(500);
  expect(body).toContain('reload this page');
  expect(body).not.toMatch(/<form|Ada/);
});

function stagedAssets(options?: TestRelayOptions) {
  const form = '{fields: [{name: a}], outputs: [{type: http_post, url: "http://127.0.0.1:9/"}]}';
  return relayWith({ config: `forms: {form.css: ${form}, contact: ${form}}`, ...options });
}

const forAWhile = 'public, max-age=300, stale-while-revalidate=604800, stale-if-error=604800';

/** All assets that a page may load. */
const assets = [
  ['form.css', 'text/css; charset=utf-8', /^\s*\.form-relay,/],
  ['form.js', 'text/javascript; charset=utf-8', /^\(function\(\)\{/],
] as const;

test.each(assets)('%s has a lasting URL, and is revalidated by its ETag', async (name, type, text) => {
  const relay = await stagedAssets();
  const plain = { 'accept-encoding': 'identity' };
  const answer = await relay.get(`/api/v1/${name}`, plain);
  expect(answer.status).toBe(200);
  expect(answer.text).toMatch(text);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': type,
    'cache-control': forAWhile,
    etag: expect.stringMatching(/^"[0-9a-f]{16}"$/),
    'x-content-type-options': 'nosniff',
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
  });
  expect(answer.headers.get('vary')).toBe('accept-encoding');
  expect(answer.headers.has('content-encoding')).toBe(false);
  const etag = answer.headers.get('etag') ?? '';
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`]) {
    const again = await relay.get(`/api/v1/${name}`, { ...plain, 'if-none-match': known });
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag]);
    expect(again.headers.get('cache-control')).toBe(forAWhile);
  }
  for (const known of ['"other"', '', etag.slice(1)])
    expect((await relay.get(`/api/v1/${name}`, { 'if-none-match': known })).status).toBe(200);
});

test.each(assets)(
  '%s is available to every page, whatever ALLOWED_ORIGINS says, even without a config',
  async (name) => {
    const relay = await stagedAssets({
      env: { ALLOWED_ORIGINS: 'https://a.test', RELAY_CONFIG: '/nowhere' },
    });
    const answer = await relay.get(`/api/v1/${name}`, { origin: 'https://b.test' });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
  },
);

test.each(assets)('%s is not throttled, and does not count towards the throttle', async (name) => {
  const relay = await stagedAssets({ env: { THROTTLE_RATE_LIMIT: '1', THROTTLE_BURST_LIMIT: '1' } });
  for (let times = 0; times < 3; times++) expect((await relay.get(`/api/v1/${name}`)).status).toBe(200);
  expect((await relay.get('/api/v1/form/contact')).status).toBe(200);
  expect((await relay.get('/api/v1/form/contact')).status).toBe(429);
  expect((await relay.get(`/api/v1/${name}`)).status).toBe(200);
});

/** The raw bytes, which `fetch` would decompress. */
async function raw(url: string, headers: Record<string, string>, method = 'GET') {
  const answer = await new Promise<http.IncomingMessage>((resolve, reject) => {
    http.request(url, { headers, method }, resolve).on('error', reject).end();
  });
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk);
  return { status: answer.statusCode, headers: answer.headers, body: Buffer.concat(chunks) };
}

const unpack = { br: brotliDecompressSync, gzip: gunzipSync };

describe.each(assets)('%s compressed', (name) => {
  test.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['GZIP;q=0.5', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
  ] as const)('for clients that accept %s', async (accepted, encoding) => {
    const relay = await stagedAssets();
    const url = `${relay.origin}/api/v1/${name}`;
    const plain = await raw(url, {});
    const answer = await raw(url, { 'accept-encoding': accepted });
    expect([answer.status, answer.headers['content-encoding']]).toEqual([200, encoding]);
    expect(answer.headers.vary).toBe('accept-encoding');
    expect(answer.headers['content-length']).toBe(`${answer.body.length}`);
    expect(answer.body.length).toBeLessThan(plain.body.length / 2);
    expect(unpack[encoding](answer.body).equals(plain.body)).toBe(true);
    const etag = answer.headers.etag ?? '';
    expect(etag).toBe(plain.headers.etag?.replace(/"$/, `-${encoding}"`));
    const known = { 'accept-encoding': accepted, 'if-none-match': etag };
    const again = await raw(url, known);
    expect([again.status, again.headers.etag, again.body.length]).toEqual([304, etag, 0]);
    expect(again.headers).not.toHaveProperty('content-encoding');
    const head = await raw(url, { 'accept-encoding': accepted }, 'HEAD');
    expect([head.headers.etag, head.headers['content-encoding'], head.body.length]).toEqual([
      etag,
      encoding,
      0,
    ]);
  });

  test.each(['', 'identity', '*', 'br;q=0', 'br; q=0.000, gzip;q=0', 'deflate, zstd', 'xbr', 'gzip2'])(
    'not for clients that accept "%s"',
    async (accepted) => {
      const relay = await stagedAssets();
      const answer = await raw(`${relay.origin}/api/v1/${name}`, { 'accept-encoding': accepted });
      expect(answer.headers).not.toHaveProperty('content-encoding');
      expect(answer.headers.etag).toMatch(/^"[0-9a-f]{16}"$/);
    },
  );
});

test('responses with a visitor’s text are not compressed', async () => {
  const relay = await stagedAssets();
  const answer = await raw(`${relay.origin}/api/v1/form/contact`, { 'accept-encoding': 'br, gzip' });
  expect([answer.status, answer.headers['content-encoding']]).toEqual([200, undefined]);
});

test.each(
  '/api/v1/form.txt /api/v1/form.0.css /api/v1/form.css/ /api/v1/form..css /api/v1/toString'.split(' '),
)('404 for %s', async (path) => {
  const relay = await stagedAssets();
  const answer = await relay.get(path);
  expect([answer.status, answer.json]).toEqual([404, { error: expect.any(String) }]);
});
