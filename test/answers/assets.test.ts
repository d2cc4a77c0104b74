import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { fetchHandler } from '../../src/runtimes/fetch.ts';
import { startRelay, type TestRelayOptions } from '../support/relay.ts';

async function staged(options?: TestRelayOptions) {
  const form = '{fields: [{name: a}], outputs: [{type: http_post, url: "http://127.0.0.1:9/"}]}';
  const relay = await startRelay({ config: `forms: {form.css: ${form}, contact: ${form}}`, ...options });
  onTestFinished(relay.close);
  return relay;
}

/** Each asset that a page may load. */
const assets = [
  ['form.css', 'text/css; charset=utf-8', /^\s*@layer form-relay\{/],
  ['form.js', 'text/javascript; charset=utf-8', /^\(function\(\)\{/],
] as const;

test.each(assets)(
  '%s has an address that stays, and is asked for again by its ETag',
  async (name, type, text) => {
    const relay = await staged();
    const answer = await relay.get(`/api/v1/${name}`);
    expect(answer.status).toBe(200);
    expect(answer.text).toMatch(text);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': type,
      'cache-control': 'public, max-age=300, must-revalidate',
      etag: expect.stringMatching(/^"[0-9a-f]{16}"$/),
      'x-content-type-options': 'nosniff',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
    });
    expect(answer.headers.has('vary')).toBe(false);
    const etag = answer.headers.get('etag') ?? '';
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await relay.get(`/api/v1/${name}`, { 'if-none-match': known });
      expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag]);
      expect(again.headers.get('cache-control')).toBe('public, max-age=300, must-revalidate');
    }
    for (const known of ['"other"', '', etag.slice(1)]) {
      expect((await relay.get(`/api/v1/${name}`, { 'if-none-match': known })).status).toBe(200);
    }
  },
);

test.each(assets)('%s has an address of its content, which is stored for a year', async (name) => {
  const relay = await staged();
  const stable = await relay.get(`/api/v1/${name}`);
  const hash = stable.headers.get('etag')?.replaceAll('"', '');
  const hashed = await relay.get(`/api/v1/${name.replace('.', `.${hash}.`)}`);
  expect([hashed.status, hashed.text]).toEqual([200, stable.text]);
  expect(hashed.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  // As after an update: what there is now, and not for long.
  const outdated = await relay.get(`/api/v1/${name.replace('.', '.0123456789abcdef.')}`);
  expect([outdated.status, outdated.text]).toEqual([200, stable.text]);
  expect(outdated.headers.get('cache-control')).toBe('public, max-age=300, must-revalidate');
});

test.each(assets)(
  '%s is for every page, whatever ALLOWED_ORIGINS says, and before there is a config',
  async (name) => {
    const relay = await staged({ env: { ALLOWED_ORIGINS: 'https://a.test', RELAY_CONFIG: '/nowhere' } });
    const answer = await relay.get(`/api/v1/${name}`, { origin: 'https://b.test' });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
  },
);

test.each(assets)('%s passes the throttle, and takes nothing from it', async (name) => {
  const relay = await staged({ env: { THROTTLE_RATE_LIMIT: '1', THROTTLE_BURST_LIMIT: '1' } });
  for (let times = 0; times < 3; times++) expect((await relay.get(`/api/v1/${name}`)).status).toBe(200);
  expect((await relay.get('/api/v1/form/contact')).status).toBe(200);
  expect((await relay.get('/api/v1/form/contact')).status).toBe(429);
  expect((await relay.get(`/api/v1/${name}`)).status).toBe(200);
});

test.each(assets)('%s by HEAD, OPTIONS and other methods', async (name) => {
  const relay = await staged();
  const head = await relay.request(`/api/v1/${name}`, { method: 'HEAD' });
  expect([head.status, head.text, head.headers.has('etag')]).toEqual([200, '', true]);
  expect((await relay.request(`/api/v1/${name}`, { method: 'OPTIONS' })).status).toBe(204);
  const post = await relay.request(`/api/v1/${name}`, { method: 'POST', body: 'a=1' });
  expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
});

test.each([
  '/api/v1/form.txt',
  '/api/v1/form.0.css',
  '/api/v1/form.css/',
  '/api/v1/form..css',
  '/api/v1/toString',
])('404 for %s', async (path) => {
  const relay = await staged();
  const answer = await relay.get(path);
  expect([answer.status, answer.json]).toEqual([404, { error: expect.any(String) }]);
});

test('a form may be called form.css', async () => {
  const relay = await staged();
  const answer = await relay.get('/api/v1/form/form.css');
  expect(answer.text).toContain('action="/api/v1/submit/form.css"');
});

test('a 304 says no length, which would have to be that of the whole', async () => {
  const relay = await staged();
  const socket = connect(Number(new URL(relay.origin).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.end('GET /api/v1/form.css HTTP/1.1\r\nhost: a\r\nif-none-match: *\r\nconnection: close\r\n\r\n');
  let text = '';
  for await (const chunk of socket) text += chunk;
  expect(text).toMatch(/^HTTP\/1.1 304 /);
  expect(text.toLowerCase()).not.toContain('content-length');
});

test('a 304 through the fetch handler', async () => {
  const { relay } = await staged();
  const headers = { 'if-none-match': '*' };
  const answer = await fetchHandler(relay.handle)(new Request('http://a.test/api/v1/form.css', { headers }));
  expect([answer.status, await answer.text()]).toEqual([304, '']);
});
