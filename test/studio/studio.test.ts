import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import net from 'node:net';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { formStyle } from '../../packages/relay/built/style.ts';
import { bootstrapClasses } from '../../packages/studio/src/bootstrap_theme.ts';
import { besideBootstrap, besidePico } from '../../packages/studio/src/theme_style.ts';
import { recipe } from '../../scripts/recipe.ts';
import { startHttpSink } from '../support/http_sink.ts';
import { startSmtpSink } from '../support/smtp_sink.ts';
import { everyField } from '../views/every_field.ts';
import { type Stage, stage, storyText } from './stage.ts';

const contact = `
forms:
  contact:
    title: Write to us
    fields:
      - {name: name, required: true}
      - {name: email, type: email}
    spam: {honeypot: website}
    outputs:
      - {type: http_post, url: "https://hooks.example.com/contact", mapping: "*"}
`;

const urlencoded = { 'content-type': 'application/x-www-form-urlencoded' };
const send = (at: Stage, body: string, headers: Record<string, string> = {}, form = 'contact') =>
  at.request(`/api/v1/submit/${form}`, { method: 'POST', headers: { ...urlencoded, ...headers }, body });

describe('only this machine', () => {
  const paths = [
    '/',
    '/studio/now',
    '/studio/events',
    '/studio/config',
    '/studio/client.js',
    '/api/v1/form/contact',
  ];

  test.each([
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'evil.example:8080',
    'localhost@evil.example',
    'rebound.localhost:8080',
    '10.0.0.1',
    'evil.example, localhost',
  ])('whoever calls it "%s" is refused', async (host) => {
    const at = await stage({ config: contact });
    for (const path of paths) {
      expect([path, (await at.request(path, { headers: { host } })).status]).toEqual([path, 403]);
    }
    expect((await send(at, 'name=Ada', { host })).status).toBe(403);
    expect((await at.request('/')).text).not.toContain('class="story"');
  });

  test.each(['localhost', 'localhost:8080', '127.0.0.1:9', '[::1]:8080'])('%s is answered', async (host) => {
    const at = await stage({ config: contact });
    for (const path of paths.filter((one) => !one.endsWith('events'))) {
      expect((await at.request(path, { headers: { host } })).status).toBe(200);
    }
  });

  test.each(['https://evil.example', 'null', 'http://localhost.evil.example'])(
    'a page of %s can change nothing and read nothing',
    async (origin) => {
      const at = await stage({ config: contact });
      await send(at, 'name=Ada');
      const writing = ['draft', 'save', 'save?anyway', 'revert'].map((name) => `/studio/config/${name}`);
      for (const path of ['/studio/clear', '/studio/fault', '/api/v1/submit/contact', ...writing]) {
        const answer = await at.request(path, {
          method: 'POST',
          headers: { ...urlencoded, origin },
          body: 'name=Ada&form=contact&output=0&fault=refused',
        });
        expect([path, answer.status]).toEqual([path, 403]);
        expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
      }
      for (const path of ['/', '/studio/events', '/studio/config', '/api/v1/form/contact']) {
        const answer = await at.request(path, { headers: { origin } });
        expect([path, answer.status, answer.headers['access-control-allow-origin']]).toEqual([
          path,
          403,
          undefined,
        ]);
      }
      const { text } = await at.request('/');
      expect(text.match(/class="story"/g)).toHaveLength(1);
      expect(text).not.toContain('made to fail');
    },
  );

  test('a page that another server of this machine serves may use the API, and nothing else', async () => {
    const at = await stage({ config: contact });
    const origin = 'http://localhost:3000';
    expect((await send(at, 'name=Ada', { origin })).status).toBe(200);
    const clear = await at.request('/studio/clear', { method: 'POST', headers: { origin } });
    expect(clear.status).toBe(403);
  });

  test('the page allows nothing but its own parts, and nobody to frame it', async () => {
    const at = await stage({ config: contact });
    const { headers, text } = await at.request('/');
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; frame-src 'self'; connect-src 'self'; " +
        "form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
    );
    expect(text).not.toMatch(
      /<(script|style)>|style="|https?:\/\/(?!hooks\.example|forms\.example\.com|127\.0\.0\.1|www\.w3\.org|cdn\.jsdelivr\.net\/npm\/htmx)/,
    );
  });

  test.each([
    ['GET', '/nothing', 404],
    ['GET', '//', 404],
    ['GET', '/\\', 404],
    ['GET', '/studio/events/', 404],
    ['GET', '/studio/nothing', 404],
    ['GET', '/studio/htmx4/own/nothing', 404],
    ['GET', '/studio/htmx4/nothing/contact', 404],
    ['GET', '/studio/htmx4/own/%E0%A4%A', 404],
    ['GET', '/studio/../../../package.json', 404],
    ['POST', '/studio/nothing', 404],
    ['POST', '/studio/config/save', 403],
    ['DELETE', '/', 405],
    ['GET', '/?form=nothing&mode=nothing&form=%FF', 200],
    ['POST', '/studio/fault', 204],
    ['GET', '/api/v1/form/nothing', 404],
    ['GET', '/healthz', 200],
    ['GET', '/readyz', 200],
  ])('%s %s is answered %d, without a stack trace', async (method, path, status) => {
    const at = await stage({ config: contact });
    const answer = await at.request(path, { method });
    expect(answer.status).toBe(status);
    expect(answer.text).not.toMatch(/\bat .*:\d+:\d+|node:internal/);
  });
});

