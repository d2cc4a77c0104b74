import { randomBytes } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startHttpSink } from '../support/http_sink.ts';
import { decodeMail } from '../support/mail.ts';
import { there } from './newsletter.ts';
import { relayOf, sinkOf } from './stage.ts';

const publicUrl = 'https://forms.acme.example';
const env = { FORM_TOKEN_SECRET: 'not so secret', PUBLIC_URL: publicUrl };
const html = { accept: 'text/html' };
const problem = { accept: 'application/problem+json' };

interface Options {
  readonly resume?: string;
  /** One field more. */
  readonly field?: string;
  readonly more?: string;
  readonly env?: Record<string, string>;
}

/** A long form: an application whose visitors need their papers at hand. */
async function openApplication({ resume = 'true', field = '', more = '', env: given = env }: Options = {}) {
  const smtp = await sinkOf();
  const list = await startHttpSink();
  onTestFinished(list.close);
  const relay = await relayOf({
    env: given,
    config: `
forms:
  apply:
    title: Summer school
    resume: ${resume}
    spam: {honeypot: website}
    fields:
      - {name: email, type: email, required: true}
      - {name: name, required: true}
      - {name: course, type: select, options: [boots, hats], value: hats}
      - {name: letter, type: textarea}
      - {name: iban, autocomplete: off}
      - {name: routing, from_query: false}
      - {name: source, type: hidden, value: ad}
      - {name: plan, type: file, accept: [text]}
      - {name: schools, type: repeat, shown: 1, fields: [{name: town}, {name: pin, autocomplete: off}]}
      ${field}
    outputs:
      - {type: http_post, url: "${list.origin}/", mapping: "*"}
      - {type: smtp, host: 127.0.0.1, port: ${smtp.port}, from: school@acme.example, to: office@acme.example, mapping: "*"}
${more}
`,
  });
  const save = (values: Record<string, string>, headers: Record<string, string> = {}) =>
    relay.submit('apply', Object.entries({ ...values, _resume: '1' }), headers);
  /** As a browser sends a form of a page of the relay's own. */
  const savePage = (values: Record<string, string>) =>
    relay.request('/api/v1/submit/apply?as=page', {
      method: 'POST',
      headers: { ...html, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ ...values, _resume: '1' }).toString(),
    });
  const mail = () => decodeMail(there(smtp.mails.at(-1)).raw);
  const link = () => (/https:\S+/.exec(mail().text) ?? [''])[0].replace(publicUrl, '');
  return { ...relay, smtp, list, save, savePage, mail, link };
}

const half = { email: 'ada@visitor.example', letter: 'Dear “日本”\r\nschool', course: 'boots' };

