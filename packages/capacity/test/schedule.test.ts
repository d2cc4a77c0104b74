import { contact } from '../../../test/support/index.ts';
import { openNewsletter } from '../../visitor-mails/test/mails/newsletter.ts';

/** A form with a clock that only changes when it is set. */
async function at(
  time: string,
  keys: string,
  more: { readonly fields?: string; readonly env?: object } = {},
) {
  let now = Date.parse(time);
  const relay = await contact({
    fields: more.fields ?? '[{name: name, required: true}]',
    outputs: `[{type: http_post, url: $sink, mapping: "*"}], ${keys}`,
    env: { ...more.env },
    effects: { now: () => now },
  });
  return {
    ...relay,
    get delivered() {
      return relay.delivered;
    },
    set: (other: string) => {
      now = Date.parse(other);
    },
  };
}

const berlin = 'time_zone: Europe/Berlin';
const winter = `opens: 2026-12-01 09:00, closes: 2026-12-24 18:00, ${berlin}`;
const problem = { accept: 'application/problem+json' };

test.each([
  ['2026-12-01T07:59:59.999Z', 403],
  ['2026-12-01T08:00:00Z', 200],
  ['2026-12-24T16:59:59.999Z', 200],
  ['2026-12-24T17:00:00Z', 403],
])('a form is open from one time to another: at %s it responds with %i', async (time, status) => {
  const relay = await at(time, winter);
  expect((await relay.send(['name', 'Ada'])).status).toBe(status);
  expect(relay.delivered).toHaveLength(status === 200 ? 1 : 0);
  expect((await relay.get('/api/v1/form/contact')).text.includes('<form')).toBe(status === 200);
});

test.each([
  ['a day is open until its end', '2026-12-24', '2026-12-24T22:59:59Z', '2026-12-24T23:00:00Z'],
  ['an offset', '"2026-12-24T18:00:00+05:30"', '2026-12-24T12:29:59Z', '2026-12-24T12:30:00Z'],
  ['Z is an offset', '2026-12-24T18:00Z', '2026-12-24T17:59:59Z', '2026-12-24T18:00:00Z'],
  [
    'a time that comes twice is the first',
    '2026-10-25 02:30',
    '2026-10-25T00:29:59Z',
    '2026-10-25T00:30:00Z',
  ],
  ['summer is another offset', '2026-07-01 18:00', '2026-07-01T15:59:59Z', '2026-07-01T16:00:00Z'],
])('a form closes on time: %s', async (_, time, open, closed) => {
  const relay = await at(open, `closes: ${time}${/[+Z]/.test(time) ? '' : `, ${berlin}`}`);
  expect((await relay.send(['name', 'Ada'])).status).toBe(200);
  relay.set(closed);
  expect((await relay.send(['name', 'Ada'])).status).toBe(403);
  // The clock was wrong, and is set back.
  relay.set(open);
  expect((await relay.send(['name', 'Ada'])).status).toBe(200);
});

test('a day in opens means its start, even if clocks are set forward at midnight', async () => {
  // In Beirut, 2026-03-29 begins at 01:00.
  const keys = 'opens: 2026-03-29, time_zone: Asia/Beirut';
  const relay = await at('2026-03-28T21:59:59Z', keys);
  expect((await relay.send(['name', 'Ada'])).status).toBe(403);
  relay.set('2026-03-28T22:00:00Z');
  expect((await relay.send(['name', 'Ada'])).status).toBe(200);
});

test('visitors are told when it opens, and that it has closed: as a problem', async () => {
  const relay = await at('2026-11-25T12:00:00Z', `${winter}, failure_message: "Call [us](tel:+49301)."`);
  expect((await relay.submit('contact', 'name=Ada', problem)).json).toMatchObject({
    status: 403,
    title: 'Forbidden',
    code: 'form_not_open',
    detail: 'This form opens on 1 December 2026 at 09:00 CET.',
    failure_message: 'Call us.',
  });
  relay.set('2027-01-01T12:00:00Z');
  expect((await relay.submit('contact', 'name=Ada', problem)).json).toMatchObject({
    status: 403,
    code: 'form_closed',
    detail: 'This form closed on 24 December 2026 at 18:00 CET.',
  });
  expect((await relay.send(['name', 'Ada'])).json).toEqual({
    error: 'This form closed on 24 December 2026 at 18:00 CET.',
  });
});

