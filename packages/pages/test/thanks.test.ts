/** Answers that depend on what was sent: `thanks`, templates in `kept_message`, and `redirect_with`. */
import { expect, test } from 'vitest';
import { httpSink, relayWith } from '../../../test/spec/stage.ts';
import { createMemoryStore } from '../../../test/support/memory_store.ts';
import { openNewsletter } from '../../visitor-mails/test/mails/newsletter.ts';

const secret = 'f2a1c09d77e34b18a6d5';

const thanks = `thanks:
  - {when: {field: kind, is: business}, text: 'We call {{ upper .fields.name }} about {{ .labels.kind }}. See [prices](https://acme.example/prices).'}
  - {when: {field: phone, filled: true}, text: {en: 'We call {{ .fields.phone }}.', de: 'Wir rufen {{ .fields.phone }} an.'}}
confirmation: '{{ .fields.name }}'`;

async function open(keys = thanks, { status = 200, top = '' } = {}) {
  const sink = await httpSink({ answer: () => ({ status }) });
  const relay = await relayWith({
    config: `${top}
forms:
  contact:
    languages: [en, de]
    ${keys.replaceAll('\n', '\n    ')}
    spam: {honeypot: website}
    fields:
      - {name: name}
      - {name: kind, type: select, options: [{value: business, label: Business prices}, private]}
      - {name: phone, type: tel, country: CH, visible_when: {field: kind, is: private}}
      - {name: more, type: checkboxes, options: [a, b&c]}
    outputs: [{type: http_post, url: "${sink.origin}/", mapping: "*", retries: 0}]`,
    env: { FORM_TOKEN_SECRET: secret },
    effects: { openStore: async () => createMemoryStore(Date.now) },
  });
  const post = async (body: string, headers: Record<string, string> = {}, query = '') =>
    relay.request(`/api/v1/submit/contact${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body,
    });
  const fragment = async (body: string) => (await post(body, { 'hx-request': 'true' })).text.trim();
  return { ...relay, sink, post, fragment };
}

const words = (inner: string) => `<div class="form-confirmation" lang="en" dir="ltr">${inner}</div>`;

test.each([
  [
    'kind=business&name=Ada',
    'We call ADA about Business prices. See <a href="https://acme.example/prices">prices</a>.',
  ],
  ['kind=private&phone=CH&phone=044+668+18+00', 'We call +41446681800.'],
  // A field that is not shown counts as empty, and no template is read in `confirmation`.
  ['kind=&phone=044+668+18+00&name=Ada', '{{ .fields.name }}'],
  [
    'kind=business&name=%3Cb%3E',
    'We call &lt;B&gt; about Business prices. See <a href="https://acme.example/prices">prices</a>.',
  ],
  [
    'kind=business&name=[a](https://evil.example)+{{+env+%22HOME%22+}}',
    'We call [A](HTTPS://EVIL.EXAMPLE) {{ ENV &#34;HOME&#34; }} about Business prices. See <a href="https://acme.example/prices">prices</a>.',
  ],
  [
    'kind=business&name=[',
    'We call [ about Business prices. See <a href="https://acme.example/prices">prices</a>.',
  ],
])('%s', async (body, said) => {
  const { fragment } = await open();
  expect(await fragment(body)).toBe(words(said));
  // A bot learns nothing, whichever way it asks.
  expect(await fragment(`${body}&website=x`)).toBe(words(said));
});

test('values make no link with the owner’s words around them', async () => {
  const { fragment } = await open(
    `thanks: [{text: '[words]{{ .fields.name }} ({{ .fields.name }}) [it](https://acme.example)'}]`,
  );
  expect(await fragment('name=(https://evil.example)')).toBe(
    words('[words](https://evil.example) ((https://evil.example)) <a href="https://acme.example">it</a>'),
  );
});

test('JSON, the script, and a page that can be reloaded, in the visitor’s language', async () => {
  const { post, shown } = await open();
  const body = 'kind=private&phone=CH&phone=044+668+18+00';
  expect((await post(body)).json).toEqual({ message: 'ok' });
  const script = (await post(body, { accept: 'application/problem+json' }, '?lang=de')).json;
  expect(script).toEqual({ message: 'ok', confirmation: 'Wir rufen +41446681800 an.' });
  const business = (await post('kind=business&name=A', { accept: 'application/problem+json' })).json;
  expect(business).toHaveProperty('confirmation', 'We call A about Business prices. See prices.');
  expect(business).toHaveProperty('confirmation_html', expect.stringContaining('<a href='));
  const page = await post(body, {}, '?as=page&lang=de');
  expect(page.status).toBe(303);
  expect((await shown(page)).text).toContain('Wir rufen +41446681800 an.');
});

test('the address that was confirmed is thanked', async () => {
  const news = await openNewsletter({ formKeys: `thanks: [{text: 'Welcome, {{ .fields.email }}!'}]` });
  await news.subscribe({ email: 'ada@visitor.example' });
  expect((await news.confirm()).text).toContain('Welcome, ada@visitor.example!');
});

test.each(['failed', 'always'])('keep: %s has words of its own, with values', async (keep) => {
  const keys = `${thanks}\nkeep: ${keep}\nkept_message: 'We have it, {{ .fields.name }}. {{ .labels.kind }}'`;
  const { fragment, post } = await open(keys, { status: 500, top: 'keep: {in: /var/lib/form-relay}' });
  expect(await fragment('name=Ada&kind=business')).toBe(words('We have it, Ada. Business prices'));
  const redirected = await post('name=%3CAda', { accept: 'text/html' }, '?as=page');
  expect(redirected.headers.get('location')).toContain('/sent/contact');
  if (keep === 'always')
    expect(await fragment('name=Ada&kind=business&website=x')).toBe(
      words('We have it, Ada. Business prices'),
    );
});

test.each([
  [
    'https://acme.example/',
    'name=A+%26b%3D1%23&kind=business',
    'https://acme.example/?name=A+%26b%3D1%23&kind=business',
  ],
  [
    'https://acme.example/a?b=%20c&d#top',
    'name=%C3%84&more=a&more=b%26c',
    'https://acme.example/a?b=%20c&d&name=%C3%84&more=a&more=b%26c#top',
  ],
  [
    'https://acme.example/a#top',
    'kind=business&name=&phone=0446681800',
    'https://acme.example/a?kind=business#top',
  ],
  [
    'https://acme.example/?from=own',
    `name=${'x'.repeat(2000)}&redirect=https://evil.example&kind=private`,
    'https://acme.example/?from=own&kind=private',
  ],
])('redirect to %s, case %#', async (redirect, body, location) => {
  const { post } = await open(`${thanks}\nredirect: ${redirect}\nredirect_with: [name, kind, phone, more]`);
  const answer = await post(body, { accept: 'text/html' });
  expect([answer.status, answer.headers.get('location')]).toEqual([303, location]);
  const bot = await post(`${body}&website=x`, { accept: 'text/html' });
  expect(bot.headers.get('location')).toBe(location);
  const script = await post(body, { accept: 'application/problem+json' });
  expect(script.json).toHaveProperty('redirect', location);
});

test('words that are too long for the address of a page give way to the confirmation', async () => {
  const { post, get } = await open(
    "thanks: [{text: 'Thank you, {{ .fields.name }}'}]\nconfirmation: We have it.",
  );
  const page = async (length: number) => {
    const { headers } = await post(`name=${'x'.repeat(length)}`, { accept: 'text/html' }, '?as=page');
    const { pathname, search } = new URL(headers.get('location') ?? '', 'http://relay/api/v1/submit/contact');
    return (await get(`${pathname.slice(pathname.indexOf('/api/'))}${search}`)).text;
  };
  expect(await page(1_000)).toContain('Thank you, xxx');
  expect(await page(4_000)).toContain('We have it.');
});