describe('what leaves the machine', () => {
  const sinks = async () => {
    const http = await startHttpSink();
    const smtp = await startSmtpSink();
    onTestFinished(async () => void (await Promise.all([http.close(), smtp.close()])));
    const config = `
forms:
  contact:
    fields: [{name: name, required: true}]
    captcha: {provider: turnstile, secret: x, verify_url: "${http.origin}/verify"}
    outputs:
      - {type: http_post, url: "${http.origin}/hook", mapping: "*"}
      - {type: crm_web2lead, url: "${http.origin}/crm", mapping: "*"}
      - {type: smtp, host: 127.0.0.1, port: "${smtp.port}", from: a@example.com, to: b@example.com, mapping: "*"}
      - {type: email, to: b@example.com, mapping: "*"}
`;
    return { http, smtp, config };
  };
  const body = 'name=Ada&cf-turnstile-response=pretend-human';

  test('is nothing', async () => {
    const { http, smtp, config } = await sinks();
    let mails = 0;
    const at = await stage({ config, effects: { ses: async () => void mails++ } });
    const events = await at.events();
    expect((await send(at, body)).status).toBe(200);
    expect(storyText(await events.next('story'))).toContain('to 4 of 4 outputs');
    expect([http.connections, smtp.mails.length, smtp.openConnections(), mails]).toEqual([0, 0, 0, 0]);
    expect((await at.request('/')).text).toContain('Nothing leaves this machine');
  });

  test('with --deliver is what outputs send, and not to captcha providers', async () => {
    const { http, smtp, config } = await sinks();
    let mails = 0;
    const at = await stage({ config, isDelivering: true, effects: { ses: async () => void mails++ } });
    expect((await send(at, body)).status).toBe(200);
    expect(http.requests.map(({ url, body }) => `${url} ${body}`).toSorted()).toEqual([
      '/crm name=Ada',
      '/hook name=Ada',
    ]);
    expect([smtp.mails.length, mails]).toEqual([1, 1]);
    expect((await at.request('/')).text).toContain('Outputs deliver for real');
  });

  test('with --deliver, an output that is made to fail sends nothing', async () => {
    const { http, smtp, config } = await sinks();
    const at = await stage({ config, isDelivering: true, effects: { ses: async () => undefined } });
    for (const output of ['0', '1', '2']) {
      await at.post('/studio/fault', { form: 'contact', output, fault: 'refused' });
    }
    expect((await send(at, body)).status).toBe(500);
    expect([http.connections, smtp.mails.length]).toEqual([0, 0]);
  });

  test('is no browser, where the form has a redirect', async () => {
    const at = await stage({
      config: contact.replace('title:', 'redirect: https://www.example.com/thanks\n    title:'),
    });
    const events = await at.events();
    const answer = await send(at, 'name=Ada', { accept: 'text/html' });
    expect([answer.status, answer.headers.location]).toEqual([200, undefined]);
    expect(answer.text).toContain('https://www.example.com/thanks');
    expect(storyText(await events.next('story'))).toMatch(/Answered 303.*and sent on to another page/s);
  });
});

test('no CRM is down where no output can refuse', async () => {
  const pageOf = async (outputs: string) =>
    (await (await stage({ config: `forms: {a: {fields: [{name: a}], outputs: [${outputs}]}}` })).request('/'))
      .text;
  const folder = '{type: folder, path: /tmp}';
  expect(await pageOf(folder)).not.toContain('scene-down');
  expect(await pageOf(`${folder}, {type: http_post, url: "http://127.0.0.1:9/"}`)).toContain('scene-down');
});

test('no secret is in the page, its events, or anything else', async () => {
  const env = {
    HOOK_TOKEN: 'swordfish-1',
    SMTP_PASSWORD: 'swordfish-2',
    CAPTCHA_SECRET: 'swordfish-3',
    FORM_TOKEN_SECRET: 'swordfish-4',
    CRM_KEY: 'swordfish-5',
  };
  const config = `
forms:
  contact:
    fields: [{name: name, required: true}]
    spam: {honeypot: website}
    captcha: {provider: hcaptcha, secret: '{{ env "CAPTCHA_SECRET" }}'}
    outputs:
      - type: http_post
        url: https://hooks.example.com/contact?api_key=swordfish-6
        headers: {Authorization: 'Bearer {{ env "HOOK_TOKEN" }}', X-Api-Key: swordfish-7, Cookie: swordfish-8}
        static: {key: '{{ env "CRM_KEY" }}', token: swordfish-9}
        mapping: "*"
      - type: smtp
        host: smtp.example.com
        username: swordfish-10
        password: '{{ env "SMTP_PASSWORD" }}'
        to: a@example.com
        subject: 'key {{ env "CRM_KEY" }}'
        static: {key: '{{ env "CRM_KEY" }}'}
        mapping: "*"
      - {type: smtp, host: smtp.example.com, username: me, password: swordfish-11, to: a@example.com, mapping: "*"}
`;
  const at = await stage({ config, env });
  const events = await at.events();
  await send(at, 'name=Ada&h-captcha-response=pretend-human');
  await events.next('story');
  await at.post('/studio/fault', { form: 'contact', output: '0', fault: 'slow' });
  await send(at, 'name=Ada&h-captcha-response=pretend-human');
  await events.next('story');
  await at.edit(
    config.replace('swordfish-7', '[swordfish-7').replace('password: swordfish-11', 'pasword: swordfish-11'),
  );
  const pages = await Promise.all(
    ['/', '/studio/now', '/studio/htmx4/own/contact', '/api/v1/form/contact'].map((path) => at.request(path)),
  );
  expect(JSON.stringify(events.all)).toContain('[HOOK_TOKEN]');
  expect(pages[0]?.text).toContain('The config does not load');
  const all = JSON.stringify(events.all) + pages.map(({ text }) => text).join('\n');
  expect(all.match(/.{0,60}swordfish.{0,10}/g)).toBeNull();
});

