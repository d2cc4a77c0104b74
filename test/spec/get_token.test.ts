import { describe, expect, test } from 'vitest';
import { lastingHeaders, tagsIn, tokenIn } from './read.ts';
import { httpSink, relayWith } from './stage.ts';

async function staged(secret = 'signing secret') {
  const sink = await httpSink();
  const form = (spam?: object) => ({
    fields: [{ name: 'name', required: true }],
    outputs: [{ type: 'http_post', url: sink.origin, mapping: '*' }],
    spam,
  });
  const forms = {
    plain: form(),
    timed: form({ min_fill_seconds: 2 }),
    custom: form({ min_fill_seconds: 2, token_field: 'a "quoted" <name>' }),
  };
  const clock = { ms: Date.UTC(2030, 0, 1) };
  const relay = await relayWith({
    config: JSON.stringify({ forms }),
    env: { FORM_TOKEN_SECRET: secret },
    effects: { now: () => clock.ms },
  });
  return { relay, sink, clock };
}

describe('GET /api/v1/token/{form}', () => {
  test('returns only the token, as a hidden input', async () => {
    const { relay } = await staged();
    const answer = await relay.get('/api/v1/token/timed');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.text.trim()).toMatch(/^<input type="hidden" name="_ts" value="[\w.-]+">$/);
  });

  test('names the input after the token_field', async () => {
    const { relay } = await staged();
    const { text } = await relay.get('/api/v1/token/custom');
    expect(tagsIn(text)).toHaveLength(1);
    expect(tokenIn(text, 'a "quoted" <name>')).not.toBe('');
  });

  test('the token is fresh each time, and counts from then', async () => {
    const { relay, sink, clock } = await staged();
    const first = tokenIn((await relay.get('/api/v1/token/timed')).text);
    clock.ms += 2000;
    const second = tokenIn((await relay.get('/api/v1/token/timed')).text);
    await relay.submit('timed', [
      ['name', 'Ann'],
      ['_ts', second],
    ]);
    expect(sink.requests).toHaveLength(0);
    await relay.submit('timed', [
      ['name', 'Ann'],
      ['_ts', first],
    ]);
    expect(sink.requests).toHaveLength(1);
  });

  test('a query changes nothing', async () => {
    const { relay } = await staged();
    const { text } = await relay.get('/api/v1/token/timed');
    expect((await relay.get('/api/v1/token/timed?_ts=mine&name=x&token_field=y')).text).toBe(text);
  });

  test('a form without min-fill has no token to return', async () => {
    const { relay } = await staged();
    const answer = await relay.get('/api/v1/token/plain');
    expect([answer.status, answer.text]).toEqual([200, '']);
  });

  test.each(['nosuch', 'Timed', '', 'timed/', 'timed/x', '__proto__', '%'])('404 for %j', async (path) => {
    const { relay } = await staged();
    const answer = await relay.get(`/api/v1/token/${path}`);
    expect([answer.status, answer.json]).toEqual([404, { error: expect.any(String) }]);
  });

  test('500 when min-fill is on and FORM_TOKEN_SECRET empty', async () => {
    const { relay } = await staged('');
    const answer = await relay.get('/api/v1/token/timed');
    expect([answer.status, answer.json]).toEqual([500, { error: expect.any(String) }]);
    expect(relay.logged).toContainEqual(
      expect.objectContaining({
        level: 'error',
        event: 'no_token_secret',
        form: 'timed',
        request_id: answer.headers.get('x-request-id'),
      }),
    );
  });

  test('500 when the config cannot be loaded', async () => {
    const relay = await relayWith({ config: 'forms: nonsense' });
    const answer = await relay.get('/api/v1/token/timed');
    expect([answer.status, answer.json]).toEqual([500, { error: expect.any(String) }]);
  });

  test('is neither stored nor sniffed', async () => {
    const { relay } = await staged();
    const { headers } = await relay.get('/api/v1/token/timed');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('HEAD answers as GET does, without the body', async () => {
    const { relay } = await staged();
    const get = await relay.get('/api/v1/token/timed');
    const head = await relay.request('/api/v1/token/timed', { method: 'HEAD' });
    expect([head.status, lastingHeaders(head)]).toEqual([get.status, lastingHeaders(get)]);
    expect([null, String(get.text.length)]).toContain(head.headers.get('content-length'));
    expect(head.text).toBe('');
  });
});
