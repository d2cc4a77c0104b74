import { describe, expect, test } from 'vitest';
import { tagsIn } from './read.ts';
import { httpSink, relayWith } from './stage.ts';

async function staged() {
  const sink = await httpSink();
  const output = `{type: http_post, url: "${sink.origin}", mapping: "*"}`;
  return relayWith({
    config: `forms: {contact: {fields: [{name: name, required: true}], outputs: [${output}]}}`,
  });
}

describe('Versioning', () => {
  test('the HTTP paths carry the prefix /api/v1', async () => {
    const relay = await staged();
    expect((await relay.get('/api/v1/form/contact')).status).toBe(200);
    expect((await relay.get('/api/v1/token/contact')).status).toBe(200);
    expect((await relay.submit('contact', [['name', 'Ann']])).status).toBe(200);
  });

  test('so do the addresses in a rendered form', async () => {
    const relay = await staged();
    const [form] = tagsIn((await relay.get('/api/v1/form/contact')).text);
    expect([form?.attributes.action, form?.attributes['hx-post']]).toEqual(
      Array(2).fill('/api/v1/submit/contact'),
    );
  });

  test.each([
    '/',
    '/form/contact',
    '/api/form/contact',
    '/api/v2/form/contact',
    '/api/v1',
    '/api/v1/',
    '/api/v1/forms/contact',
    '/api/v1/form/contact/more',
    '/API/V1/form/contact',
    '/x/api/v1/form/contact',
    '//api/v1/form/contact',
    '/healthz/x',
  ])('404 as JSON for %s', async (path) => {
    const relay = await staged();
    const answer = await relay.get(path);
    expect([answer.status, answer.json]).toEqual([404, { error: expect.any(String) }]);
  });

  test.each([
    ['/api/v1/submit/contact', ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE'], 'POST, OPTIONS'],
    ['/api/v1/form/contact', ['POST', 'PUT', 'PATCH', 'DELETE'], 'GET, HEAD, OPTIONS'],
    ['/api/v1/token/contact', ['POST', 'PUT', 'PATCH', 'DELETE'], 'GET, HEAD, OPTIONS'],
    ['/healthz', ['POST', 'DELETE'], 'GET, HEAD, OPTIONS'],
    ['/readyz', ['POST', 'DELETE'], 'GET, HEAD, OPTIONS'],
  ])('405 as JSON with Allow for other methods: %s', async (path, methods, allow) => {
    const relay = await staged();
    for (const method of methods) {
      const answer = await relay.request(path, { method });
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow]);
      if (method !== 'HEAD') expect(answer.json).toEqual({ error: expect.any(String) });
    }
  });

  describe('X-Request-Id', () => {
    test('names each answer', async () => {
      const relay = await staged();
      const answers = [
        await relay.get('/api/v1/form/contact'),
        await relay.get('/api/v1/form/nosuch'),
        await relay.get('/nosuch'),
        await relay.get('/healthz'),
        await relay.request('/api/v1/submit/contact', { method: 'OPTIONS' }),
        await relay.submit('contact', [['name', 'Ann']]),
      ];
      const ids = answers.map(({ headers }) => headers.get('x-request-id'));
      for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/);
      expect(new Set(ids).size).toBe(ids.length);
    });

    test('names the submission and its deliveries in the log', async () => {
      const relay = await staged();
      const first = (await relay.submit('contact', [['name', 'Ann']])).headers.get('x-request-id');
      const second = (await relay.submit('contact', [])).headers.get('x-request-id');
      const events = (id: string | null) =>
        relay.logged.flatMap(({ event, request_id }) => (request_id === id ? event : []));
      expect(events(first)).toEqual(['delivered', 'submission']);
      expect(events(second)).toEqual(['submission']);
    });

    test('names what was refused in the log', async () => {
      const relay = await staged();
      const refused = [
        await relay.get('/nosuch'),
        await relay.get('/api/v1/form/nosuch'),
        await relay.request('/api/v1/submit/contact', { method: 'PUT' }),
      ];
      const ids = refused.map(({ headers, status }) => [headers.get('x-request-id'), status]);
      const lines = relay.logged.filter(({ event }) => event === 'refused');
      expect(lines.map(({ request_id, status }) => [request_id, status])).toEqual(ids);
    });

    test('is not taken from the client', async () => {
      const relay = await staged();
      const answer = await relay.get('/api/v1/form/contact', { 'x-request-id': 'mine' });
      expect(answer.headers.get('x-request-id')).not.toBe('mine');
    });
  });
});
