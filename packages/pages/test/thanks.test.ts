/** Responses that depend on what was sent: `thanks`, templates in `kept_message`, and `redirect_with`. */
import { type Answer, createMemoryStore } from '../../../test/support/index.ts';
import { openNewsletter } from '../../visitor-mails/test/mails/newsletter.ts';
import { secret, staged, titleOf } from './stage.ts';

const thanks = `thanks:
  - {when: {field: kind, is: business}, text: 'We call {{ upper .fields.name }} about {{ .labels.kind }}. See [prices](https://acme.example/prices).'}
  - {when: {field: phone, filled: true}, text: {en: 'We call {{ .fields.phone }}.', de: 'Wir rufen {{ .fields.phone }} an.'}}
confirmation: '{{ .fields.name }}'`;

async function open(keys = thanks, { status = 200, top = '' } = {}) {
  const at = await staged({
    keys: `languages: [en, de]\nspam: {honeypot: website}\n${keys}`,
    top,
    fields: `[{name: name}, {name: kind, type: select, options: [{value: business, label: Business prices}, private]},
      {name: phone, type: tel, country: CH, visible_when: {field: kind, is: private}},
      {name: more, type: checkboxes, options: [a, b&c]}]`,
    effects: { openStore: async () => createMemoryStore(Date.now) },
  });
  at.fail(status);
  const post = (body: string, headers: Record<string, string> = {}, query = '') =>
    at.post(body, headers, query);
  const fragment = async (body: string) => (await post(body, { 'hx-request': 'true' })).text.trim();
  return { ...at, post, fragment };
}

const business = (name: string) =>
  `We call ${name} about Business prices. See <a href="https://acme.example/prices">prices</a>.`;
const words = (inner: string) => `<div class="form-confirmation" lang="en" dir="ltr">${inner}</div>`;

test.each([
  ['kind=business&name=Ada', business('ADA')],
  ['kind=private&phone=CH&phone=044+668+18+00', 'We call +41446681800.'],
  // A hidden field counts as empty, and `confirmation` is not a template.
  ['kind=&phone=044+668+18+00&name=Ada', '{{ .fields.name }}'],
  ['kind=business&name=%3Cb%3E', business('&lt;B&gt;')],
  [
    'kind=business&name=[a](https://evil.example)+{{+env+%22HOME%22+}}',
    business('[A](HTTPS://EVIL.EXAMPLE) {{ ENV &#34;HOME&#34; }}'),
  ],
  ['kind=business&name=[', business('[')],
])('%s', async (body, said) => {
  const { fragment } = await open();
  expect(await fragment(body)).toBe(words(said));
  // Bots get the same text, whichever way they ask.
  expect(await fragment(`${body}&website=x`)).toBe(words(said));
});

