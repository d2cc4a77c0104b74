import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { everyField } from '../../../../packages/core/test/html/every_field.ts';
import { startHttpSink, startSmtpSink } from '../../../../test/support/index.ts';
import type { Written } from '../../src/state.ts';
import { contact, reportOf, reportsAt, type Stage, send, stage, stateAt, urlencoded } from './stage.ts';

describe('only for its owner, even on a shared machine', () => {
  const reading = [
    ...['/', '/studio/state', '/studio/events', '/studio/templates.json'],
    ...['/studio/mail/1/0/light', '/studio/pdf/1', '/studio/app/studio.js', '/studio/element/contact'],
    ...[
      ...['/studio/theme/own.css', '/studio/elsewhere?to=a', '/?key=wrong', '/?key=', '/nosuch'],
      ...['/studio//state'],
    ],
  ];
  const writing = [
    ...['draft', 'save', 'save?anyway', 'discard'].map((name) => `/studio/config/${name}`),
    ...['start_over', 'clear'].map((name) => `/studio/${name}`),
  ];

  test('every path that reads or writes refuses requests without the key, and does nothing', async () => {
    const at = await stage({ config: contact, isDelivering: true });
    const { origin } = at;
    const strangers = ['', `relay_studio_${at.port}=`, `relay_studio_${at.port}=${at.key}`, 'a; b=c'];
    for (const cookie of strangers) {
      for (const path of reading)
        expect([path, (await at.request(path, { headers: { cookie } })).status]).toEqual([path, 401]);
      for (const path of writing) {
        const headers = { cookie, origin, ...urlencoded };
        const answer = await at.request(path, { method: 'POST', headers, body: 'form=contact' });
        expect([path, answer.status]).toEqual([path, 401]);
        expect(answer.text).toContain('needs a key');
      }
    }
    expect((await stateAt(at)).file).toMatchObject({ isDraft: false, text: contact });
    expect(at.file).toBe(contact);
  });

  test('the key becomes a cookie that scripts cannot read, and disappears from the URL', async () => {
    const at = await stage({ config: contact });
    const { status, headers } = await at.request(`/?key=${at.key}`, { headers: { cookie: '' } });
    expect([status, headers.location]).toEqual([303, '/']);
    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(
        new RegExp(`^relay_studio_${at.port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict$`),
      ),
    ]);
    expect(String(headers['set-cookie'])).not.toContain(at.key);
  });

  test('a cookie is only valid for the studio that issued it', async () => {
    const at = await stage({ config: contact });
    const { cookie } = at;
    await at.restart();
    expect((await at.request('/studio/state', { headers: { cookie } })).status).toBe(401);
    expect((await at.request('/studio/state')).status).toBe(200);
  });

  test('visitors need no key to load and submit forms', async () => {
    const at = await stage({ config: contact });
    const headers = { cookie: '' };
    for (const path of ['/api/v1/form/contact', '/api/v1/form.js', '/healthz'])
      expect([path, (await at.request(path, { headers })).status]).toEqual([path, 200]);
    expect((await send(at, 'name=Ada', headers)).status).toBe(200);
  });
});