describe('a mail', () => {
  const mails = `
forms:
  contact:
    fields: [{name: name}]
    outputs:
      - {type: smtp, host: mail.example.com, to: a@example.com, mapping: "*"}
      - {type: smtp, host: mail.example.com, to: Ann <a@example.com>, cc: c@example.com, bcc: b@example.com, html: true}
`;
  const framesIn = (html: string) => [...html.matchAll(/<iframe[^>]* src="([^"]+)"/g)].map(([, src]) => src);

  test('of HTML has a page of its own, in light and in dark, with no script and nothing from elsewhere', async () => {
    const at = await stage({ config: mails });
    const events = await at.events();
    await send(at, 'name=%3Cscript%3Ealert%281%29%3C%2Fscript%3E');
    const { html } = (await events.next('story')).data as { html: string };
    // Plain mails have none.
    expect(framesIn(html)).toEqual(['/studio/mail/1/1/light', '/studio/mail/1/1/dark']);
    expect(html).not.toMatch(/<iframe(?![^>]* sandbox="allow-popups allow-popups-to-escape-sandbox")/);
    for (const path of framesIn(html)) {
      const page = await at.request(path ?? '');
      expect(page.status).toBe(200);
      expect(page.headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'content-security-policy':
          "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; " +
          "frame-ancestors 'self'; sandbox allow-popups allow-popups-to-escape-sandbox",
      });
      expect(page.text).toContain('&lt;script&gt;alert(1)');
      expect(page.text).not.toContain('<script');
    }
  });

  test('says who gets it, who gets it unseen, and the same as text', async () => {
    const at = await stage({ config: mails });
    const events = await at.events();
    await send(at, 'name=Ada');
    const text = storyText(await events.next('story'));
    expect(text).toMatch(/To Ann <a@example\.com> Cc c@example\.com Bcc b@example\.com in no header /);
    expect(text).toMatch(/What smtp sends Mail .*What smtp sends HTML .* Text .* Exact bytes /s);
    expect(text).toContain('Content-Type: multipart/alternative');
  });

  test('that is none, is none of HTML, or is gone has no page', async () => {
    const at = await stage({ config: mails });
    await send(at, 'name=Ada');
    const bad = ['1/0/light', '1/2/light', '2/1/light', '1/1/sepia', '1/1/light/', '1/-1/light', 'x'];
    for (const path of bad) {
      expect([path, (await at.request(`/studio/mail/${path}`)).status]).toEqual([path, 404]);
    }
    await at.post('/studio/clear', {});
    expect((await at.request('/studio/mail/1/1/light')).status).toBe(404);
  });
});

describe('a mail to the visitor', () => {
  const quote = `
forms:
  contact:
    fields: [{name: name}, {name: email, type: email}]
    outputs:
      - {type: http_post, url: "https://hooks.example.com/", mapping: "*"}
      - {type: smtp, host: mail.example.com, to: office@example.com, html: true, on_error: continue}
    confirmation_mail: {to: email, subject: Your quote, text: We got it., html: true}
`;

  test('stands beside what the owner gets, with a page of its own', async () => {
    const at = await stage({ config: quote });
    const events = await at.events();
    await send(at, 'name=Ada&email=ada%40example.org');
    const story = await events.next('story');
    expect(story.data).toMatchObject({
      got: 'a request at hooks.example.com and a mail to office@example.com',
      visitorGot: 'a mail to ada@example.org',
    });
    expect(storyText(story)).toMatch(
      /To the visitor a mail, sent → mail\.example\.com:587 .*To ada@example\.org Return to nobody, .*We got it\./s,
    );
    expect((await at.request('/studio/mail/1/0/dark')).text).toContain('Ada');
    const own = (await at.request('/studio/mail/1/1/dark')).text;
    expect(own).toContain('We got it.');
    expect(own).not.toContain('Ada');
  });

  test('is not limited, however often it is tried', async () => {
    const at = await stage({ config: quote });
    const events = await at.events();
    for (let count = 0; count < 3; count++) {
      await send(at, 'name=Ada&email=ada%40example.org');
      expect((await events.next('story')).data).toMatchObject({ visitorGot: 'a mail to ada@example.org' });
    }
  });

  test.each([
    ['', '', 'To the visitor no mail, since the field holds no address, or more than one'],
    ['office%40example.com', '', 'To the visitor no mail, since the address is one that the form itself'],
    ['ada%40example.org', 'refused', 'To the visitor a mail, failed → mail.example.com:587 '],
  ])('to %j through a server with fault %j is told as %s', async (email, fault, told) => {
    const at = await stage({ config: quote });
    const events = await at.events();
    await at.post('/studio/fault', { form: 'contact', output: '1', fault });
    await send(at, `name=Ada&email=${email}`);
    const story = await events.next('story');
    expect(storyText(story)).toContain(told);
    expect(story.data).toMatchObject({ visitorGot: '', outcome: 'delivered' });
    // Whatever becomes of it, the submission counts.
    expect(storyText(story)).toContain('Answered 200');
  });
});

