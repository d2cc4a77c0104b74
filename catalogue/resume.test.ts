import { randomBytes } from 'node:crypto';
import { featureContract } from 'form-relay/testing';
import { describe, expect, test } from 'vitest';
import { decodeMail, httpSink, relayWith, smtpSink } from '../test/support/index.ts';

const publicUrl = 'https://forms.acme.example';
interface Saved {
  readonly resume: { readonly link: string; readonly files: readonly string[] };
}

const env = { FORM_TOKEN_SECRET: 'not so secret', PUBLIC_URL: publicUrl };
const html = { accept: 'text/html' };
const problem = { accept: 'application/problem+json' };
const half = { email: 'ada@visitor.example', letter: 'Dear “日本”\r\n<b>school</b>', course: 'boots' };

test.each([
  ...featureContract({
    ...{ name: 'resume', env, form: { fields: [{ name: 'letter' }], resume: true } },
    passes: [{ letter: 'Hello there' }],
    stops: [{ letter: 'Hello there', _resume: 'link' }],
  }),
])('$name', ({ run }) => run());

const fields = `
      - {name: email, type: email, required: true}
      - {name: name, required: true}
      - {name: course, type: select, options: [boots, hats], value: hats}
      - {name: letter, type: textarea}
      - {name: iban, remember: false}
      - {name: card, autocomplete: cc-number}
      - {name: routing, from_query: false}
      - {name: source, type: hidden, value: ad}
      - {name: plan, type: file, accept: [text]}
      - {name: news, type: checkbox, value: on}
      - {name: agree, type: consent, label: I agree.}
      - {name: schools, type: repeat, fields: [{name: town}, {name: pin, remember: false}]}`;

async function open({ keys = 'true', more = '', own = fields, secret = env.FORM_TOKEN_SECRET } = {}) {
  const [smtp, list] = await Promise.all([smtpSink(), httpSink()]);
  const relay = await relayWith({
    env: { ...env, FORM_TOKEN_SECRET: secret },
    config: `
forms:
  apply:
    title: Summer school
    resume: ${keys}
    spam: {honeypot: website}
    fields:${own}
    outputs:
      - {type: http_post, url: "${list.origin}/", mapping: "*"}
      - {type: smtp, host: 127.0.0.1, port: ${smtp.port}, from: school@acme.example, to: office@acme.example, mapping: "*"}
${more}
`,
  });
  const save = (values: Record<string, string>, how = 'link', headers: Record<string, string> = problem) =>
    relay.submit('apply', Object.entries({ ...values, _resume: how }), headers);
  const link = async (values: Record<string, string> = half, how = 'link') =>
    ((await save(values, how)).json as Saved).resume.link.replace(publicUrl, '');
  return { ...relay, smtp, list, save, link };
}

describe('without a script', () => {
  test('the link is shown, and opens the form with the answers so far', async () => {
    const at = await open();
    const body = new URLSearchParams({
      ...half,
      iban: 'DE02',
      card: '4111',
      routing: 'x',
      source: 'forged',
      agree: 'on',
      'schools.1.town': 'Ulm',
      'schools.1.pin': '1234',
      _resume: 'link 2',
    });
    const page = await at.post('/api/v1/submit/apply?as=page', `${body}`, html);
    expect([page.status, page.headers.get('cache-control')]).toEqual([
      200,
      expect.stringContaining('no-store'),
    ]);
    expect(page.text).toContain('Keep this link');
    expect(page.text).not.toContain('<title>Error');
    const href =
      /<a href="https:\/\/forms\.acme\.example([^"]+)"/.exec(page.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    expect(href).toMatch(/^\/f\/apply\?_resume=[\w-]+$/);
    const shown = await at.get(href, html);
    expect(shown.headers.get('referrer-policy')).toBe('strict-origin');
    expect(shown.headers.get('cache-control')).toContain('no-store');
    expect(shown.text).toContain('value="ada@visitor.example"');
    expect(shown.text).toContain('Dear “日本”\r\n&lt;b&gt;school&lt;/b&gt;</textarea>');
    expect(shown.text).toMatch(/<option value="boots" selected>|selected[^>]*value="boots"/);
    expect(shown.text).toContain('value="Ulm"');
    expect(shown.text).toContain('data-resume-step="2"');
    expect(shown.text).not.toMatch(/DE02|4111|1234|forged| checked|has changed/);
    expect(at.list.requests).toHaveLength(0);
    expect(at.logged.map(({ outcome }) => outcome)).toContain('saved');
    expect(JSON.stringify(at.logged)).not.toMatch(new RegExp(`ada@|${href.slice(-20)}`));
  });

  test('files are named, and pressing Enter still sends the form', async () => {
    const at = await open({ keys: 'true\n    classes: {back: quiet}' });
    const data = new FormData();
    data.set('_resume', 'link');
    data.set('plan', new File(['A plan'], 'plan.txt', { type: 'text/plain' }));
    const answer = await at.request('/api/v1/submit/apply', { method: 'POST', headers: problem, body: data });
    const { resume } = answer.json as Saved;
    expect(resume.files).toEqual(['plan.txt']);
    expect((await at.get(resume.link.replace(publicUrl, ''), html)).text).toContain(
      'choose them again: plan.txt',
    );
    const { text } = await at.get('/api/v1/form/apply?as=page', html);
    expect(text).toMatch(
      /<button type="submit">Send<\/button>\n<p class="form-later"><button type="submit" name="_resume" value="link" formnovalidate class="field-button form-resume quiet">/,
    );
  });
});

