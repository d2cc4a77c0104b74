import { createHash, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { failed } from '../../../../test/support/failed.ts';
import { decodeMail, expectLogged, relayWith, smtpSink, tempFolder } from '../../../../test/support/index.ts';
import { openNewsletter, optInEnv, publicUrl, there } from './newsletter.ts';

const html = { accept: 'text/html' };
const hour = 3_600_000;

/** Random text, which cannot be compressed. */
const noise = (length: number) => randomBytes(length).toString('base64url').slice(0, length);

describe('a submission waits until its address is confirmed', () => {
  test('nothing is delivered before; the mail is from the owner, and marked so that no program replies', async () => {
    const news = await openNewsletter();
    const answer = await news.subscribe();
    expect([answer.status, answer.json, news.list.requests]).toEqual([200, { message: 'ok' }, []]);
    expect(news.smtp.mails).toHaveLength(1);
    const { envelope, raw } = there(news.smtp.mails[0]);
    const { headers, text } = decodeMail(raw);
    expect(envelope).toEqual({ from: 'news@acme.example', to: ['ada@visitor.example'] });
    expect(Object.fromEntries(headers)).toMatchObject({
      From: 'Acme <news@acme.example>',
      To: 'ada@visitor.example',
      Subject: 'Please confirm',
      'Auto-Submitted': 'auto-replied',
    });
    expect(text).toBe(`You want our news. Then click here, please.\n\n${publicUrl}${news.link}\n`);
    expect(news.link.length).toBeLessThan(400);
  });

  test('mail and link contain no more than necessary, and nothing readable that was filled in', async () => {
    const news = await openNewsletter();
    await news.subscribe({ name: 'Spam and eggs' });
    expect(there(news.smtp.mails[0]).raw).not.toContain('Spam');
    expect(Buffer.from(news.sealed, 'base64url').toString('latin1')).not.toContain('visitor.example');
  });

  test('the button delivers the page with the form, unless the link would be too long', async () => {
    const news = await openNewsletter({
      formKeys: 'page: true',
      statics: 'from: "{{ .page.url }} {{ .page.title }} {{ .page.query.utm }}"',
    });
    const at = { _page_url: 'https://acme.example/boots?utm=mail', _page_title: 'Boots' };
    await news.subscribe(at);
    await news.confirm();
    const long = `https://acme.example/?${randomBytes(1_440).toString('base64url')}`;
    const name = randomBytes(60).toString('base64url');
    await news.subscribe({ email: 'bob@visitor.example', name, _page_url: long });
    await news.confirm();
    const from = news.list.requests.map(({ body }) => new URLSearchParams(body).get('from'));
    expect(from).toEqual(['https://acme.example/boots?utm=mail Boots mail', '  ']);
  });

  test('opening the link changes nothing, however often programs do it', async () => {
    const news = await openNewsletter();
    await news.subscribe();
    for (const method of ['GET', 'HEAD', 'GET', 'OPTIONS'])
      expect((await news.request(news.link, { method })).status).toBe(method === 'OPTIONS' ? 204 : 200);
    expect(news.list.requests).toHaveLength(0);
  });

  test('the page sends the form on, by script or by its button, and keeps the link secret', async () => {
    const news = await openNewsletter();
    await news.subscribe();
    const { headers, text } = await news.get(news.link, html);
    expect(text).toContain('<form class="form-relay" method="post" action="/api/v1/confirm/news">');
    expect(text).toContain(`<input type="hidden" name="t" value="${news.sealed}">`);
    expect(text).toContain('Confirm</button>');
    expect(text).toContain('<h1>Acme news</h1>');
    expect(text).toContain('<meta name="robots" content="noindex">');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cache-control')).toBe('no-store');
    const [, script = ''] = there(/<script>(.*?)<\/script>/s.exec(text));
    const hash = createHash('sha256').update(script).digest('base64');
    const policy = there(headers.get('content-security-policy'));
    expect(policy).toContain(`script-src 'sha256-${hash}'`);
    expect(policy).toContain("form-action 'self'");
    expect(policy).toContain("frame-ancestors 'self'");
  });

  test('the button delivers what was filled in, unchanged and with its time', async () => {
    const news = await openNewsletter();
    const held = await news.submit('news', [
      ['email', 'ada@visitor.example'],
      ['name', 'Ada 日本\r\nLovelace'],
      ['topics', 'boots'],
      ['topics', 'hats'],
    ]);
    const at = Date.now();
    news.advance(47 * hour);
    const { status, text } = await news.confirm();
    expect(status).toBe(200);
    expect(text).toContain('<div class="form-confirmation">Thank you.</div>');
    expect(news.list.requests).toHaveLength(1);
    const request = there(news.list.requests[0]);
    const sent = new URLSearchParams(Buffer.from(request.body, 'latin1').toString());
    expect([...sent].filter(([key]) => key !== 'at')).toEqual([
      ['email', 'ada@visitor.example'],
      ['name', 'Ada 日本\r\nLovelace'],
      ['topics', 'boots'],
      ['topics', 'hats'],
    ]);
    expect(Math.abs(Date.parse(there(sent.get('at'))) - at)).toBeLessThan(hour);
    expect(request.headers['idempotency-key']).toContain(there(held.headers.get('x-request-id')));
  });

  test('concurrent clicks deliver once, and a later one shows the same page', async () => {
    const news = await openNewsletter();
    await news.subscribe();
    const answers = await Promise.all(Array.from({ length: 5 }, () => news.confirm()));
    answers.push(await news.confirm());
    expect(answers.map(({ status, text }) => [status, text])).toEqual(Array(6).fill([200, answers[0]?.text]));
    expect(news.list.requests).toHaveLength(1);
  });

  test('another process of the relay accepts the link, and uses the same Idempotency-Key', async () => {
    const news = await openNewsletter();
    await news.subscribe();
    const other = await openNewsletter();
    expect((await news.confirm()).status).toBe(200);
    expect((await other.confirm(news.sealed)).status).toBe(200);
    const keys = [...news.list.requests, ...other.list.requests].map(
      ({ headers }) => headers['idempotency-key'],
    );
    expect(keys).toHaveLength(2);
    expect(keys[0]).toBe(keys[1]);
  });

  test('if it could not be delivered, the page has a button and does not send itself, and a click tries again', async () => {
    let isDown = true;
    const news = await openNewsletter({ list: { answer: () => ({ status: isDown ? 400 : 200 }) } });
    await news.subscribe();
    const failure = await news.confirm();
    expect(failure.status).toBe(500);
    expect(failure.text).toContain('That did not work.');
    expect(failure.text).toContain(`value="${news.sealed}"`);
    expect(failure.text).not.toContain('<script');
    isDown = false;
    expect((await news.confirm()).status).toBe(200);
    expect(news.list.requests).toHaveLength(2);
  });

  test('a submission that no output accepted, though all may fail, is delivered by the next click', async () => {
    let isDown = true;
    const news = await openNewsletter({
      list: { answer: () => ({ status: isDown ? 400 : 200 }) },
      outputKeys: ', on_error: continue',
    });
    await news.subscribe();
    expect((await news.confirm()).status).toBe(200);
    isDown = false;
    expect((await news.confirm()).status).toBe(200);
    expect(news.list.requests).toHaveLength(2);
    expect((await news.confirm()).status).toBe(200);
    expect(news.list.requests).toHaveLength(2);
  });

  test('the log has both halves under one id, without the address', async () => {
    const news = await openNewsletter();
    const held = await news.subscribe();
    const clicked = await news.click();
    const id = held.headers.get('x-request-id');
    const lines = news.logged.filter(({ event }) => event === 'submission');
    expect(lines).toEqual([
      expect.objectContaining({ level: 'info', request_id: id, form: 'news', outcome: 'held' }),
      expect.objectContaining({
        level: 'info',
        request_id: id,
        form: 'news',
        outcome: 'delivered',
        confirmed_by: clicked.headers.get('x-request-id'),
        deliveries: [expect.objectContaining({ type: 'http_post', outcome: 'delivered' })],
      }),
    ]);
    await news.confirm();
    expect(news.logged.at(-1)).toMatchObject({ level: 'info', event: 'confirmed_again', request_id: id });
    expect(JSON.stringify(news.logged)).not.toContain('visitor.example');
    expect(JSON.stringify(news.logged)).not.toContain(news.sealed);
  });
});

describe('the form’s answer', () => {
  test.each([
    ['htmx', { 'hx-request': 'true' }],
    ['a script', { accept: 'application/problem+json' }],
  ])('%s reads that a mail is on its way', async (_, headers) => {
    const news = await openNewsletter({ formKeys: 'redirect: https://acme.example/welcome' });
    const answer = await news.subscribe({}, headers);
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('Almost done: we have sent you an e-mail.');
    expect(answer.text).not.toContain('welcome');
  });

  test('a server that accepts mails without responding gets at most three for an address', async () => {
    const mails: string[] = [];
    const news = await openNewsletter({
      effects: {
        smtp: async ({ timeoutMs }) => {
          mails.push('');
          throw failed('timed_out', { timeoutMs });
        },
      },
    });
    for (let tries = 0; tries < 3; tries += 1) expect((await news.subscribe()).status).toBe(500);
    expect((await news.subscribe()).status).toBe(429);
    expect(mails).toHaveLength(3);
  });

  test.each([
    ['noreply@visitor.example', 'Enter an e-mail address at which you read your mail.'],
    ['"ada"@visitor.example', 'No mail can be sent to this address. Enter another one.'],
  ])('%s gets no mail, and its field says why', async (email, says) => {
    const news = await openNewsletter();
    const { status, json } = await news.subscribe({ email }, { accept: 'application/problem+json' });
    expect(status).toBe(422);
    expect(json).toMatchObject({ errors: [{ field: 'email', message: says }] });
    expect(news.smtp.mails).toHaveLength(0);
  });

  test.each([
    ['550 5.1.1 nobody of that name', 422],
    ['550 5.1.2 no such domain', 422],
    ['553 5.1.3 what is that?', 422],
    ['556 5.1.10 takes no mail', 422],
    // These refusals may concern the sender instead.
    ['550 5.7.1 relaying denied', 500],
    ['550 no', 500],
    ['450 4.1.1 later', 500],
  ])('an address that the server refuses with %s is answered with %i', async (reply, expected) => {
    const news = await openNewsletter({ smtp: { onRecipient: () => reply } });
    const { status, json } = await news.subscribe({}, { accept: 'application/problem+json' });
    expect(status).toBe(expected);
    const line = news.logged.find(({ event }) => event === 'submission');
    if (expected === 422) {
      expect(json).toMatchObject({ errors: [{ field: 'email', code: 'opt_in_address' }] });
      expect(line).toMatchObject({ level: 'info', outcome: 'invalid' });
    } else expect(line).toMatchObject({ level: 'error', outcome: 'undelivered' });
    expect(JSON.stringify(news.logged)).not.toContain('visitor.example');
  });

  test('three mails per hour to an address, and no more', async () => {
    const news = await openNewsletter();
    for (const status of [200, 200, 200, 429])
      expect((await news.subscribe({ email: 'Ada@visitor.example' })).status).toBe(status);
    const limited = await news.subscribe({ email: 'ada+1@visitor.example' }, { 'hx-request': 'true' });
    expect(limited.status).toBe(429);
    expect(limited.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(limited.text).toContain('We have sent e-mails to this address already.');
    expect((await news.subscribe({ email: 'eve@visitor.example' })).status).toBe(200);
    news.advance(hour + 1);
    expect((await news.subscribe()).status).toBe(200);
  });

  test('a form sends a limited number per hour, and the log says when it stops', async () => {
    const news = await openNewsletter({ keys: 'per_hour: 2' });
    const statuses: number[] = [];
    for (const name of ['a', 'b', 'c', 'd'])
      statuses.push((await news.subscribe({ email: `${name}@visitor.example` })).status);
    expect(statuses).toEqual([200, 200, 503, 503]);
    const limited = await news.subscribe({ email: 'e@visitor.example' });
    expect(limited.json).toEqual({
      error: 'We cannot send you an e-mail at the moment. Please try again in an hour.',
    });
    expect(news.logged.filter((line) => line.double_opt_in === 'per_hour_reached')).toHaveLength(3);
  });
});

const formKeys = 'languages: [en, de, ar]';
const keys = 'html: true';

test('languages: mail, page and response are in the visitor’s language, wherever the link is opened', async () => {
  const news = await openNewsletter({ formKeys, keys });
  const held = await news.submit('news', [['email', 'ada@visitor.example']], {
    'hx-request': 'true',
    'accept-language': 'de',
  });
  expect(held.text).toContain('Fast geschafft');
  expect(there(news.smtp.mails[0]).raw).toContain('>Best&#228;tigen</a>');
  expect(news.link).toMatch(/^\/api\/v1\/confirm\/news\?lang=de&t=/);
  const page = await news.get(news.link, { ...html, 'accept-language': 'ar' });
  expect(page.headers.get('content-language')).toBe('de');
  expect(page.text).toContain('Bestätigen</button>');
  expect(page.text).toContain('action="/api/v1/confirm/news?lang=de"');
  expect((await news.get(news.link.slice(0, -1), html)).text).toContain('Dieser Link ist nicht vollständig.');
  const arabic = await news.get(news.link.replace('lang=de', 'lang=ar'), html);
  expect(arabic.text).toContain('<html lang="ar" dir="rtl">');
});

describe('an invalid link', () => {
  test.each(['', 'x', 'AAAA', '%00', '../../etc/passwd', `${'A'.repeat(7_000)}`])(
    '%.20s is reported at once as incomplete',
    async (sealed) => {
      const news = await openNewsletter();
      const { status, text } = await news.get(`/api/v1/confirm/news?t=${encodeURIComponent(sealed)}`, html);
      expect(status).toBe(400);
      expect(text).toContain('This link is not complete.');
      expect(text).not.toContain('<script');
      expect((await news.confirm(sealed)).status).toBe(400);
    },
  );

  test('an expired link is reported, both when it is opened and when it is sent', async () => {
    const news = await openNewsletter({ keys: 'expires: 2h' });
    await news.subscribe();
    news.advance(2 * hour + 1_000);
    for (const answer of [await news.get(news.link, html), await news.confirm()]) {
      expect(answer.status).toBe(410);
      expect(answer.text).toContain('This link has expired.');
      const request_id = answer.headers.get('x-request-id');
      const about = { level: 'info', request_id, trace_id: request_id?.replaceAll('-', '') };
      const reason = 'the link has expired';
      expect(news.logged).toContainEqual({ ...about, event: 'link_refused', form: 'news', reason });
      expect(news.logged).toContainEqual({ ...about, event: 'refused', status: 410 });
    }
    expect(news.list.requests).toHaveLength(0);
  });

  test('free text does not count as a choice, even if its field became one before the click', async () => {
    const smtp = await smtpSink();
    const config = (note: string, subject: string) => `
cache_ttl: 1s
forms:
  news:
    fields: [{name: email, type: email, required: true}, {name: note, ${note}}]
    outputs: [{type: smtp, host: 127.0.0.1, port: ${smtp.port}, from: o@acme.example, to: o@acme.example, mapping: "*"}]
    double_opt_in: {to: email, subject: Please confirm, text: Click.}
    confirmation_mail: {to: email, subject: '${subject}', text: Thanks.}
`;
    const file = join(tempFolder(), 'webform.yaml');
    await writeFile(file, config('max_length: 80', 'Welcome'));
    const relay = await relayWith({ env: { ...optInEnv, CONFIG_FILE: file } });
    const values: [string, string][] = Object.entries({ email: 'ada@visitor.example', note: 'Buy my stuff' });
    expect((await relay.submit('news', values)).status).toBe(200);
    const sealed = /\?t=(\S+)/.exec(decodeMail(smtp.mails[0]?.raw ?? '').text)?.[1];
    await writeFile(file, config('type: select, options: [a, b]', 'Welcome, {{ .fields.note }}'));
    relay.advance(60_000);
    await expect.poll(async () => (await relay.get('/api/v1/form/news')).text).toContain('<select');
    const click = await relay.post('/api/v1/confirm/news', `t=${sealed}`);
    expect(click.status).toBe(303);
    await expect.poll(() => smtp.mails.length).toBe(3);
    const subjects = smtp.mails.map(({ raw }) => /^Subject: (.*)$/im.exec(raw)?.[1]?.trim());
    expect(subjects).toEqual(['Please confirm', 'Form submission: news', 'Welcome,']);
  });

  test('with another form’s link, another relay’s or a changed one, nothing is delivered', async () => {
    const forms = `  other:
    fields: [{name: email, type: email, required: true}]
    outputs: [{type: http_post, url: "https://unused.example", mapping: "*"}]
    double_opt_in: {to: email, subject: s, text: t, through: {type: smtp, host: 127.0.0.1}}`;
    const news = await openNewsletter({ forms });
    await news.subscribe();
    const { sealed } = news;
    const stranger = await openNewsletter({ env: { FORM_TOKEN_SECRET: 'another-secret-0123456789' } });
    const changed = sealed.slice(0, 20) + (sealed[20] === 'A' ? 'B' : 'A') + sealed.slice(21);
    expect((await news.confirm(sealed, {}, 'other')).status).toBe(400);
    expect((await stranger.confirm(sealed)).status).toBe(400);
    expect((await news.confirm(changed)).status).toBe(400);
    expect([...news.list.requests, ...stranger.list.requests]).toHaveLength(0);
  });
});

describe('strangers', () => {
  test('that forge the Host header cannot redirect the mail’s reader', async () => {
    const news = await openNewsletter();
    await news.subscribe(
      {},
      {
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'http',
        forwarded: 'host=evil.example',
        origin: 'https://evil.example',
        referer: 'https://evil.example/page',
        'hx-current-url': 'https://evil.example/page',
      },
    );
    const { raw } = there(news.smtp.mails[0]);
    expect(raw).not.toContain('evil.example');
    expect(decodeMail(raw).text).toContain(`${publicUrl}/api/v1/confirm/news?t=`);
  });

  test('that send two addresses confirm neither', async () => {
    const news = await openNewsletter();
    const { status } = await news.submit('news', [
      ['email', 'victim@visitor.example'],
      ['email', 'eve@evil.example'],
    ]);
    expect(status).toBe(422);
    expect(news.smtp.mails).toHaveLength(0);
  });

  test('that send more than fits into a link learn which field is too long, and get no broken link', async () => {
    const news = await openNewsletter();
    const values = Array.from({ length: 60 }, () => ['name', noise(70)] as [string, string]);
    const { status, json } = await news.submit('news', [['email', 'ada@visitor.example'], ...values], {
      accept: 'application/problem+json',
    });
    expect(status).toBe(422);
    expect(json).toMatchObject({ errors: [{ field: 'name', code: 'opt_in_too_long' }] });
    expect(news.smtp.mails).toHaveLength(0);
  });
});

test.each([
  ['FORM_TOKEN_SECRET', 'no_token_secret'],
  ['PUBLIC_URL', 'no_public_url'],
])(
  'the environment: without %s the form fails closed, and the readiness check names it',
  async (name, outcome) => {
    const news = await openNewsletter({ env: { [name]: '' } });
    const ready = await news.get('/readyz');
    expect(ready.status).toBe(503);
    expect(ready.text).toContain(name);
    expectLogged(news, {
      event: 'variables_missing',
      variables: [name],
      places: [`forms.news.double_opt_in needs ${name}`],
    });
    const { status, json } = await news.subscribe();
    expect(status).toBe(500);
    expect(json).toEqual({ error: 'this form is not set up completely; please tell its owner' });
    expectLogged(news, { level: 'error', event: 'submission', outcome });
    expect(news.smtp.mails).toHaveLength(0);
    const links = [await news.get('/api/v1/confirm/news?t=x'), await news.confirm('x')];
    const isSecret = name === 'FORM_TOKEN_SECRET';
    expect(links.map(({ status }) => status)).toEqual(Array(2).fill(isSecret ? 500 : 400));
    const about = { level: 'error', form: 'news', reason: 'FORM_TOKEN_SECRET is not set' };
    const lines = news.logged.filter(({ event }) => event === 'no_token_secret');
    expect(lines).toMatchObject(isSecret ? [about, about] : []);
  },
);