describe('a submission that waits for a click', () => {
  const newsletter = `
forms:
  contact:
    fields: [{name: email, type: email, required: true}, {name: name, max_length: 60}]
    outputs: [{type: http_post, url: "https://list.example.com/", mapping: "*"}]
    double_opt_in: {to: email, subject: Confirm, text: Was it you?, html: true, through: {type: smtp, host: mail.example.com}}
`;
  const body = 'name=Ada&email=ada%40example.org';
  /** A browser's post from a page that keeps its address to itself. */
  const click = (at: Stage, link: string) => {
    const [path = '', query = ''] = link.split('?');
    return at.request(path, { method: 'POST', headers: { ...urlencoded, origin: 'null' }, body: query });
  };

  test.each([
    ['127.0.0.1', ''],
    ['localhost', ''],
    ['localhost', '/bootstrap'],
  ])('is shown with its link, which leads back to the page at %s%s', async (name, base) => {
    // Nobody is led out of the studio.
    const at = await stage({ config: newsletter, env: { PUBLIC_URL: 'https://forms.example.com' } });
    const events = await at.events();
    const headers = { ...urlencoded, host: `${name}:${at.port}` };
    await at.request(`${base}/api/v1/submit/contact`, { method: 'POST', headers, body });
    const held = await events.next('story');
    const { link = '' } = held.data as { link?: string };
    expect(link).toMatch(new RegExp(`^${base}/api/v1/confirm/contact\\?t=`));
    expect(held.data).toMatchObject({
      word: 'Held back',
      got: 'nothing before the link in the mail is clicked',
      visitorGot: 'a mail to ada@example.org',
    });
    expect(storyText(held)).toContain(`http://${name}:${at.port}${link}`);
    expect(storyText(held)).toContain('Outputs get it when the link is clicked');
    expect((held.data as { html: string }).html).toContain(`href="${link}"`);
    expect((await at.request('/studio/mail/1/0/light')).text).toContain(`http://${name}:${at.port}${link}`);

    expect((await at.request(link)).status).toBe(200);
    expect((await click(at, link)).status).toBe(303);
    const confirmed = await events.next('story');
    expect(confirmed.data).toMatchObject({ word: 'Delivered', got: 'a request at list.example.com' });
    expect(storyText(confirmed)).toContain('its address is confirmed; to 1 of 1 output');
    expect(storyText(confirmed)).toContain('Confirmed 2 fields, held in the link that was clicked');
    expect(storyText(confirmed)).not.toContain('Not in the config');
    expect(confirmed.data).not.toHaveProperty('link');
  });

  test('is confirmed by what its own link holds, and a page of nowhere can post nothing else', async () => {
    const at = await stage({ config: newsletter });
    expect((await click(at, '/api/v1/confirm/contact?t=forged')).status).toBe(400);
    expect((await click(at, `/api/v1/submit/contact?${body}`)).status).toBe(403);
    expect((await click(at, '/studio/clear')).status).toBe(403);
  });
});

describe('the stream of events', () => {
  test('begins with the run, and brings each submission as it is answered', async () => {
    const at = await stage({ config: contact });
    const events = await at.events();
    const [, run] = /data-run="([^"]+)"/.exec((await at.request('/')).text) ?? [];
    expect((await events.next('hello')).data).toEqual({ run, oldest: 1 });
    await send(at, 'name=Ada&email=ada%40example.org');
    const story = await events.next('story');
    expect(story.id).toBe('1');
    expect(story.data).toMatchObject({
      word: 'Delivered',
      says: 'contact: Delivered, to 1 of 1 output',
    });
    const text = storyText(story);
    expect(text).toContain('POST /contact HTTP/1.1\r\nhost: hooks.example.com\r\n');
    expect(text).toContain('email=ada%40example.org&name=Ada');
    expect(text).toContain('Answered 200 with JSON');
    expect(text).toContain('{"message":"ok"}');
  });

  test('brings what a page missed, and nothing twice', async () => {
    const at = await stage({ config: contact });
    for (const name of ['a', 'b', 'c']) await send(at, `name=${name}`);
    const idsOf = async (path: string, headers = {}) => {
      const events = await at.events(path, headers);
      await at.post('/studio/clear', {});
      await events.next('cleared');
      for (const name of ['a', 'b', 'c']) await send(at, `name=${name}`);
      return events.all.filter(({ type }) => type === 'story').map(({ id }) => id);
    };
    expect((await idsOf('/studio/events?after=1')).slice(0, 2)).toEqual(['2', '3']);
    expect((await idsOf('/studio/events', { 'last-event-id': '5' })).slice(0, 1)).toEqual(['6']);
    expect(/data-last="(\d+)"/.exec((await at.request('/')).text)?.[1]).toBe('9');
  });

  test('says how far the inbox goes back, for who missed that it was cleared', async () => {
    const at = await stage({ config: contact });
    const oldest = async () => (await (await at.events()).next('hello')).data;
    for (const name of ['a', 'b', 'c']) await send(at, `name=${name}`);
    expect(await oldest()).toMatchObject({ oldest: 1 });
    await at.post('/studio/clear', {});
    expect(await oldest()).toMatchObject({ oldest: 4 });
  });

  test('goes on, however long nothing happens', async () => {
    const at = await stage({ config: contact, idleMs: 1_000 });
    const events = await at.events();
    await events.next('hello');
    // Another connection that rests is cut after this time.
    const other = net.connect(at.port, '127.0.0.1').resume();
    await once(other, 'close');
    await send(at, 'name=Ada');
    expect((await events.next('story')).id).toBe('1');
  });

  test('says that a submission is under way', async () => {
    const at = await stage({ config: contact });
    const events = await at.events();
    await send(at, 'name=Ada');
    expect([(await events.next('busy')).data, (await events.next('busy')).data]).toEqual([1, 0]);
  });
});

