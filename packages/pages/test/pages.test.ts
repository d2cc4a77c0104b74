import { expect, onTestFinished, test } from 'vitest';
import { relayWith } from '../../../test/spec/stage.ts';
import { startRelay } from '../../../test/support/relay.ts';

/** Not by `fetch`, which says itself how it goes there. */
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
  const { body } = await get(query, headers);
  expect(body.slice(0, start.length)).toBe(start);
});

test('a form as it is first shown may be kept for who goes back to it, and for nobody else', async () => {
  const { get } = await staged('[{name: name}]');
  const asBrowser = await get('', { 'sec-fetch-mode': 'navigate' });
  expect(asBrowser.headers['cache-control']).toBe('private, no-cache');
  expect((await get('as=page', {})).headers['cache-control']).toBe('private, no-cache');
  expect((await get('', {})).headers['cache-control']).toBe('no-store');
});

test('every page after that, with errors too, is stored nowhere; none is in a frame of a stranger', async () => {
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

test('a page may be in the frames of the origins that ALLOWED_ORIGINS lists', async () => {
  const { get } = await staged('[]', { ALLOWED_ORIGINS: 'https://www.example.com, https://example.com' });
  expect(policyOf(await get('as=page', {}))).toBe(
    "frame-ancestors 'self' https://www.example.com https://example.com",
  );
});

test('if a bug of the relay prevents reading a page, reloading sends the submission again', async () => {
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