test('by mail, on request, without any of the values, and with an hourly limit', async () => {
  const at = await open({
    keys: '{to: email, subject: "Go on with {{ .fields.course }}", expires: 1h, page: "https://acme.example/apply?x=1"}',
  });
  const sent = await at.save({ ...half, name: 'Spam and eggs' }, '1');
  expect(sent.json).toMatchObject({
    code: 'resume_sent',
    resume: { link: expect.stringMatching(/^https:\/\/acme\.example\/apply\?x=1&_resume=/) },
  });
  const { headers, text } = decodeMail(at.smtp.mails[0]?.raw ?? '');
  expect(Object.fromEntries(headers)).toMatchObject({
    To: 'ada@visitor.example',
    Subject: 'Go on with boots',
    'Auto-Submitted': 'auto-replied',
  });
  expect(text).toMatch(/^Here is the link to continue the form “Summer school”. The link works until/);
  expect(text).not.toMatch(/Spam|Dear/);
  expect((await at.save({ ...half, email: '' }, '1')).json).toMatchObject({
    status: 422,
    errors: [{ field: 'email', code: 'resume_address' }],
  });
  expect((await at.save({ ...half, email: 'ada' }, '1')).status).toBe(422);
  const more = [await at.save(half, '1'), await at.save(half, '1'), await at.save(half, '1')];
  expect(more.map(({ status }) => status)).toEqual([200, 200, 429]);
  expect(more[2]?.json).toMatchObject({ resume: { link: expect.any(String) } });
  expect((await at.save({ ...half, website: 'bot' }, '1')).json).toMatchObject({ message: 'ok' });
  expect(at.smtp.mails).toHaveLength(3);
});

test('a link to the owner’s page contains only the visitor’s own link', async () => {
  const at = await open({ keys: '{page: "https://acme.example/apply"}\n    links: optional' });
  expect(await at.link({ ...half, fill: 'of-ada' })).toContain('fill=of-ada');
  expect(await at.link(half)).not.toContain('of-ada');
});

test('a link that is cut, old, for another form or secret, or too long is rejected', async () => {
  const other =
    '  other: {resume: true, fields: [{name: email}], outputs: [{type: http_post, url: "http://127.0.0.1:9/", mapping: "*"}]}';
  const at = await open({ more: other });
  const link = await at.link();
  const shown = async (path: string) => (await at.get(path, html)).text;
  const changed = await (await open({ secret: 'another' })).link();
  const markup = '/api/v1/form/apply?as=page&_resume=%3Cscript%3Ealert(1)%3C/script%3E';
  for (const path of [
    link.slice(0, -1),
    link.replace('f/apply', 'f/other'),
    changed,
    markup,
    `/api/v1/form/apply?as=page&_resume=${'x'.repeat(5_000)}`,
  ]) {
    const text = await shown(path);
    expect(text).toContain('This link is not complete');
    expect(text).not.toMatch(/ada@|<script>alert/);
  }
  expect((await at.save({ ...half, letter: randomBytes(6_000).toString('hex') })).json).toMatchObject({
    errors: [{ field: 'letter', code: 'resume_too_long' }],
  });
  const long = { ...half, letter: randomBytes(2_600).toString('hex') };
  const longest = await at.link(long);
  expect(longest.length).toBeGreaterThan(4_500);
  expect(await shown(longest)).toContain(long.letter);
  at.advance(8 * 86_400_000);
  expect(await shown(link)).toContain('This link has expired. You can fill in the form again.');
});

test('a form that has changed fills in what still fits, and says so', async () => {
  const link = await (await open()).link();
  const later = await open({
    own: '\n      - {name: email, type: email, required: true}\n      - {name: course, type: select, options: [caps, hats]}\n      - {name: essay}',
  });
  const { text } = await later.get(link, html);
  expect(text).toContain('The form has changed since you saved it.');
  expect(text).toContain('value="ada@visitor.example"');
  expect(text).not.toMatch(/boots|Dear/);
});