test('the inbox keeps the last 100, and can be cleared', async () => {
  const at = await stage({ config: contact });
  for (let index = 1; index <= 102; index++) await send(at, `name=n${index}`);
  const { text } = await at.request('/');
  const numbers = [...text.matchAll(/data-number="(\d+)"/g)].map(([, number]) => Number(number));
  expect([numbers.length, numbers[0], numbers.at(-1)]).toEqual([100, 102, 3]);
  await at.post('/studio/clear', {});
  expect((await at.request('/')).text).not.toContain('data-number');
});

test('the inbox keeps fewer large ones, and always the newest', async () => {
  const outputs = '{type: http_post, url: "https://hooks.example.com/", mapping: "*"}, '.repeat(40);
  const fields = '{name: a}, {name: b}, {name: c}, {name: d}, {name: e}, {name: f}';
  const at = await stage({ config: `forms: {contact: {fields: [${fields}], outputs: [${outputs}]}}` });
  const value = 'x'.repeat(10_000);
  for (let index = 1; index <= 4; index++) {
    await send(at, ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `${name}=${value}`).join('&'));
  }
  const { text } = await at.request('/');
  expect([...text.matchAll(/data-number="(\d+)"/g)].map(([, number]) => number)).toEqual(['4']);
});

describe('the config', () => {
  test('is shown as it is saved, whatever cache_ttl says', async () => {
    const at = await stage({ config: `cache_ttl: 24h\n${contact}`, env: { CACHE_TTL: '24h' } });
    const events = await at.events();
    await at.edit(contact.replace('Write to us', 'Say hello'));
    await events.next('changed');
    expect((await at.request('/')).text).toContain('Say hello');
    expect((await at.request('/api/v1/form/contact')).text).toContain('Say hello');
  });

  test('that is broken is told with place, caret and suggestion, and the last good one serves on', async () => {
    const at = await stage({ config: contact });
    await at.edit(contact.replace('required', 'requierd'));
    const { text } = await at.request('/');
    expect(text).toContain('The config does not load. The form is from its last good version.');
    expect(text).toContain('data-line="6" data-column="22">Line 6</button>');
    expect(text).toContain('did you mean required?');
    expect((await send(at, 'name=Ada')).status).toBe(200);
    await at.edit(contact);
    expect((await at.request('/')).text).not.toContain('class="problems');
  });

  test('warnings stand beside errors, and are named', async () => {
    const at = await stage({
      config: contact.replace('required', 'requierd').replace(/$/, '    confirmation: ""\n'),
    });
    const { text } = await at.request('/');
    expect(text).toContain('The config does not load.');
    expect(text).toMatch(/did you mean required\?/);
    expect(text).toContain('warning: visitors read nothing after they have sent the form');
  });

  test('that never loaded leaves a page that says so', async () => {
    const at = await stage({ config: 'forms: {contact: }' });
    const { text, status } = await at.request('/');
    expect(status).toBe(200);
    expect(text).toContain('There is no form to show yet.');
    expect((await send(at, 'name=Ada')).status).toBe(500);
    await at.edit(contact);
    expect((await at.request('/')).text).toContain('Write to us');
  });

  test('that loads with a warning shows it', async () => {
    const at = await stage({ config: contact.replace('mapping: "*"', 'mapping: {a: nmae}') });
    const { text } = await at.request('/');
    expect(text).toContain('The config loads, but look at this:');
    expect(text).toContain('nmae');
  });

  test('without forms says what to do', async () => {
    const at = await stage({ config: 'forms: {}' });
    expect((await at.request('/')).text).toContain('The config declares no form.');
  });

  test('names variables that are not set', async () => {
    const config = contact.replace('mapping:', 'headers: {X: \'{{ env "HOOK_TOKEN" }}\'}, mapping:');
    const text = async (env: Record<string, string>) =>
      (await (await stage({ config, env })).request('/')).text;
    expect(await text({})).toContain('HOOK_TOKEN is not set here');
    expect(await text({ HOOK_TOKEN: 'x' })).not.toContain('HOOK_TOKEN is not set here');
  });

  test('whose names and words are markup stays text', async () => {
    const evil = `"<img src=x onerror=alert(1)>'\\""`;
    const at = await stage({
      config: contact
        .replace('Write to us', evil)
        .replace('contact:', `${evil}:`)
        .replace('name: name', `name: ${evil}`)
        .replace('/contact"', '/<b>"'),
    });
    const events = await at.events();
    const form = encodeURIComponent(`<img src=x onerror=alert(1)>'"`);
    await send(at, `${form}=${form}&<i>=<i>`, {}, form);
    const { html } = (await events.next('story')).data as { html: string };
    const { text } = await at.request('/');
    expect(text + html).not.toMatch(/<img|<i>(?!empty| HTTP)|<b>(?!\w|\^|&|<code>)/);
  });
});