test('values do not form a link together with the owner’s text', async () => {
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

test('a confirmed address is thanked', async () => {
  const news = await openNewsletter({ formKeys: `thanks: [{text: 'Welcome, {{ .fields.email }}!'}]` });
  await news.subscribe({ email: 'ada@visitor.example' });
  expect((await news.confirm()).text).toContain('Welcome, ada@visitor.example!');
});

test.each(['failed', 'always'])('keep: %s has its own text, with values', async (keep) => {
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
  expect((await post(`${body}&website=x`, { accept: 'text/html' })).headers.get('location')).toBe(location);
  const script = await post(body, { accept: 'application/problem+json' });
  expect(script.json).toHaveProperty('redirect', location);
});

test('a text that is too long for a page’s URL is replaced by the confirmation', async () => {
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

/** A form that the browser sent ends on a page that can be reloaded without sending anything again. */

const addressIn = ({ headers }: Answer) => headers.get('location') ?? '';
const sealedIn = (answer: Answer) => new URLSearchParams(addressIn(answer).split('?')[1]).get('t') ?? '';
const pageAt = (sealed: string) => `/api/v1/sent/contact?t=${encodeURIComponent(sealed)}`;

test('a success is redirected, and the page may be loaded any number of times', async () => {
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

test('the URL does not contain what was typed, in any form, and does not reveal its length', async () => {
  const { post, logged } = await staged({ keys: 'receipt: true', env: { RECEIPT_SECRET: secret } });
  const typed = 'Ada-Augusta-Byron';
  const [long, short] = [await post(`name=${typed}`), await post('name=A')];
  const bytes = Buffer.from(sealedIn(long), 'base64url').toString('latin1');
  expect(`${addressIn(long)} ${bytes}`).not.toMatch(/Ada|Byron|fr1|contact\./);
  expect(addressIn(long)).toHaveLength(addressIn(short).length);
  expect(JSON.stringify(logged)).not.toContain(sealedIn(long).slice(5, 30));
});

test('without a secret, the response itself is the page', async () => {
  const { post, get } = await staged({ env: { FORM_TOKEN_SECRET: '' } });
  const page = await post();
  expect([page.status, titleOf(page), page.headers.get('location')]).toEqual([
    200,
    'Sent: Write to us',
    null,
  ]);
  expect((await get(pageAt('AAAA'))).status).toBe(410);
});

describe('shows what the response would have shown', () => {
  test('the text for queued submissions', async () => {
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

  test('the language from the URL or the browser, and the design', async () => {
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

  test('double opt-in: the page says that a mail is on its way, and after the click, the confirmation', async () => {
    const news = await openNewsletter({ formKeys: 'confirmation: Welcome!' });
    const answer = await news.post('/api/v1/submit/news?as=page', { email: 'ada@visitor.example' });
    expect(answer.status).toBe(303);
    expect((await news.shown(answer)).text).toContain('Almost done: we have sent you an e-mail.');
    const clicked = await news.click();
    expect([clicked.status, news.list.requests.length]).toEqual([303, 1]);
    for (let times = 0; times < 2; times += 1) expect((await news.shown(clicked)).text).toContain('Welcome!');
    expect(news.list.requests).toHaveLength(1);
  });
});

describe('a URL that is not valid', () => {
  const expectGone = (page: Answer) => {
    expect([page.status, titleOf(page)]).toEqual([410, 'Error: Write to us']);
    expect(page.text).toContain(
      '<li>This page has expired. If you saw that the form was sent, there is nothing left to do. If not, please fill it in again.</li>',
    );
    expect(page.text).not.toMatch(/Thank you|<form|<script/);
    expect(page.headers.get('location')).toBeNull();
  };

  test('has expired after an hour', async () => {
    const { post, shown, advance } = await staged();
    const answer = await post();
    advance(3_599_000);
    expect((await shown(answer)).status).toBe(200);
    advance(2_000);
    expectGone(await shown(answer));
  });

  test.each([
    ...['', 'x', 'https://evil.example/', '"><script>alert(1)</script>', 'A'.repeat(60), 'A'.repeat(8_000)],
    ...['%zz', '\r\nlocation: https://evil.example'],
  ])('is made up: %s', async (sealed) => {
    const { get } = await staged();
    const page = await get(pageAt(sealed));
    expectGone(page);
    expect(page.text).not.toContain('evil.example');
    expectGone(await get(`/api/v1/sent/contact?${sealed.startsWith('%') ? 't=%zz' : ''}`));
  });

  test('has been changed, cut, or is for another form or secret, but another copy of the relay accepts it', async () => {
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

  test('is a min-fill token or the link of a mail, and cannot be used as either', async () => {
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

describe('an entry of thanks redirects visitors', () => {
  const leads = `thanks:
  - {when: {field: kind, is: business}, redirect: {en: 'https://acme.example/buy', de: 'https://acme.example/kaufen'}}
  - {when: {field: phone, filled: true}, redirect: 'https://acme.example/call#top', text: 'We call {{ .fields.phone }}.'}`;
  const phone = 'kind=private&phone=CH&phone=044+668+18+00';

  test.each([
    ['kind=business&name=A', 'https://acme.example/buy?name=A'],
    ['kind=business&name=A&redirect=https://evil.example', 'https://acme.example/buy?name=A'],
    [`${phone}&name=%0aA//evil.example`, 'https://acme.example/call?name=%0AA%2F%2Fevil.example#top'],
  ])('%s', async (body, location) => {
    const { post } = await open(`${leads}\nredirect_with: [name]`);
    for (const one of [body, `${body}&website=x`]) {
      const answer = await post(one, { accept: 'text/html' });
      expect([answer.status, answer.headers.get('location')]).toEqual([303, location]);
      const script = await post(one, { accept: 'application/problem+json' });
      expect(script.json).toHaveProperty('redirect', location);
    }
  });

  test('in the visitor’s language, and with htmx to its text or the confirmation', async () => {
    const { post, fragment } = await open(`${leads}\nconfirmation: Thank you.`);
    const german = await post('kind=business', { accept: 'text/html' }, '?lang=de');
    expect(german.headers.get('location')).toBe('https://acme.example/kaufen');
    expect(await fragment('kind=business')).toBe(words('Thank you.'));
    expect(await fragment(phone)).toBe(words('We call +41446681800.'));
  });

  test('before the redirect of the form, which all others get', async () => {
    const { post } = await open(`${leads}\nredirect: https://acme.example/all`);
    const to = async (body: string) => (await post(body, { accept: 'text/html' })).headers.get('location');
    expect([await to('kind=business'), await to('name=A')]).toEqual([
      'https://acme.example/buy',
      'https://acme.example/all',
    ]);
  });

  test('others get the confirmation on a page, whose form may lead anywhere', async () => {
    const { post, shown, get } = await open(`${leads}\nconfirmation: Thank you.`);
    const page = await post('name=A', { accept: 'text/html' });
    expect((await shown(page)).text).toContain('Thank you.');
    const form = await get('/api/v1/form/contact?as=page');
    expect(form.headers.get('content-security-policy')).not.toContain('form-action');
  });
});
