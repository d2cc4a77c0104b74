import { describe, expect, test } from 'vitest';
import { controlIn, lastingHeaders, tagsIn, tokenIn } from './read.ts';
import { httpSink, relayWith } from './stage.ts';

const fields = [
  { name: 'name', required: true },
  { name: 'email', type: 'email' },
  { name: 'message', type: 'textarea' },
  { name: 'page', type: 'hidden' },
  { name: 'greeting', value: 'initial' },
  { name: 'topic', type: 'checkboxes', options: ['sales', 'press', 'jobs'] },
  { name: 'langs', type: 'select', multiple: true, options: ['de', 'fr', 'it'] },
];

async function staged(secret = 'signing secret') {
  const sink = await httpSink();
  const outputs = [{ type: 'http_post', url: sink.origin, mapping: '*' }];
  const spam = { honeypot: 'website', min_fill_seconds: 2 };
  const plain = { fields, outputs };
  const forms = {
    plain,
    timed: { ...plain, spam },
    custom: { ...plain, spam: { ...spam, token_field: 'stamp' } },
    'a b/ü<&"': plain,
  };
  const clock = { ms: Date.UTC(2030, 0, 1) };
  const relay = await relayWith({
    config: JSON.stringify({ forms }),
    env: { FORM_TOKEN_SECRET: secret },
    effects: { now: () => clock.ms },
  });
  const form = async (path: string) => (await relay.get(`/api/v1/form/${path}`)).text;
  return { relay, sink, clock, form };
}

