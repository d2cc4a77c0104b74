/** `POST /api/v1/check/{form}?step=1`: checks a step before the next one is shown. */
import { contact } from '../../../test/support/index.ts';

const problemJson = { accept: 'application/problem+json' };

async function staged(env = {}) {
  const relay = await contact({
    fields: `[{name: kind, type: radios, options: [private, company], required: true}, {name: campaign, type: hidden},
      {name: company, required: true, visible_when: {field: kind, is: company}},
      {name: email, type: email, required: true}, {name: code, pattern: "[A-Z]+"}]`,
    keys: `steps: [{title: Who, fields: [kind]}, {title: Where, fields: [company, email, code]}],
      spam: {honeypot: website, min_fill_seconds: 3}, captcha: {provider: turnstile, secret: x}`,
    outputs: `[{type: http_post, url: $sink, mapping: "*", static: {from: "{{ .fields.utm_source }}"}}]`,
    env: { FORM_TOKEN_SECRET: 'not so secret', ...env },
  });
  const { sink } = relay;
  const check = (body: string, query = '', form = 'contact', headers: Record<string, string> = problemJson) =>
    relay.post(`/api/v1/check/${form}${query}`, body, headers);
  return { relay, sink, check };
}

test('a step is fine, or has the same errors as in a submission, and other steps are not checked', async () => {
  const { check } = await staged();
  expect([(await check('kind=private', '?step=1')).status, (await check('', '?step=1')).status]).toEqual([
    204, 422,
  ]);
  expect((await check(`kind=private&utm_source=${'x'.repeat(10_001)}`, '?step=1')).status).toBe(204);
  // No cache on the way stores what was typed.
  expect((await check('kind=private', '?step=1')).headers.get('cache-control')).toBe('no-store');
  const answer = await check('kind=company&email=x&code=a', '?step=2');
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  expect(answer.json).toMatchObject({
    status: 422,
    code: 'invalid',
    errors: [
      { field: 'company', label: 'Company', code: 'missing', message: 'Enter a value.' },
      { field: 'email', label: 'Email', code: 'not_an_email' },
      { field: 'code', label: 'Code', code: 'wrong_format' },
    ],
  });
  expect(answer.json).not.toHaveProperty('token');
});

test('nothing is delivered, sent to a captcha provider, or logged', async () => {
  const { check, relay, sink } = await staged();
  const before = relay.logged.length;
  const fine = await check('kind=private&email=secret@example.org&website=x&_ts=x');
  expect([fine.status, fine.text, fine.headers.get('cache-control')]).toEqual([204, '', 'no-store']);
  await check('kind=private&email=secret');
  expect(sink.requests).toEqual([]);
  // The log lines that the first load of the config causes.
  const said = relay.logged.slice(before).filter(({ event }) => !/^(config|variables|weak)/.test(event));
  expect(said).toEqual([]);
  expect(JSON.stringify(relay.logged)).not.toContain('secret@');
});

describe('refusals', () => {
  test.each([
    ['a step that is not there', '?step=3', 404],
    ['step 0', '?step=0', 404],
    ['no number', '?step=x', 404],
  ])('%s', async (_, query, status) => {
    const { check } = await staged();
    expect((await check('', query)).status).toBe(status);
  });

  test('an unknown form, another method, a body that cannot be read', async () => {
    const { check, relay } = await staged();
    expect((await check('', '', 'contakt')).status).toBe(404);
    const get = await relay.get('/api/v1/check/contact');
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
    expect((await check('%')).status).toBe(400);
    expect((await check('a=b', '', 'contact', { 'content-type': 'text/plain' })).status).toBe(400);
  });

  test('a check counts towards the throttle', async () => {
    const { check } = await staged({ THROTTLE_RATE_LIMIT: '0.001', THROTTLE_BURST_LIMIT: '1' });
    await check('');
    const answer = await check('');
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '1000']);
  });
});

test('pages of other origins may request checks', async () => {
  const { check, relay } = await staged();
  const headers = { origin: 'https://www.example.com', ...problemJson };
  expect((await check('', '?step=1', 'contact', headers)).headers.get('access-control-allow-origin')).toBe(
    '*',
  );
  const preflight = await relay.request('/api/v1/check/contact', {
    method: 'OPTIONS',
    headers: { origin: 'https://www.example.com', 'access-control-request-method': 'POST' },
  });
  expect([preflight.status, preflight.headers.get('access-control-allow-methods')]).toEqual([
    204,
    'POST, OPTIONS',
  ]);
});
