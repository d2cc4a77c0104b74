/** A form that the browser sends itself says so in its URL, and ends on a page. */
import { type StageOptions, staged, titleOf } from './stage.ts';

const problemJson = { accept: 'application/problem+json' };
/** The same, with what the visitor is finally shown. */
async function stagedPage({ keys = '', ...options }: StageOptions = {}) {
  const relay = await staged({ keys, ...options });
  const post = async (
    body: string,
    query = '?as=page',
    headers: Record<string, string> = {},
    form = 'contact',
  ) => relay.shown(await relay.post(body, headers, query, form));
  return { relay, sink: relay.sink, post, fail: relay.fail };
}

const isPage = ({ text }: { text: string }) => text.startsWith('<!DOCTYPE html>');
const said = ({ text }: { text: string }) => [...text.matchAll(/<li>(.*?)<\/li>/g)].map(([, words]) => words);
const tokenIn = ({ text }: { text: string }) => /name="_ts" value="([^"]+)"/.exec(text)?.[1] ?? '';

test('an accepted submission ends on a page with the confirmation, a focused heading, and no form', async () => {
  const { post, sink } = await stagedPage({ keys: 'confirmation: We will be in touch <soon>.' });
  const page = await post('name=Ada');
  expect([page.status, isPage(page), titleOf(page)]).toEqual([200, true, 'Sent: Write to us']);
  expect(page.headers.get('cache-control')).toBe('no-store');
  expect(page.text).toContain('<h1 tabindex="-1" autofocus>Write to us</h1>');
  expect(page.text).toContain('<div class="form-confirmation">We will be in touch &lt;soon&gt;.</div>');
  expect(page.text).not.toContain('<form');
  expect(sink.requests.map(({ body }) => body)).toEqual(['name=Ada']);
});

test('errors in fields, and a failed delivery, end on a page with everything that was typed', async () => {
  const { post, fail } = await stagedPage({ fields: '[{name: name, required: true}, {name: note}]' });
  const invalid = await post('name=&note=by+boat');
  expect([invalid.status, titleOf(invalid)]).toEqual([422, 'Error: Write to us']);
  expect(invalid.text).toMatch(/class="field-error".*value="by boat"/s);
  fail(500);
  const undelivered = await post('name=Ada&note=by+boat');
  expect([undelivered.status, titleOf(undelivered)]).toEqual([500, 'Error: Write to us']);
  expect(undelivered.text).toMatch(/value="Ada".*value="by boat".*role="alert".*could not be delivered/s);
});

test('the form on a page asks for pages again, but the fragment for htmx does not', async () => {
  const { post, relay } = await stagedPage();
  expect((await post('name=')).text).toContain('action="/api/v1/submit/contact?as=page"');
  const page = await relay.get('/api/v1/form/contact?as=page');
  expect(page.text).toContain('action="/api/v1/submit/contact?as=page"');
  const fragment = await relay.get('/api/v1/form/contact');
  expect(fragment.text).toMatch(/action="\/api\/v1\/submit\/contact" .*hx-post="\/api\/v1\/submit\/contact"/);
});

test.each([
  ['htmx', { 'hx-request': 'true' }, '<div class="form-confirmation">'],
  ['a script that asks for problem+json', problemJson, '{"message":"ok"'],
])('%s gets what it asks for, whatever the URL says', async (_, headers, start) => {
  const { post } = await stagedPage();
  expect((await post('name=Ada', '?as=page', headers)).text.slice(0, start.length)).toBe(start);
});

describe('without a min-fill token', () => {
  const keys = 'spam: {honeypot: website, min_fill_seconds: 3}';

  test.each(['name=Ada', 'name=Ada&_ts='])('visitors send %s again, and nothing is lost', async (body) => {
    const { post, sink, relay } = await stagedPage({ keys });
    const page = await post(body);
    expect(page.status).toBe(422);
    expect(said(page)).toEqual(['Please check your entries and send the form once more.']);
    expect(page.text).toContain('value="Ada"');
    expect(sink.requests).toEqual([]);
    expect(relay.logged.at(-1)).toMatchObject({
      level: 'info',
      event: 'submission',
      outcome: 'token_missing',
      reason: 'the token is missing',
    });
    // People take more than a second to read the page, so a slower sender is not a bot.
    relay.advance(1_000);
    const sent = await post(`name=Ada&_ts=${encodeURIComponent(tokenIn(page))}`);
    expect(titleOf(sent)).toBe('Sent: Write to us');
    expect(sink.requests).toHaveLength(1);
  });

  test('a forged token, a submission that is too fast, and a filled decoy are dropped as always', async () => {
    const { post, sink, relay } = await stagedPage({ keys });
    const { text } = await relay.get('/api/v1/token/contact');
    for (const body of [
      'name=Ada&_ts=forged',
      `name=Ada&_ts=${encodeURIComponent(tokenIn({ text }))}`,
      'name=Ada&website=x',
    ]) {
      const page = await post(body);
      expect([page.status, titleOf(page)]).toEqual([200, 'Sent: Write to us']);
    }
    expect(sink.requests).toEqual([]);
  });

  test.each([
    ['', {}],
    ['', problemJson],
    ['?as=page', problemJson],
    ['?as=page', { 'hx-request': 'true' }],
  ])('requests that do not end on a page are dropped as always: %s %o', async (query, headers) => {
    const { post, sink } = await stagedPage({ keys });
    expect((await post('name=Ada', query, headers as Record<string, string>)).status).toBe(200);
    expect(sink.requests).toEqual([]);
  });
});

