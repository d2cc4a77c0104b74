/** `stats: true` over HTTP: what pages say is counted in the journal, and nothing else of them is kept. */
import { expect, test } from 'vitest';
import type { TestRelayOptions } from '../support/relay.ts';
import { folder, linesIn, relayWith, textIn } from './stage.ts';

const output = '{type: http_post, url: "https://a.example/", mapping: "*"}';
const http = async () => ({ status: 200, headers: {}, body: '' });

async function counting({ keys = '', ...options }: Partial<TestRelayOptions> & { keys?: string } = {}) {
  const journal = await folder();
  const relay = await relayWith({
    in: journal,
    keys: `stats: true\n    steps: [{title: A, fields: [name]}, {title: B, fields: [text, cv]}]\n    ${keys}`,
    outputs: output,
    ...options,
    effects: { http, ...options.effects },
  });
  return {
    ...relay,
    say: async (body: string, headers: Record<string, string> = {}, form = 'contact') =>
      (await relay.request(`/api/v1/stats/${form}`, { method: 'POST', body, headers })).status,
    counts: async () => {
      await relay.relay.flush();
      return (await linesIn(journal)).filter(({ kind }) => kind === 'stats');
    },
    text: () => textIn(journal),
  };
}

test('counts add up to a line for each form, which says nothing about who it was', async () => {
  const relay = await counting();
  const headers = { 'user-agent': 'Very Own Browser', referer: 'https://a.example/secret' };
  expect(await relay.say('view start step1', headers)).toBe(204);
  expect(await relay.say('step2 send view view')).toBe(204);
  // Anybody can send anything.
  for (const body of ['', 'views', 'step3 step0 __proto__', 'view'.repeat(2_000), '\0\uffff {"view":9}'])
    expect(await relay.say(body)).toBe(204);
  expect(await relay.counts()).toEqual([
    {
      kind: 'stats',
      at: expect.stringMatching(/:00\.000Z$/),
      form: 'contact',
      views: 2,
      starts: 1,
      sends: 1,
      steps: [1, 1],
    },
  ]);
  expect(await relay.text()).not.toMatch(/Browser|secret|127\.0\.0\.1/);
  expect(relay.logged.filter(({ event }) => event !== 'config_loaded')).toEqual([]);
});

test.each(['dnt', 'sec-gpc'])('a browser that sends %s is not counted', async (name) => {
  const relay = await counting();
  expect(await relay.say('view', { [name]: '1' })).toBe(204);
  expect(await relay.counts()).toEqual([]);
});

test('only pages that may send the form count', async () => {
  const relay = await counting({ keys: 'origins: [https://a.example]' });
  expect(await relay.say('view', { origin: 'https://b.example' })).toBe(403);
  expect(await relay.say('view', { origin: 'https://a.example' })).toBe(204);
  expect(await relay.counts()).toMatchObject([{ views: 1 }]);
});

test('a flood of counts is dropped, and takes no submission’s place', async () => {
  const now = Date.now();
  const env = { THROTTLE_RATE_LIMIT: '1', THROTTLE_BURST_LIMIT: '1' };
  const relay = await counting({ env, effects: { now: () => now } });
  // Its addresses are known once the config is.
  await relay.get('/readyz');
  for (let count = 0; count < 300; count += 1) expect(await relay.say('view')).toBe(204);
  // A function has the body of each request.
  const request = { method: 'POST', path: '/api/v1/stats/contact', query: '', headers: {} };
  const dropped = await relay.relay.handle({ ...request, body: Buffer.from('view') });
  expect(dropped).toMatchObject({ status: 204, headers: { 'cache-control': 'no-store' }, body: '' });
  expect((await relay.submit('contact', [['name', 'Ada']])).status).toBe(200);
  expect(await relay.counts()).toMatchObject([{ views: 200 }]);
});

test('a form without it ships nothing of it, and counts nothing', async () => {
  const page = (relay: { get(path: string): Promise<{ text: string }> }) =>
    relay.get('/api/v1/form/contact?as=page');
  expect((await page(await counting())).text).toMatch(/ data-parts="stats"/);
  const journal = await folder();
  const without = await relayWith({ in: journal, outputs: output, effects: { http } });
  expect((await page(without)).text).not.toContain('stats');
  const { status } = await without.request('/api/v1/stats/contact', { method: 'POST', body: 'view' });
  expect(status).toBe(404);
});