describe('what is typed into the page', () => {
  const edited = contact.replace('Write to us', 'Say hello');
  const write = async (at: Stage, path: string, body = '') => {
    const headers = { origin: at.origin };
    const answer = await at.request(`/studio/config${path}`, { method: 'POST', headers, body });
    return { status: answer.status, state: answer.status === 200 ? JSON.parse(answer.text) : undefined };
  };

  test('is used at once, and is in the file only when it is saved', async () => {
    const at = await stage({ config: contact });
    const { state } = await write(at, '/draft', edited);
    expect(state).toMatchObject({ text: edited, isDraft: true, isOvertaken: false, problems: [] });
    expect((await at.request('/api/v1/form/contact')).text).toContain('Say hello');
    expect(at.file).toBe(contact);
    expect((await write(at, '/save')).state).toMatchObject({ isDraft: false, text: edited });
    expect(at.file).toBe(edited);
  });

  test('can be undone', async () => {
    const at = await stage({ config: contact });
    await write(at, '/draft', edited);
    expect((await write(at, '/revert')).state).toMatchObject({ isDraft: false, text: contact });
    expect((await at.request('/api/v1/form/contact')).text).toContain('Write to us');
  });

  test('names its problems with their lines, and the last good version serves on', async () => {
    const at = await stage({ config: contact });
    const { state } = await write(at, '/draft', edited.replace('required', 'requierd'));
    expect(state.problems).toEqual([{ line: 6, column: 22, length: 8, severity: 'error' }]);
    expect((await at.request('/api/v1/form/contact')).text).toContain('Write to us');
  });

  test('goes over what another editor saved only when its owner says so', async () => {
    const at = await stage({ config: contact });
    await write(at, '/draft', edited);
    const theirs = contact.replace('Write to us', 'Theirs');
    await at.edit(theirs);
    expect((await at.request('/api/v1/form/contact')).text).toContain('Say hello');
    const refused = await write(at, '/save');
    expect([refused.state.isOvertaken, refused.state.text, at.file]).toEqual([true, edited, theirs]);
    expect((await write(at, '/save?anyway')).state).toMatchObject({ isDraft: false, isOvertaken: false });
    expect(at.file).toBe(edited);
  });

  test('that does not load is saved only when its owner says so', async () => {
    const at = await stage({ config: contact });
    const broken = contact.replace('required', 'requierd');
    await write(at, '/draft', broken);
    expect((await write(at, '/save')).state).toMatchObject({ isDraft: true, isBroken: true });
    expect(at.file).toBe(contact);
    expect((await write(at, '/save?broken')).state).toMatchObject({ isDraft: false, isBroken: false });
    expect(at.file).toBe(broken);
  });

  test('whose save is undone leaves what stood there before, unless another editor has changed it', async () => {
    const at = await stage({ config: contact });
    await write(at, '/draft', edited);
    await write(at, '/save');
    expect((await at.request('/')).text).toContain('id="revert"');
    expect((await write(at, '/revert')).state).toMatchObject({ isDraft: false, text: contact });
    expect(at.file).toBe(contact);
    expect((await at.request('/')).text).not.toContain('id="revert"');
    await write(at, '/draft', edited);
    await write(at, '/save');
    const theirs = contact.replace('Write to us', 'Theirs');
    await at.edit(theirs);
    expect((await at.request('/')).text).not.toContain('id="revert"');
    await write(at, '/revert');
    expect(at.file).toBe(theirs);
  });

  test('gives way to what another editor saved, when its owner says so', async () => {
    const at = await stage({ config: contact });
    await write(at, '/draft', edited);
    await at.edit(contact.replace('Write to us', 'Theirs'));
    await write(at, '/revert');
    expect((await at.request('/api/v1/form/contact')).text).toContain('Theirs');
  });

  test('keeps the line ends of the file', async () => {
    const at = await stage({ config: contact.replaceAll('\n', '\r\n') });
    const { state } = await write(at, '/draft', edited);
    expect(state.text).toBe(edited);
    await write(at, '/save');
    expect(at.file).toBe(edited.replaceAll('\n', '\r\n'));
  });

  test('is refused when it is long or no text, and from everything but the page itself', async () => {
    const at = await stage({ config: contact });
    expect((await write(at, '/draft', '#'.repeat(65_537))).status).toBe(413);
    expect((await write(at, '/nothing')).status).toBe(404);
    // No page at all, another server of this machine, the page by another name.
    for (const origin of [undefined, 'http://localhost:3000', `http://localhost:${at.port}`]) {
      for (const path of ['draft', 'save', 'save?anyway', 'revert']) {
        const answer = await at.request(`/studio/config/${path}`, {
          method: 'POST',
          headers: origin ? { origin } : {},
          body: edited,
        });
        expect([origin, path, answer.status]).toEqual([origin, path, 403]);
      }
    }
    expect(at.file).toBe(contact);
  });

  test('knows where in the text everything of a form stands, though it does not load', async () => {
    const at = await stage({ config: contact.replace('required', 'requierd') });
    const { lines } = JSON.parse((await at.request('/studio/config')).text);
    expect(lines.contact).toMatchObject({ '': 3, title: 4, 'fields.name': 6, 'fields.email': 7, spam: 8 });
    expect(lines.contact).toMatchObject({ 'spam.honeypot': 8, 'outputs.0': 10 });
  });
});

describe('a form as it was some time ago', () => {
  const guarded = contact.replace('{honeypot: website}', '{min_fill_seconds: 3}');
  const tokenIn = (text: string) => /name="_ts" value="([^"]+)"/.exec(text)?.[1] ?? '';

  test.each([
    [0, 'by min_fill'],
    [4_000, 'to 1 of 1 output'],
    [7_200_001, 'Expired'],
  ])('given out %d ms ago: %s', async (ms, says) => {
    const at = await stage({ config: guarded });
    const events = await at.events();
    const { text } = await at.request(`/api/v1/form/contact?studio-age=${ms}&name=Ada`);
    expect(text).toContain('value="Ada"');
    await send(at, `name=Ada&_ts=${tokenIn(text)}`);
    expect(JSON.stringify((await events.next('story')).data)).toContain(says);
  });
});

test('in Bootstrap the form has its class names, and those of the config stay', async () => {
  const at = await stage({ config: contact.replace('title:', 'classes: {button: mine}\n    title:') });
  const host = (await at.request('/studio/htmx4/bootstrap/contact')).text;
  const address = /hx-get="([^"]+)"/.exec(host)?.[1] ?? '';
  const same = { 'sec-fetch-site': 'same-origin' };
  const { text } = await at.request(address, { headers: same });
  expect(text).toContain('class="form-control"');
  expect(text).toContain('class="mine"');
  const action = /action="([^"]+)"/.exec(text)?.[1] ?? '';
  const headers = { ...urlencoded, ...same, 'hx-request': 'true' };
  const again = await at.request(action, { method: 'POST', headers, body: 'name=' });
  expect([again.status, again.text.includes('class="form-control is-invalid"')]).toEqual([422, true]);
  expect((await at.request('/api/v1/form/contact')).text).not.toContain('form-control');
});