describe('without access to what was sent, the page has no form, and says how to keep it', () => {
  test('throttled', async () => {
    const { post } = await stagedPage({ env: { THROTTLE_RATE_LIMIT: '0.001', THROTTLE_BURST_LIMIT: '1' } });
    await post('name=Ada');
    const page = await post('name=Ada');
    expect([page.status, isPage(page)]).toEqual([429, true]);
    expect(page.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect(said(page)[0]).toContain('please go back');
    expect(page.text).not.toMatch(/<form|Ada/);
  });

  test('a form that is not there', async () => {
    const { post } = await stagedPage();
    const page = await post('name=Ada', '?as=page', {}, 'contakt%3Cb%3E');
    expect([page.status, titleOf(page)]).toEqual([404, 'There is a problem']);
    expect(said(page)).toEqual(['There is no form at this address.']);
    expect(page.text).not.toMatch(/contakt|<form/);
  });
});

describe('responses to scripts', () => {
  const spam = 'spam: {min_fill_seconds: 3}';

  test.each([
    ['', { message: 'ok', confirmation: 'Thank you.' }],
    ['confirmation: Bye.', { message: 'ok', confirmation: 'Bye.' }],
    [
      'redirect: "https://a.example/thanks"',
      { message: 'ok', confirmation: 'Thank you.', redirect: 'https://a.example/thanks' },
    ],
  ])('%s sent', async (keys, answer) => {
    const { post } = await stagedPage({ keys: `spam: {honeypot: website}\n${keys}` });
    for (const body of ['name=Ada', 'name=Ada&website=x']) {
      const { status, headers, json } = await post(body, '', problemJson);
      expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
      expect(json).toEqual(answer);
    }
    expect((await post('name=Ada', '')).json).toEqual({ message: 'ok' });
  });

  test('the label of each field with an error', async () => {
    const { post } = await stagedPage({ fields: '[{name: first_name, required: true}]' });
    expect((await post('', '', problemJson)).json).toMatchObject({
      errors: [{ field: 'first_name', label: 'First name', code: 'missing', message: 'Enter a value.' }],
    });
  });

  test('a fresh token after each failure, including the wait so far', async () => {
    const { post, relay, sink, fail } = await stagedPage({ keys: spam });
    fail(500);
    const { text } = await relay.get('/api/v1/token/contact');
    relay.advance(3_000);
    let token = tokenIn({ text });
    for (const [body, status] of [
      ['name=', 422],
      ['name=Ada', 500],
    ] as const) {
      const answer = await post(`${body}&_ts=${encodeURIComponent(token)}`, '', problemJson);
      const { token: fresh } = answer.json as { token: { name: string; value: string } };
      expect([answer.status, Object.keys(fresh), fresh.name]).toEqual([status, ['name', 'value'], '_ts']);
      token = fresh.value;
    }
    fail(200);
    await post(`name=Ada&_ts=${encodeURIComponent(token)}`, '', problemJson);
    expect(sink.requests.length).toBe(2);
  });

  test('no token if the body was not read, because the sent one is still valid', async () => {
    const { post, relay } = await stagedPage({
      keys: spam,
      env: { FORM_TOKEN_SECRET: 'not so secret', THROTTLE_RATE_LIMIT: '0.001', THROTTLE_BURST_LIMIT: '1' },
    });
    await relay.get('/api/v1/token/contact');
    const { status, json } = await post('name=Ada', '', problemJson);
    expect(status).toBe(429);
    expect(json).not.toHaveProperty('token');
  });
});