describe('GET /api/v1/form/{form}', () => {
  test.each([
    ['a script that asks for HTML', { accept: 'text/html', 'sec-fetch-mode': 'cors' }, '<form '],
    ['a browser that goes there', { accept: 'text/html', 'sec-fetch-mode': 'navigate' }, '<!doctype html>'],
    ['whoever does not say how it comes', { accept: 'text/html' }, '<form '],
  ])('%s gets what it can use', async (_, headers, start) => {
    const { relay } = await relayWith({
      config:
        'forms: {contact: {fields: [{name: a}], outputs: [{type: http_post, url: "http://127.0.0.1:9/"}]}}',
    });
    const { body, headers: answered } = await relay.handle({
      method: 'GET',
      path: '/api/v1/form/contact',
      query: '',
      headers,
      body: Buffer.alloc(0),
    });
    expect(answered.vary?.toLowerCase()).toContain('sec-fetch-mode');
    expect(body.slice(0, start.length).toLowerCase()).toBe(start);
  });

  test('returns the whole form as an HTML fragment', async () => {
    const { relay } = await staged();
    const answer = await relay.get('/api/v1/form/plain');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.text).toMatch(/^<form[\s>].*<\/form>\s*$/s);
    expect(answer.text).toMatch(/<button type="submit">Send<\/button>/);
    const names = tagsIn(answer.text).flatMap(({ attributes }) => attributes.name ?? []);
    expect([...new Set(names)]).toEqual(fields.map(({ name }) => name));
  });

  test.each([
    ['name', 'input', 'text'],
    ['email', 'input', 'email'],
    ['message', 'textarea', undefined],
    ['page', 'input', 'hidden'],
  ])('renders the field %s as <%s type=%s>', async (name, tag, type) => {
    const { form } = await staged();
    expect(controlIn(await form('plain'), name)).toMatchObject({ tag, attributes: type ? { type } : {} });
  });

  test('posts to the form that it renders, whatever its name', async () => {
    const { relay, form, sink } = await staged();
    const name = 'a%20b%2F%C3%BC%3C%26%22';
    const { action = '' } = tagsIn(await form(name))[0]?.attributes ?? {};
    expect(action).toBe(`/api/v1/submit/${name}`);
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await relay.request(action, { method: 'POST', headers, body: 'name=Ann' })).status).toBe(200);
    expect(sink.requests).toHaveLength(1);
  });

  test.each([{}, { 'HX-Request': 'true' }, { Accept: 'application/json' }] as Record<string, string>[])(
    'is the same fragment for a request with %j',
    async (headers) => {
      const { relay, form } = await staged();
      expect((await relay.get('/api/v1/form/plain', headers)).text).toBe(await form('plain'));
    },
  );

  describe('the min-fill token', () => {
    test('is fresh each time, and counts from then', async () => {
      const { relay, sink, clock, form } = await staged();
      const first = tokenIn(await form('timed'));
      clock.ms += 2000;
      const second = tokenIn(await form('timed'));
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

    test('stands in the token_field', async () => {
      const { form } = await staged();
      expect(tokenIn(await form('custom'), 'stamp')).not.toBe('');
    });

    test('is not there when the form uses none', async () => {
      const { form } = await staged();
      expect(await form('plain')).not.toContain('_ts');
    });
  });

  describe('from_query: false', () => {
    const config = JSON.stringify({
      forms: {
        contact: {
          fields: [
            { name: 'dept', type: 'hidden', value: 'sales', from_query: false },
            { name: 'name' },
            { name: 'why', visible_when: { field: 'dept', is: 'jobs' } },
          ],
          outputs: [{ type: 'http_post', url: 'http://127.0.0.1:9/', mapping: '*' }],
        },
      },
    });
    const query = '?dept=jobs&name=Ann';

    test.each(['', '&as=page'])('keeps a link out%s, and no other field', async (as) => {
      const { get } = await relayWith({ config });
      const { text } = await get(`/api/v1/form/contact${query}${as}`, { 'sec-fetch-mode': 'navigate' });
      expect(controlIn(text, 'dept').attributes.value).toBe('sales');
      expect(controlIn(text, 'name').attributes.value).toBe('Ann');
    });

    test('keeps what the form itself asks with, and what was sent', async () => {
      const { get, submit } = await relayWith({ config });
      const { text: first } = await get('/api/v1/form/contact');
      const slot = tagsIn(first).find(({ attributes }) => attributes.id?.endsWith('-slot'))?.attributes.id;
      const headers = { 'hx-request': 'true', 'hx-target': slot ?? '' };
      const { text } = await get(`/api/v1/form/contact${query}`, headers);
      expect(controlIn(text, 'dept').attributes.value).toBe('jobs');
      const tooLong: [string, string][] = [
        ['dept', 'jobs'],
        ['name', 'x'.repeat(10_001)],
      ];
      const again = await submit('contact', tooLong, { 'hx-request': 'true' });
      expect(controlIn(again.text, 'dept').attributes.value).toBe('jobs');
    });
  });

  describe('the query repopulates the fields', () => {
    test.each([
      ['name=Ann+Lee', 'name', 'Ann Lee'],
      ['name=%C3%84nn%20%3C%22%26%27%3E', 'name', `Änn <"&'>`],
      ['page=%2Fpricing', 'page', '/pricing'],
      ['', 'greeting', 'initial'],
      ['greeting=other', 'greeting', 'other'],
      ['greeting=', 'greeting', undefined],
      ['nosuch=x', 'name', undefined],
      ['name', 'name', undefined],
    ])('?%s: %s holds %j', async (query, name, value) => {
      const { form } = await staged();
      expect(controlIn(await form(`plain?${query}`), name).attributes.value).toBe(value);
    });

    test('a textarea holds its text, escaped', async () => {
      const { form } = await staged();
      expect(await form('plain?message=%3C%2Ftextarea%3E%0Atwo')).toContain(
        '\n&lt;/textarea&gt;\ntwo</textarea>',
      );
    });

    test('a repeated key chooses several options', async () => {
      const { form } = await staged();
      const markup = await form('plain?topic=sales&langs=fr&topic=jobs&langs=de&topic=nosuch');
      const chosen = tagsIn(markup).filter(
        ({ attributes: { checked, selected } }) => (checked ?? selected) !== undefined,
      );
      expect(chosen.map(({ attributes }) => attributes.value)).toEqual(['sales', 'jobs', 'de', 'fr']);
    });

    test('it can set neither the token nor the honeypot', async () => {
      const { form } = await staged();
      const markup = await form('timed?_ts=mine&website=mine&name=Ann');
      expect(controlIn(markup, 'name').attributes.value).toBe('Ann');
      expect(markup).not.toContain('mine');
      expect(tokenIn(markup)).toBe(tokenIn(await form('timed')));
    });

    test('what is no field does not appear', async () => {
      const { form } = await staged();
      expect(await form('plain?constructor=mine&__proto__=mine&x=mine')).toBe(await form('plain'));
    });

    test('a malformed one is ignored', async () => {
      const { form } = await staged();
      expect(await form('plain?name=%zz')).toBe(await form('plain'));
    });

    test('nothing is validated', async () => {
      const { form } = await staged();
      expect(await form('plain?email=no-address')).not.toMatch(/field-error|aria-invalid/);
    });
  });

  test.each(['nosuch', 'Plain', '', 'plain/', 'plain/x', '__proto__', '%'])('404 for %j', async (path) => {
    const { relay } = await staged();
    const answer = await relay.get(`/api/v1/form/${path}`);
    expect([answer.status, answer.json]).toEqual([404, { error: expect.any(String) }]);
  });

  test('500 when min-fill is on and FORM_TOKEN_SECRET empty; other forms are not touched', async () => {
    const { relay } = await staged('');
    const answer = await relay.get('/api/v1/form/timed');
    expect([answer.status, answer.json]).toEqual([500, { error: expect.any(String) }]);
    expect((await relay.get('/api/v1/form/plain')).status).toBe(200);
  });

  test('500 when the config cannot be loaded', async () => {
    const relay = await relayWith({ config: 'forms: nonsense' });
    const answer = await relay.get('/api/v1/form/plain');
    expect([answer.status, answer.json]).toEqual([500, { error: expect.any(String) }]);
  });

  test('is neither stored nor sniffed', async () => {
    const { relay } = await staged();
    const { headers } = await relay.get('/api/v1/form/timed');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  test.each(['plain', 'nosuch'])('HEAD %s answers as GET does, without the body', async (name) => {
    const { relay } = await staged();
    const get = await relay.get(`/api/v1/form/${name}`);
    const head = await relay.request(`/api/v1/form/${name}`, { method: 'HEAD' });
    expect([head.status, lastingHeaders(head)]).toEqual([get.status, lastingHeaders(get)]);
    expect([null, String(get.text.length)]).toContain(head.headers.get('content-length'));
    expect(head.text).toBe('');
  });
});