test('visitors are told when it opens, and that it has closed: in their language, with the owner’s words', async () => {
  const relay = await at(
    '2026-11-25T12:00:00Z',
    `${winter}, languages: [en, de, ar], closed_text: {en: "See [next year](https://example.org).", de: "[2027](https://example.org/de)", ar: "x"}, messages: {de: {form_closed: "Leider zu (seit {time})."}}`,
  );
  const shown = (lang: string) => relay.get(`/api/v1/form/contact?lang=${lang}`);
  expect((await shown('de')).text).toContain(
    '<p>Dieses Formular öffnet am 1. Dezember 2026 um 09:00 MEZ.</p>',
  );
  expect((await shown('de')).text).not.toContain('example.org');
  expect((await shown('ar')).text).toContain('dir="rtl"');
  relay.set('2027-01-01T12:00:00Z');
  expect((await shown('de')).text).toBe(
    '<div class="form-relay form-closed" lang="de" dir="ltr">\n<p>Leider zu (seit 24. Dezember 2026 um 18:00 MEZ).</p>\n<p><a href="https://example.org/de">2027</a></p>\n</div>\n',
  );
  expect((await relay.submit('contact', 'name=Ada', problem)).json).toMatchObject({
    failure_message: 'See next year.',
  });
});

test('visitors are told on the relay’s page and in fragments for htmx and the script, without caching', async () => {
  const relay = await at('2027-01-01T12:00:00Z', `${winter}, title: Summer school`);
  const words = 'This form closed on 24 December 2026 at 18:00 CET.';
  const page = await relay.get('/api/v1/form/contact?as=page');
  expect(page.status).toBe(200);
  expect(page.text).toContain(
    `<h1>Summer school</h1>\n<div class="form-relay form-closed">\n<p>${words}</p>\n</div>`,
  );
  const fragments: readonly Record<string, string>[] = [
    { 'hx-request': 'true' },
    { accept: 'text/html;profile=form-relay' },
  ];
  for (const headers of fragments) {
    const { text } = await relay.get('/api/v1/form/contact', headers);
    expect(text).toBe(
      `<div class="form-relay form-closed">\n<h2>Summer school</h2>\n<p>${words}</p>\n</div>\n`,
    );
  }
  // Caches must revalidate the response.
  for (const query of ['', '?as=page']) {
    expect((await relay.get(`/api/v1/form/contact${query}`)).headers.get('cache-control')).toBe('no-store');
    relay.set('2026-12-24T12:00:00Z');
    const open = await relay.get(`/api/v1/form/contact${query}`);
    expect(open.text).toContain('<form');
    expect(open.headers.get('cache-control')).toMatch(/no-store|no-cache/);
    expect(open.headers.get('etag')).toBeNull();
    relay.set('2027-01-01T12:00:00Z');
  }
});

test('the form keeps the typed values when it is too late: the page shows it again', async () => {
  const relay = await at('2027-01-01T12:00:00Z', winter);
  const { status, text } = await relay.post('/api/v1/submit/contact?as=page', 'name=Ada+Lovelace', {
    accept: 'text/html',
  });
  expect(status).toBe(403);
  expect(text).toContain('value="Ada Lovelace"');
  expect(text).toContain('This form closed on');
});

test('a double opt-in link clicked after the form has closed still counts', async () => {
  const closes = new Date(Date.now() + 60_000).toISOString();
  const news = await openNewsletter({ formKeys: `closes: "${closes.slice(0, 19)}Z"` });
  expect((await news.subscribe()).status).toBe(200);
  news.advance(120_000);
  expect((await news.subscribe()).status).toBe(403);
  expect((await news.confirm()).status).toBe(200);
  expect(news.list.requests).toHaveLength(1);
});

test('the log has the outcome, and the time in the owner’s words', async () => {
  const relay = await at('2027-01-01T12:00:00Z', winter);
  await relay.send(['name', 'Ada']);
  expect(relay.logged.find(({ event }) => event === 'submission')).toMatchObject({
    level: 'info',
    outcome: 'closed',
    reason: 'closed since 2026-12-24 18:00 (Europe/Berlin)',
  });
});
