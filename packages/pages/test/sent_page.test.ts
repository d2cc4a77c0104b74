/** A form that its browser sent ends on a page that can be reloaded: nothing is sent again. */
import { describe, expect, test } from 'vitest';
import { httpSink, relayWith } from '../../../test/spec/stage.ts';
import { createMemoryStore } from '../../../test/support/memory_store.ts';
import type { Answer, TestRelayOptions } from '../../../test/support/relay.ts';
import { openNewsletter } from '../../visitor-mails/test/mails/newsletter.ts';

const secret = 'f2a1c09d77e34b18a6d5';

interface StageOptions extends TestRelayOptions {
  /** Keys of the form, one a line. */
  readonly keys?: string;
  readonly top?: string;
}

async function staged({ keys = '', top = '', env, ...options }: StageOptions = {}) {
  let status = 200;
  const sink = await httpSink({ answer: () => ({ status }) });
  const form = `    title: Write to us
    ${keys.replaceAll('\n', '\n    ')}
    fields: [{name: name, required: true}]
    outputs: [{type: http_post, url: "${sink.origin}/", mapping: "*", retries: 0}]`;
  const relay = await relayWith({
    config: `${top}\nforms:\n  contact:\n${form}\n  other:\n${form}\n`,
    env: { FORM_TOKEN_SECRET: secret, ...env },
    ...options,
  });
  const post = (body = 'name=Ada', headers: Record<string, string> = {}, query = '?as=page') =>
    relay.request(`/api/v1/submit/contact${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body,
    });
  const fail = () => {
    status = 500;
  };
  return { ...relay, sink, post, fail };
}

const addressIn = ({ headers }: Answer) => headers.get('location') ?? '';
const sealedIn = (answer: Answer) => new URLSearchParams(addressIn(answer).split('?')[1]).get('t') ?? '';
const pageAt = (sealed: string) => `/api/v1/sent/contact?t=${encodeURIComponent(sealed)}`;
const titleOf = ({ text }: Answer) => /<title>(.*)<\/title>/.exec(text)?.[1];

test('a success leads on, and the page may be loaded any number of times', async () => {
  const { post, get, shown, sink, request } = await staged({ keys: 'confirmation: We will be in touch.' });
  const answer = await post();
  expect([answer.status, answer.text, answer.headers.get('cache-control')]).toEqual([303, '', 'no-store']);
  expect(addressIn(answer)).toMatch(/^\.\.\/\.\.\/\.\.\/api\/v1\/sent\/contact\?t=[\w-]+$/);
  const pages = [await shown(answer), await shown(answer), await get(pageAt(sealedIn(answer)))];
  for (const page of pages) {
    expect([page.status, titleOf(page)]).toEqual([200, 'Sent: Write to us']);
    expect(page.text).toContain('<div class="form-confirmation">We will be in touch.</div>');
    expect(page.text).toBe(pages[0]?.text);
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  }
  const head = await request(pageAt(sealedIn(answer)), { method: 'HEAD' });
  expect([head.status, head.text]).toEqual([200, '']);
  expect(sink.requests).toHaveLength(1);
});

test('the address holds nothing of what was typed, in no form, and says not how long that was', async () => {
  const { post, logged } = await staged({ keys: 'receipt: true', env: { RECEIPT_SECRET: secret } });
  const typed = 'Ada-Augusta-Byron';
  const [long, short] = [await post(`name=${typed}`), await post('name=A')];
  const bytes = Buffer.from(sealedIn(long), 'base64url').toString('latin1');
  expect(`${addressIn(long)} ${bytes}`).not.toMatch(/Ada|Byron|fr1|contact\./);
  expect(addressIn(long)).toHaveLength(addressIn(short).length);
  expect(JSON.stringify(logged)).not.toContain(sealedIn(long).slice(5, 30));
});

test('without a secret, the page is the answer itself', async () => {
  const { post, get } = await staged({ env: { FORM_TOKEN_SECRET: '' } });
  const page = await post();
  expect([page.status, titleOf(page), page.headers.get('location')]).toEqual([
    200,
    'Sent: Write to us',
    null,
  ]);
  expect((await get(pageAt('AAAA'))).status).toBe(410);
});

describe('shows what the answer would have shown', () => {
  test('the words for what is kept', async () => {
    const { post, shown, fail } = await staged({
      top: 'keep: {in: /var/lib/form-relay}',
      keys: 'keep: failed\nkept_message: We have it.\nredirect: https://acme.example/thanks',
      effects: { openStore: async () => createMemoryStore(Date.now) },
    });
    fail();
    for (const query of ['?as=page', '']) {
      const page = await shown(await post('name=Ada', { accept: 'text/html,*/*;q=0.8' }, query));
      expect([page.status, page.text.includes('We have it.')]).toEqual([200, true]);
    }
  });

  test('the language, whether the address or the browser names it, and the look', async () => {
    const { post, shown } = await staged({
      keys: `languages: [en, de]
confirmation: {en: Thanks a lot., de: Vielen Dank.}`,
    });
    const german = await post('name=Ada', {}, '?lang=de&as=page');
    const wanting = { 'accept-language': 'de-AT,de;q=0.9' };
    for (const page of [
      await shown(german),
      await shown(german, { 'accept-language': 'en' }),
      await shown(await post('name=Ada', wanting), wanting),
    ]) {
      expect(page.text).toContain('<html lang="de" dir="ltr">');
      expect(page.text).toContain('<div class="form-confirmation" lang="de" dir="ltr">Vielen Dank.</div>');
    }
    expect((await shown(await post())).text).toContain('Thanks a lot.');
  });

  test('double opt-in: the page says that a mail is under way, and then what is there after the click', async () => {
    const news = await openNewsletter({ formKeys: 'confirmation: Welcome!' });
    const answer = await news.request('/api/v1/submit/news?as=page', {
      method: 'POST',
      body: new URLSearchParams({ email: 'ada@visitor.example' }),
    });
    expect(answer.status).toBe(303);
    expect((await news.shown(answer)).text).toContain('Almost done: we have sent you an e-mail.');
    const clicked = await news.click();
    expect([clicked.status, news.list.requests.length]).toEqual([303, 1]);
    for (let times = 0; times < 2; times += 1) {
      expect((await news.shown(clicked)).text).toContain('Welcome!');
    }
    expect(news.list.requests).toHaveLength(1);
  });
});

describe('an address that does not hold', () => {
  const expectGone = (page: Answer) => {
    expect([page.status, titleOf(page)]).toEqual([410, 'Error: Write to us']);
    expect(page.text).toContain(
      '<li>This page has expired. If you saw that the form was sent, there is nothing left to do. If not, please fill it in again.</li>',
    );
    expect(page.text).not.toMatch(/Thank you|<form|<script/);
    expect(page.headers.get('location')).toBeNull();
  };

  test('lasts for an hour', async () => {
    const { post, shown, advance } = await staged();
    const answer = await post();
    advance(3_599_000);
    expect((await shown(answer)).status).toBe(200);
    advance(2_000);
    expectGone(await shown(answer));
  });

  test.each([
    '',
    'x',
    'https://evil.example/',
    '"><script>alert(1)</script>',
    'A'.repeat(60),
    'A'.repeat(8_000),
    '%zz',
    '\r\nlocation: https://evil.example',
  ])('is made up: %s', async (sealed) => {
    const { get } = await staged();
    const page = await get(pageAt(sealed));
    expectGone(page);
    expect(page.text).not.toContain('evil.example');
    expectGone(await get(`/api/v1/sent/contact?${sealed.startsWith('%') ? 't=%zz' : ''}`));
  });

  test('has been changed, cut, or is of another form or secret; another copy of the relay takes it', async () => {
    const [at, copy, stranger] = [
      await staged(),
      await staged(),
      await staged({ env: { FORM_TOKEN_SECRET: `${secret}x` } }),
    ];
    const sealed = sealedIn(await at.post());
    expect((await copy.get(pageAt(sealed))).status).toBe(200);
    expectGone(await stranger.get(pageAt(sealed)));
    expectGone(await at.get(pageAt(sealed).replace('contact', 'other')));
    for (const place of [0, 20, 40, sealed.length - 2]) {
      const other = sealed[place] === 'A' ? 'B' : 'A';
      expectGone(await at.get(pageAt(sealed.slice(0, place) + other + sealed.slice(place + 1))));
      expectGone(await at.get(pageAt(sealed.slice(0, place))));
    }
    expect((await at.get('/api/v1/sent/nothing')).status).toBe(404);
    expect((await at.request(pageAt(sealed), { method: 'POST' })).status).toBe(405);
  });

  test('is a time stamp, or the link of a mail; and it is neither of them', async () => {
    const { get, post, sink, shown } = await staged({ keys: 'spam: {min_fill_seconds: 1}' });
    const { text } = await get('/api/v1/token/contact');
    const token = /value="([^"]+)"/.exec(text)?.[1] ?? '';
    expectGone(await get(pageAt(token)));
    const dropped = await post(`name=Ada&_ts=${encodeURIComponent(token)}`);
    expect(titleOf(await shown(dropped))).toBe('Sent: Write to us');
    await post(`name=Ada&_ts=${encodeURIComponent(sealedIn(dropped))}`);
    expect(sink.requests).toEqual([]);

    const news = await openNewsletter();
    await news.subscribe();
    expect((await news.get(`/api/v1/sent/news?t=${news.sealed}`)).status).toBe(410);
    const clicked = await news.click();
    expect((await news.confirm(sealedIn(clicked))).status).toBe(400);
    expect(news.list.requests).toHaveLength(1);
  });
});
