import { describe, expect, test } from 'vitest';
import { contact } from '../../../test/spec/stage.ts';
import type { Environment } from '../../core/src/settings.ts';

const config = { fields: '[{name: name, required: true}]' };

/** The result of a submission with these headers, and why. */
async function sentWith(origins: string, headers: Record<string, string>, env = {}) {
  const relay = await contact({
    ...config,
    outputs: `[{type: http_post, url: $sink, mapping: "*"}], ${origins}`,
    env,
  });
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

describe('a page among the origins', () => {
  test.each([
    ['as it is written', 'https://example.com'],
    ['a host below the open one', 'https://a.b.example.org'],
    ['with a port that is named', 'http://shop.example:8080'],
    ['in other letters', 'HTTPS://EXAMPLE.com'],
  ])('%s', async (_, origin) => {
    expect(await sentWith(listed, { origin })).toMatchObject({ status: 200, isDelivered: true });
  });
});

describe('a page that is not among them is refused, and the log says which', () => {
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
  ])('%s', async (_, origin) => {
    expect(await sentWith(listed, { origin })).toEqual({
      status: 403,
      json: { error: 'This form cannot be sent from this page. Please tell its owner.' },
      outcome: 'origin_refused',
      reason: `sent from ${origin}, which is not among the origins`,
      isDelivered: false,
    });
  });
});

describe('the relay’s own pages', () => {
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
  ])('%s', async (_, headersAt, env = {}) => {
    const relay = await contact({
      ...config,
      outputs: `[{type: http_post, url: $sink, mapping: "*"}], ${listed}`,
      env,
    });
    const { status } = await relay.submit('contact', 'name=Ada', headersAt(new URL(relay.origin).host));
    expect(status).toBe(200);
  });
});

describe('a browser that does not say from which page it comes', () => {
  test.each<Record<string, string>>([
    {},
    { origin: 'null' },
    { origin: 'null', referer: 'https://evil.example/' },
    { referer: 'about:blank' },
  ])('is taken: %j', async (headers) => {
    expect(await sentWith(listed, headers)).toMatchObject({ status: 200 });
  });
});

test('a step is checked from the same pages only', async () => {
  const { request } = await contact({
    ...config,
    outputs: `[{type: http_post, url: $sink, mapping: "*"}], ${listed}`,
  });
  const check = async (origin: string) =>
    (
      await request('/api/v1/check/contact', {
        method: 'POST',
        headers: { origin, 'content-type': 'application/x-www-form-urlencoded' },
        body: 'name=Ada',
      })
    ).status;
  expect(await check('https://example.com')).toBe(204);
  expect(await check('https://evil.example')).toBe(403);
});

test('pages, fragments and programs each read it in their own way', async () => {
  const { submit } = await contact({
    ...config,
    outputs: `[{type: http_post, url: $sink, mapping: "*"}], ${listed}, failure_message: "Call 555." `,
  });
  const origin = 'https://evil.example';
  const fragment = await submit('contact', 'name=Ada', { origin, 'hx-request': 'true' });
  expect(fragment.text).toBe(
    '<ul class="form-errors"><li>This form cannot be sent from this page. Please tell its owner.</li><li>Call 555.</li></ul>\n',
  );
  const problem = await submit('contact', 'name=Ada', { origin, accept: 'application/problem+json' });
  expect(problem.json).toMatchObject({ status: 403, title: 'Forbidden', code: 'origin_refused' });
});

test('a flood of refusals has one line a second, with how many there were', async () => {
  const relay = await contact({
    ...config,
    outputs: `[{type: http_post, url: $sink, mapping: "*"}], ${listed}`,
  });
  const send = () => relay.submit('contact', 'name=Ada', { origin: 'https://evil.example' });
  for (let sent = 0; sent < 20; sent += 1) await send();
  relay.advance(1_000);
  await send();
  const lines = relay.logged.filter(({ event }) => event === 'submission');
  expect(lines.length).toBeLessThan(20);
  expect(lines.reduce((sum, { requests }) => sum + Number(requests), 0)).toBe(21);
});