test('Bootstrap and Pico are dressed as docs/styling.md says', () => {
  const [bootstrap, pico] = [recipe('Bootstrap 5', 'bootstrap'), recipe('Pico', 'pico')];
  const written = Object.entries(bootstrapClasses).map(([key, names]) => `  ${key}: ${names}\n`);
  expect(`classes:\n${written.join('')}`).toBe(bootstrap.classes);
  const tight = (css: string) =>
    css
      .replaceAll(/\s+/g, ' ')
      .replaceAll(/ ?([{}:;,]) ?/g, '$1')
      .replaceAll(';}', '}')
      .trim();
  expect(bootstrap.css).not.toBe('');
  expect(tight(besideBootstrap.toString())).toBe(tight(bootstrap.css));
  expect(tight(besidePico.toString().replace(formStyle.toString(), ''))).toBe(tight(pico.css));
});

describe('an output with a condition', () => {
  const config = `
forms:
  contact:
    fields: [{name: kind, type: select, options: [sales, support, '<b>']}]
    outputs:
      - {type: crm_web2lead, url: "https://crm.example/", mapping: "*", when: {field: kind, is: [support, '<b>']}}
      - {type: http_post, url: "https://desk.example/", mapping: "*", when: {field: kind, is: sales}}
`;

  test('says when it gets something, and why it was skipped', async () => {
    const at = await stage({ config });
    const { text } = await at.request('/?form=contact');
    expect(text).toContain('Only when kind is support or &lt;b&gt;.');
    expect(text).toContain('a submission with kind left empty reaches no output');
    const events = await at.events();
    expect((await send(at, 'kind=sales')).status).toBe(200);
    const story = await events.next('story');
    expect(story.data).toMatchObject({ word: 'Delivered' });
    expect(storyText(story)).toContain('skipped, since kind is not support or <b>');
    expect(storyText(story)).toContain('to 1 of 2 outputs, 1 skipped');
  });

  test('may leave a submission to nobody, which has failed', async () => {
    const at = await stage({ config });
    const events = await at.events();
    expect((await send(at, 'kind=')).status).toBe(500);
    const story = await events.next('story');
    expect(story.data).toMatchObject({ word: 'Failed' });
    expect(storyText(story)).toContain('no output applies');
    expect(storyText(story)).toContain('skipped, since kind is not sales');
  });

  test('is not the one that goes down in a scenario, where it would get nothing', async () => {
    const at = await stage({ config });
    expect((await at.request('/?form=contact')).text).toMatch(/&#34;down&#34;:\{&#34;output&#34;:1,/);
  });
});

describe('an output that is made to fail', () => {
  const outputs = {
    http_post: '{type: http_post, url: "https://a.example/", mapping: "*", timeout: 3s}',
    crm_web2lead: '{type: crm_web2lead, url: "https://a.example/", mapping: "*", timeout: 3s}',
    smtp: '{type: smtp, host: a.example, to: a@example.com, mapping: "*", timeout: 3s}',
    email: '{type: email, to: a@example.com, mapping: "*", timeout: 3s}',
  };
  const cases = [
    ['http_post', 'refused', 'ECONNREFUSED'],
    ['http_post', 'status_500', '500'],
    ['http_post', 'slow', 'no complete answer within'],
    ['crm_web2lead', 'refused', 'ECONNREFUSED'],
    ['crm_web2lead', 'status_500', '500'],
    ['crm_web2lead', 'slow', 'no complete answer within'],
    ['smtp', 'refused', 'ECONNREFUSED'],
    ['smtp', 'bounced', '550'],
    ['smtp', 'slow', 'no complete answer within'],
    ['email', 'refused', 'ECONNREFUSED'],
    ['email', 'bounced', 'MessageRejected'],
    ['email', 'slow', 'no complete answer within'],
  ] as const;

  test.each(cases)('%s, %s: fail fails the submission, continue does not', async (type, fault, reason) => {
    const config = (policy: string) => `
forms:
  contact:
    fields: [{name: name}]
    outputs:
      - ${outputs[type].replace('}', `, on_error: ${policy}}`)}
      - {type: http_post, url: "https://b.example/", mapping: "*"}
`;
    const at = await stage({ config: config('fail') });
    const events = await at.events();
    await at.post('/studio/fault', { form: 'contact', output: '0', fault });
    await events.next('changed');
    expect((await at.request('/')).text).toContain('1 made to fail');
    expect((await send(at, 'name=Ada')).status).toBe(500);
    const failed = await events.next('story');
    expect(failed.data).toMatchObject({ word: 'Failed' });
    expect(storyText(failed)).toContain(reason);
    expect(storyText(failed)).toContain('so the submission failed');

    await at.edit(config('continue'));
    expect((await send(at, 'name=Ada')).status).toBe(200);
    const partly = await events.next('story');
    expect(partly.data).toMatchObject({ word: 'Delivered in part' });
    expect(storyText(partly)).toContain('so the submission counts all the same');

    await at.post('/studio/fault', { form: 'contact', output: '0', fault: '' });
    await send(at, 'name=Ada');
    expect((await events.next('story')).data).toMatchObject({ word: 'Delivered' });
  });

  test('works again when another type takes its place', async () => {
    const config = (output: string) => `forms: {contact: {fields: [{name: name}], outputs: [${output}]}}`;
    const at = await stage({ config: config(outputs.smtp) });
    await at.post('/studio/fault', { form: 'contact', output: '0', fault: 'bounced' });
    expect((await send(at, 'name=Ada')).status).toBe(500);
    await at.edit(config(outputs.http_post));
    expect((await send(at, 'name=Ada')).status).toBe(200);
    expect((await at.request('/')).text).not.toContain('made to fail');
  });

  test('is no output of an unknown type, which always fails', async () => {
    const at = await stage({
      config: 'forms: {contact: {fields: [{name: name}], outputs: [{type: fax, mapping: "*"}]}}',
    });
    const { text } = await at.request('/');
    expect(text).toContain('no such output type: every submission is answered 500');
    expect(text).not.toContain('data-fault');
  });
});

