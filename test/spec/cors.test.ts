import { describe, expect, test } from 'vitest';
import { relayWith } from './stage.ts';

const config = `forms: {contact: {fields: [{name: name, required: true}],
  outputs: [{type: http_post, url: "http://127.0.0.1:9/", on_error: continue}]}}`;
const relayFor = (origins?: string) => relayWith({ config, env: { ALLOWED_ORIGINS: origins } });

/** Requests of every kind, with the statuses that they get. */
const requests: [path: string, init: RequestInit, status: number][] = [
  ['/api/v1/submit/contact', post('name=Ann'), 200],
  ['/api/v1/submit/contact', post('name='), 422],
  ['/api/v1/submit/contact', post('%'), 400],
  ['/api/v1/submit/nosuch', post('name=Ann'), 404],
  ['/api/v1/submit/contact', { method: 'GET' }, 405],
  ['/api/v1/submit/contact', { method: 'OPTIONS' }, 204],
  ['/api/v1/form/contact', {}, 200],
  ['/api/v1/form/nosuch', {}, 404],
  ['/api/v1/token/contact', {}, 200],
  ['/nosuch', {}, 404],
  ['/healthz', {}, 200],
  ['/readyz', {}, 200],
];

function post(body: string): RequestInit {
  return { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body };
}

const from = (origin: string, { headers, ...init }: RequestInit): RequestInit => ({
  ...init,
  headers: { ...(headers as Record<string, string>), origin },
});

describe('ALLOWED_ORIGINS', () => {
  test.each(requests)(
    'by default any origin may read the answer: %s %j, status %i',
    async (path, init, status) => {
      const relay = await relayFor();
      const answer = await relay.request(path, from('https://anyone.example', init));
      expect(answer.status).toBe(status);
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
      expect(answer.headers.get('vary')).toMatch(/\bOrigin\b/);
    },
  );

  test.each(requests)('an allowlist echoes the matching origin: %s %j', async (path, init, status) => {
    const relay = await relayFor('https://a.example, https://b.example:8443');
    for (const origin of ['https://a.example', 'https://b.example:8443']) {
      const answer = await relay.request(path, from(origin, init));
      expect(answer.status).toBe(status);
      expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
      expect(answer.headers.get('vary')).toMatch(/\bOrigin\b/);
    }
  });

  test.each(requests)('another origin is served, but may not read: %s %j', async (path, init, status) => {
    const relay = await relayFor('https://a.example');
    const answer = await relay.request(path, from('https://evil.example', init));
    expect(answer.status).toBe(status);
    expect(answer.headers.has('access-control-allow-origin')).toBe(false);
    expect(answer.headers.get('vary')).toMatch(/\bOrigin\b/);
  });

  test.each([
    'http://a.example',
    'https://a.example:444',
    'https://a.example.evil.example',
    'https://sub.a.example',
    'https://a.example/',
    'null',
    '*',
  ])('an origin matches as a whole: %s does not', async (origin) => {
    const relay = await relayFor('https://a.example');
    const { headers } = await relay.get('/api/v1/form/contact', { origin });
    expect(headers.has('access-control-allow-origin')).toBe(false);
  });

  test('without an Origin no origin is named', async () => {
    const relay = await relayFor('https://a.example');
    expect((await relay.get('/api/v1/form/contact')).headers.has('access-control-allow-origin')).toBe(false);
  });

  test('the 429 of the throttle may be read too', async () => {
    const env = {
      ALLOWED_ORIGINS: 'https://a.example',
      THROTTLE_BURST_LIMIT: '1',
      THROTTLE_RATE_LIMIT: '0.001',
    };
    const relay = await relayWith({ config, env });
    await relay.get('/api/v1/form/contact');
    const answer = await relay.get('/api/v1/form/contact', { origin: 'https://a.example' });
    expect(answer.status).toBe(429);
    expect(answer.headers.get('access-control-allow-origin')).toBe('https://a.example');
    expect(answer.headers.get('access-control-expose-headers')).toMatch(/\bRetry-After\b/i);
  });

  test.each([
    'example.com',
    'https://a.example/path',
    'https://a.example/',
    '*, https://a.example',
    'null',
    ',',
    ' ',
  ])('is refused at the start when it is malformed: %s', async (origins) => {
    await expect(relayFor(origins)).rejects.toThrow(/^ALLOWED_ORIGINS: /);
  });
});

describe('a preflight', () => {
  const htmx2 = 'HX-Request HX-Trigger HX-Trigger-Name HX-Target HX-Current-URL HX-Prompt HX-Boosted';
  const autoEncoded = ['Trigger', 'Trigger-Name', 'Target', 'Current-URL', 'Prompt'];
  const headers = [
    'Content-Type',
    ...htmx2.split(' '),
    'HX-History-Restore-Request',
    ...autoEncoded.map((name) => `HX-${name}-URI-AutoEncoded`),
    'HX-Source',
    'HX-Request-Type',
  ];

  test.each([
    ['/api/v1/submit/contact', 'POST'],
    ['/api/v1/form/contact', 'GET'],
    ['/api/v1/token/contact', 'GET'],
  ])('to %s allows %s and every request header of htmx 2 and 4', async (path, method) => {
    const relay = await relayFor('https://a.example');
    const answer = await relay.request(path, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://a.example',
        'access-control-request-method': method,
        'access-control-request-headers': headers.join(',').toLowerCase(),
      },
    });
    expect([answer.status, answer.text]).toEqual([204, '']);
    const list = (name: string) => answer.headers.get(name)?.split(', ') ?? [];
    expect(list('access-control-allow-methods')).toContain(method);
    expect(list('access-control-allow-headers')).toEqual(
      expect.arrayContaining(headers.map((name) => name.toLowerCase())),
    );
    expect(answer.headers.get('access-control-allow-origin')).toBe('https://a.example');
  });
});