describe('only this machine', () => {
  const paths = ['/', '/studio/state', '/studio/events', '/studio/app/studio.js', '/api/v1/form/contact'];

  test.each([
    ...['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', 'evil.example:8080'],
    ...['localhost@evil.example', 'rebound.localhost:8080', '10.0.0.1', 'evil.example, localhost'],
  ])('a request for the host "%s" is refused', async (host) => {
    const at = await stage({ config: contact });
    for (const path of paths)
      expect([path, (await at.request(path, { headers: { host } })).status]).toEqual([path, 403]);
    expect((await send(at, 'name=Ada', { host })).status).toBe(403);
    expect(await reportsAt(at)).toEqual([]);
  });

  test.each(['localhost', 'localhost:8080', '127.0.0.1:9', '[::1]:8080'])('%s is answered', async (host) => {
    const at = await stage({ config: contact });
    for (const path of paths.filter((one) => !one.endsWith('events')))
      expect((await at.request(path, { headers: { host } })).status).toBe(200);
  });

  test.each(['https://evil.example', 'null', 'http://localhost.evil.example'])(
    'a page of %s can neither change nor read anything',
    async (origin) => {
      const at = await stage({ config: contact });
      await send(at, 'name=Ada');
      const writing = ['draft', 'save', 'save?anyway'].map((name) => `/studio/config/${name}`);
      for (const path of ['/studio/clear', '/api/v1/submit/contact', ...writing]) {
        const answer = await at.request(path, {
          method: 'POST',
          headers: { ...urlencoded, origin },
          body: 'name=Ada&form=contact',
        });
        expect([path, answer.status]).toEqual([path, 403]);
        expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
      }
      for (const path of ['/', '/studio/events', '/studio/state', '/api/v1/form/contact']) {
        const answer = await at.request(path, { headers: { origin } });
        expect([path, answer.status, answer.headers['access-control-allow-origin']]).toEqual([
          path,
          403,
          undefined,
        ]);
      }
      expect(await reportsAt(at)).toHaveLength(1);
    },
  );

  test('a page from another server on this machine may use the API, and nothing else', async () => {
    const at = await stage({ config: contact });
    const origin = 'http://localhost:3000';
    expect((await send(at, 'name=Ada', { origin })).status).toBe(200);
    expect((await at.request('/studio/clear', { method: 'POST', headers: { origin } })).status).toBe(403);
  });

  test('the page allows only its own content, and no framing', async () => {
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
    ['GET', '/studio/element/nothing', 404],
    ['GET', '/studio/element/%E0%A4%A', 404],
    ['GET', '/studio/../../../package.json', 404],
    ['POST', '/studio/nothing', 404],
    ['POST', '/studio/config/save', 403],
    ['DELETE', '/', 405],
    ['GET', '/?form=nothing&mode=nothing&form=%FF', 200],
    ['POST', '/studio/clear', 204],
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

describe('requests that leave the machine', () => {
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

  test('are none', async () => {
    const { http, smtp, config } = await sinks();
    let mails = 0;
    const at = await stage({ config, effects: { ses: async () => void mails++ } });
    const events = await at.events();
    expect((await send(at, body)).status).toBe(200);
    expect(reportOf(await events.next('report')).report.says).toBe('to 4 of 4 outputs');
    expect([http.connections, smtp.mails.length, smtp.openConnections(), mails]).toEqual([0, 0, 0, 0]);
    expect((await stateAt(at)).isLive).toBe(false);
  });

  test('with --live are those of outputs, but not those to captcha providers', async () => {
    const { http, smtp, config } = await sinks();
    let mails = 0;
    const at = await stage({ config, isDelivering: true, effects: { ses: async () => void mails++ } });
    expect((await send(at, body)).status).toBe(200);
    expect(http.requests.map(({ url, body }) => `${url} ${body}`).toSorted()).toEqual([
      '/crm name=Ada',
      '/hook name=Ada',
    ]);
    expect([smtp.mails.length, mails]).toEqual([1, 1]);
    expect((await stateAt(at)).isLive).toBe(true);
  });
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
        url: https://hooks.acme.dev/contact?api_key=swordfish-6
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
  await events.next('report');
  await at.edit(
    config.replace('swordfish-7', '[swordfish-7').replace('password: swordfish-11', 'pasword: swordfish-11'),
  );
  const { file, ...shown } = await stateAt(at);
  // Only the owner's own text may contain it.
  expect(file.text).toContain('swordfish-7');
  const pages = await Promise.all(
    ['/', '/studio/element/contact', '/api/v1/form/contact'].map((path) => at.request(path)),
  );
  expect(JSON.stringify(events.all)).toContain('[HOOK_TOKEN]');
  expect(file.state).toBe('refresh_failed');
  const all = JSON.stringify(events.all) + JSON.stringify(shown) + pages.map(({ text }) => text).join('\n');
  expect(all.match(/.{0,60}swordfish.{0,10}/g)).toBeNull();
});

describe('the config', () => {
  test('is shown as saved, regardless of cache_ttl', async () => {
    const at = await stage({ config: `cache_ttl: 24h\n${contact}`, env: { CACHE_TTL: '24h' } });
    const events = await at.events();
    await at.edit(contact.replace('Write to us', 'Say hello'));
    await events.next('changed');
    expect((await stateAt(at)).form?.title).toBe('Say hello');
    expect((await at.request('/api/v1/form/contact')).text).toContain('Say hello');
  });

  test('if broken, is reported with place, caret and suggestion, and the last valid one remains in use', async () => {
    const at = await stage({ config: contact });
    await at.edit(contact.replace('required', 'requierd'));
    const { file, form, problems } = await stateAt(at);
    expect([file.state, form?.title]).toEqual(['refresh_failed', 'Write to us']);
    expect(problems).toMatchObject([
      { severity: 'error', line: 6, column: 22, length: 8, path: 'forms.contact.fields[0].requierd' },
    ]);
    expect(problems[0]?.message).toContain('did you mean required?');
    expect((await send(at, 'name=Ada')).status).toBe(200);
    await at.edit(contact);
    expect((await stateAt(at)).problems).toEqual([]);
  });
});

describe('text typed in the page', () => {
  const edited = contact.replace('Write to us', 'Say hello');
  const write = async (at: Stage, path: string, body: string | Buffer = '') => {
    const headers = { origin: at.origin };
    const answer = await at.request(`/studio/config${path}`, { method: 'POST', headers, body });
    const { state, ...outcome } = answer.status === 200 ? (JSON.parse(answer.text) as Written) : {};
    return { status: answer.status, text: answer.text, state, file: state?.file, ...outcome };
  };

  test('takes effect immediately, and is in the file only after saving', async () => {
    const at = await stage({ config: contact });
    const { state } = await write(at, '/draft', edited);
    expect(state).toMatchObject({ file: { text: edited, isDraft: true }, problems: [] });
    expect(state?.file.overtakenBy).toBeUndefined();
    expect((await at.request('/api/v1/form/contact')).text).toContain('Say hello');
    expect(at.file).toBe(contact);
    expect((await write(at, '/save')).file).toMatchObject({ isDraft: false, text: edited });
    expect(at.file).toBe(edited);
  });

  test('never silently overwrites a file that has changed since', async () => {
    const at = await stage({ config: contact });
    const { version } = (await stateAt(at)).file;
    const theirs = contact.replace('Write to us', 'Theirs');
    await at.edit(theirs);
    const late = await write(at, `/draft?on=${version}`, edited);
    expect(late.file).toMatchObject({ isDraft: true, overtakenBy: theirs });
    expect(await write(at, '/save')).toMatchObject({ isChanged: true });
    expect(at.file).toBe(theirs);
    await write(at, '/save?anyway');
    expect(at.file).toBe(edited);
  });

  test.each(['/draft', '/save', '/discard'])(
    "from a page that does not know another page's draft (%s) does not replace that draft",
    async (path) => {
      const at = await stage({ config: contact });
      const { textVersion } = (await stateAt(at)).file;
      const { file } = await write(at, `/draft?over=${textVersion}`, edited);
      const late = await write(at, `${path}?over=${textVersion}`, contact.replace('Write to us', 'Late'));
      expect(late).toMatchObject({ isOutdated: true, file: { text: edited, isDraft: true } });
      expect(at.file).toBe(contact);
      expect((await write(at, `${path}?over=${file?.textVersion}`, edited)).isOutdated).toBeUndefined();
    },
  );

  test('includes a config with 1,000 forms; a file that is too long to edit is locked', async () => {
    const many = Array.from({ length: 1_000 }, (_, nth) =>
      contact.replace(/^\nforms:\n/, '').replace('contact', `c${nth}`),
    );
    const at = await stage({ config: contact });
    const long = `forms:\n${many.join('')}${'# filling\n'.repeat(150_000)}`;
    expect(Buffer.byteLength(long)).toBeGreaterThan(1_500_000);
    expect((await write(at, '/draft', long)).state?.forms).toHaveLength(1_000);
    await write(at, '/discard');
    await at.edit(`${contact}${'#'.repeat(4 * 1_048_576)}`);
    expect((await stateAt(at)).file.locked).toContain('4 MB');
  });

  test('is refused if it is too long or not text, and from anything but the page itself', async () => {
    const at = await stage({ config: contact });
    expect(await write(at, '/draft', '#'.repeat(4 * 1_048_576 + 1))).toMatchObject({
      status: 413,
      text: 'the studio edits configs of up to 4 MB; use another editor for a longer one',
    });
    expect((await write(at, '/draft', Buffer.from([0xff]))).status).toBe(400);
    // Other paths have the same limit as the API.
    const others = { method: 'POST', headers: { origin: at.origin }, body: 'a'.repeat(65_537) };
    expect((await at.request('/studio/clear', others)).status).toBe(413);
    expect((await write(at, '/nothing')).status).toBe(404);
    // No page at all, another server on this machine, the page under another name.
    for (const origin of [undefined, 'http://localhost:3000', `http://localhost:${at.port}`]) {
      for (const path of ['draft', 'save', 'save?anyway']) {
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
});

test.each(['htmx4', 'htmx2'] as const)('docs/htmx.md shows what a page needs for %s', async (mode) => {
  const at = await stage({ config: contact });
  const { form } = await stateAt(at, '?form=contact');
  const name = mode.replace('htmx', 'htmx ');
  const shown = form?.site.snippets.find((one) => one.name === name)?.parts[0]?.code ?? '';
  const paper = readFileSync(new URL('../../../../docs/htmx.md', import.meta.url), 'utf8');
  const examples = [...paper.matchAll(/^```html\n(.*?)\n```$/gms)].map(([, html = '']) =>
    html.replaceAll('https://forms.example.com', at.origin),
  );
  expect(examples).toContain(shown);
  const { devDependencies } = JSON.parse(
    readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8'),
  );
  expect(shown).toContain(`https://cdn.jsdelivr.net/${devDependencies[mode].replace(':', '/')}/dist/`);
});

describe('values from "Fill in" and the curl command', () => {
  const folder = new URL('../../../../examples/', import.meta.url);
  const examples = readdirSync(folder)
    .filter((name) => existsSync(new URL(`${name}/webform.yaml`, folder)))
    .map((name) => [name, readFileSync(new URL(`${name}/webform.yaml`, folder), 'utf8')] as const);
  test.each([
    ...examples,
    ['every field type', `forms:\n${everyField.replaceAll('$sink', 'https://a.example/')}`] as const,
  ])('%s: every form is delivered by a shell that runs it', async (_, config) => {
    const bare = config.replaceAll(/min_fill_seconds: \d+/g, 'min_fill_seconds: 0');
    const at = await stage({ config: bare, env: { SMTP_USERNAME: 'me', SMTP_PASSWORD: 'secret' } });
    const events = await at.events();
    const names = (await stateAt(at)).forms.map(({ id }) => id);
    expect(names).not.toEqual([]);
    for (const name of names) {
      const line = (await stateAt(at, `?form=${name}`)).form?.site.curl ?? '';
      await promisify(execFile)('sh', ['-c', line]);
      const { report } = reportOf(await events.next('report'));
      // With double opt-in, only the confirmation click is missing.
      expect([name, report.outcome]).toEqual([name, expect.stringMatching(/^(delivered|held)$/)]);
    }
  });
});