describe('resume mails a link that opens the form with the answers so far', () => {
  test('without script: nothing is delivered, the required name is not missed, and the link fills in the form', async () => {
    const at = await openApplication();
    const shown = await at.get('/api/v1/form/apply', html);
    expect(shown.text).toMatch(
      /<p><button type="submit">Send<\/button><\/p>\n<p><button type="submit" name="_resume" value="1" formnovalidate class="form-resume">Save for later/,
    );
    const { status, headers } = await at.savePage(half);
    expect(status).toBe(303);
    const said = await at.get(`/api/v1/submit/${headers.get('location')}`, html);
    expect(said.text).toContain('We have sent you an e-mail with a link.');
    expect(at.list.requests).toHaveLength(0);
    expect(at.smtp.mails).toHaveLength(1);
    const opened = await at.get(at.link(), html);
    expect(opened.status).toBe(200);
    expect(opened.text).toContain('value="ada@visitor.example"');
    expect(opened.text).toContain('Dear “日本”\r\nschool</textarea>');
    expect(opened.text).toContain('<option value="boots" selected>');
    expect(opened.headers.get('cache-control')).toBe('no-store');
    expect(opened.headers.get('referrer-policy')).toBe('strict-origin');
    // Programs that look at links do no harm.
    for (const method of ['GET', 'HEAD']) await at.request(at.link(), { method });
    expect(at.list.requests).toHaveLength(0);
    expect(at.smtp.mails).toHaveLength(1);
  });

  test('the mail holds the owner’s words, a link, and nothing that was filled in', async () => {
    const at = await openApplication();
    await at.save({ ...half, name: 'Spam and eggs' });
    const { headers, text } = at.mail();
    expect(Object.fromEntries(headers)).toMatchObject({
      From: 'school@acme.example',
      To: 'ada@visitor.example',
      Subject: 'Summer school: your saved form',
      'Auto-Submitted': 'auto-replied',
    });
    expect(text).toMatch(
      /^Here is the link to continue the form “Summer school”\. It works until \d+ \w+ \d{4}/,
    );
    expect(text).not.toMatch(/Spam|school\r|boots/);
    const sealed = at.link().split('fill=')[1] ?? '';
    expect(Buffer.from(sealed, 'base64url').toString('latin1')).not.toContain('ada@');
    expect(at.link()).toMatch(/^\/api\/v1\/form\/apply\?as=page&fill=[\w-]+$/);
    await at.get(at.link(), html);
    await at.submit('apply', [['fill', sealed]]);
    expect(at.logged.map(({ outcome }) => outcome)).toEqual(expect.arrayContaining(['saved', 'invalid']));
    const log = JSON.stringify(at.logged);
    expect(log).not.toMatch(/Spam|ada@visitor/);
    expect(log).not.toContain(sealed);
  });

  test('files, hidden values, fields that opt out, and those that no link may fill are not in it', async () => {
    const at = await openApplication();
    await at.save({ ...half, iban: 'DE02-secret', routing: 'elsewhere', source: 'forged' });
    const { text } = await at.get(at.link(), html);
    expect(text).not.toMatch(/DE02-secret|elsewhere|forged/);
    expect(text).toContain('name="source" value="ad"');
  });

  test.each([
    ['', 'Enter an email address'],
    ['ada', 'Enter'],
  ])('an address that is none (%j) is told, with all that was typed', async (email, words) => {
    const at = await openApplication();
    const { status, json } = await at.save({ ...half, email }, problem);
    expect(status).toBe(422);
    expect(json).toMatchObject({ errors: [{ field: 'email' }] });
    const page = await at.savePage({ ...half, email });
    expect(page.text).toContain('Dear “日本”');
    expect(page.text).toContain(words.slice(0, 5));
    expect(at.smtp.mails).toHaveLength(0);
  });

  test('too much for a link is told beside the longest field', async () => {
    const at = await openApplication();
    const { status, json } = await at.save(
      { ...half, letter: randomBytes(2_000).toString('base64') },
      problem,
    );
    expect(status).toBe(422);
    expect(json).toMatchObject({
      errors: [
        { field: 'letter', code: 'resume_too_long', message: expect.stringContaining('too long for a link') },
      ],
    });
    expect(at.smtp.mails).toHaveLength(0);
  });

  test('a changed link, one of another form, and one of another secret fill in nothing', async () => {
    const more =
      '  other:\n    resume: {through: {type: smtp, host: h, from: a@b.example}}\n    fields: [{name: email, type: email}]\n    outputs: [{type: http_post, url: "http://127.0.0.1:9/", mapping: "*"}]\n';
    const at = await openApplication({ more });
    await at.save(half);
    const sealed = at.link().split('fill=')[1] ?? '';
    for (const address of [
      `/api/v1/form/apply?fill=${sealed.slice(0, -1)}`,
      `/api/v1/form/apply?fill=${sealed.slice(0, 40)}${sealed[40] === 'A' ? 'B' : 'A'}${sealed.slice(41)}`,
      `/api/v1/form/apply?fill=`.concat('x'.repeat(5_000)),
      `/api/v1/form/other?fill=${sealed}`,
    ]) {
      const { status, text } = await at.get(address, html);
      expect(status).toBe(200);
      expect(text).toContain('This link is not complete');
      expect(text).not.toContain('ada@visitor.example');
    }
  });

  test('bots that press the button get the answer of others, and no mail', async () => {
    const at = await openApplication();
    const htmx = { 'hx-request': 'true', accept: '*/*' };
    const bot = await at.save({ ...half, website: 'x' }, htmx);
    const person = await at.save(half, htmx);
    expect(person.text).toContain('e-mail');
    expect(bot.text).toBe(person.text);
    expect(at.smtp.mails).toHaveLength(1);
  });

  test('an address gets three in an hour, the form as many as it may', async () => {
    const at = await openApplication({ resume: '{per_hour: 5}' });
    const statuses: number[] = [];
    for (let count = 0; count < 4; count += 1) statuses.push((await at.save(half)).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
    const others = ['b@v.example', 'c@v.example', 'd@v.example'];
    for (const email of others) statuses.push((await at.save({ ...half, email })).status);
    expect(statuses.slice(4)).toEqual([200, 200, 503]);
    expect(at.smtp.mails).toHaveLength(5);
  });

  test('without the secret or the relay’s address it fails closed', async () => {
    for (const name of ['FORM_TOKEN_SECRET', 'PUBLIC_URL']) {
      const at = await openApplication({ env: { ...env, [name]: '' } });
      expect((await at.save(half)).status).toBe(500);
      expect(at.smtp.mails).toHaveLength(0);
    }
  });
});