test.each(['htmx4', 'htmx2'] as const)(
  'what a page needs for %s is what docs/htmx.md shows',
  async (mode) => {
    const at = await stage({ config: contact });
    const { text } = await at.request('/?form=contact');
    const name = mode.replace('htmx', 'htmx ');
    const [, shown = ''] =
      new RegExp(`<span>${name}</span>.*?<pre tabindex="0">(.*?)</pre>`, 's').exec(text) ?? [];
    const paper = readFileSync(new URL('../../docs/htmx.md', import.meta.url), 'utf8');
    const examples = [...paper.matchAll(/^```html\n(.*?)\n```$/gms)].map(([, html = '']) =>
      escaped(html.replaceAll('https://forms.example.com', at.origin)),
    );
    expect(examples).toContain(shown);
    const { devDependencies } = JSON.parse(
      readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
    );
    expect(shown).toContain(`https://cdn.jsdelivr.net/${devDependencies[mode].replace(':', '/')}/dist/`);
  },
);

const escaped = (text: string) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&#34;')
    .replaceAll("'", '&#39;');

test('a form with min-fill has no command for a page without scripts', async () => {
  const config = contact.replace('{honeypot: website}', '{min_fill_seconds: 3}');
  const { text } = await (await stage({ config })).request('/?form=contact&mode=plain');
  expect(text).toContain('cannot hold a fresh min-fill token');
  expect(text).not.toContain('form html');
});

test('submissions stand in the order of their answers, and show when that was', async () => {
  let release = () => {};
  let asleep = () => {};
  const sleeping = new Promise<void>((resolve) => {
    asleep = resolve;
  });
  const sleep = () =>
    new Promise<void>((resolve) => {
      release = resolve;
      asleep();
    });
  const at = await stage({ config: contact, effects: { sleep } });
  await at.post('/studio/fault', { form: 'contact', output: '0', fault: 'slow' });
  const slow = send(at, 'name=Slow');
  await sleeping;
  await at.post('/studio/fault', { form: 'contact', output: '0', fault: '' });
  at.advance(60_000);
  await send(at, 'name=Quick');
  at.advance(60_000);
  release();
  await slow;
  const { text } = await at.request('/');
  const stories = [
    ...text.matchAll(/<details class="story".*?datetime="(.*?)".*?<div>(Slow|Quick)<\/div>/gs),
  ];
  expect(stories.map(([, , name]) => name)).toEqual(['Slow', 'Quick']);
  const [first = 0, second = 0] = stories.map(([, time = '']) => Date.parse(time));
  expect(first - second).toBeGreaterThanOrEqual(60_000);
});

describe('the values that "Fill in" and the curl line give', () => {
  const folder = new URL('../../examples/', import.meta.url);
  const examples = readdirSync(folder)
    .filter((name) => name !== 'README.md')
    .map((name) => [name, readFileSync(new URL(`${name}/webform.yaml`, folder), 'utf8')] as const);
  const linesOf = (text: string) =>
    [...text.matchAll(/<pre tabindex="0">(curl .*?)<\/pre>/gs)].map(([, line = '']) =>
      line.replaceAll('&#39;', "'").replaceAll('&#34;', '"').replaceAll('&amp;', '&'),
    );

  test.each([
    ...examples,
    ['every field type', `forms:\n${everyField.replaceAll('$sink', 'https://a.example/')}`] as const,
  ])('%s: a shell that runs it has every form delivered', async (_, config) => {
    const bare = config.replaceAll(/min_fill_seconds: \d+/g, 'min_fill_seconds: 0');
    const at = await stage({ config: bare, env: { SMTP_USERNAME: 'me', SMTP_PASSWORD: 'secret' } });
    const events = await at.events();
    const forms = [...(await at.request('/')).text.matchAll(/href="\/\?form=(\w+)&amp;mode=element"/g)];
    const names = [...new Set(forms.map(([, name = '']) => name))];
    expect(names).not.toEqual([]);
    for (const name of names) {
      const [line = ''] = linesOf((await at.request(`/?form=${name}`)).text);
      await promisify(execFile)('sh', ['-c', line]);
      const story = await events.next('story');
      // With a double opt-in, one click is missing.
      const word = expect.stringMatching(/^(Delivered|Held back)$/);
      expect([name, story.data]).toMatchObject([name, { word }]);
    }
  });
});

describe('pages with htmx', () => {
  test.each(['htmx2', 'htmx4'] as const)('%s is served with its licence, or as npm has it', async (name) => {
    const at = await stage({ config: contact });
    const { status, headers, text } = await at.request(`/studio/${name}.js`);
    expect([status, headers['content-type']]).toEqual([200, 'text/javascript; charset=utf-8']);
    expect(text).toContain('var htmx=');
  });
});
