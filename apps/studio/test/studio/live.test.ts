/** `relay dev` as built: with --live its outputs deliver, without it nothing is sent. */
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ClientError } from '../../../../packages/base/src/client_error.ts';
import { rawServer, smtpSink, tempFolder } from '../../../../test/support/index.ts';
import type { StudioState } from '../../src/state.ts';
import { startDev } from './sign_in.ts';
import { contact, reportOf, send, stage } from './stage.ts';

async function dev(config: string, env: Readonly<Record<string, string>>, ...options: readonly string[]) {
  const cwd = tempFolder();
  await writeFile(join(cwd, 'webform.yaml'), config);
  const { origin, ask } = await startDev(cwd, options, { FORM_TOKEN_SECRET: 'only-for-tests', ...env });
  const post = (
    path: string,
    body: URLSearchParams | FormData | string,
    headers: Record<string, string> = { origin },
  ) => ask(path, { method: 'POST', body, headers, redirect: 'manual' });
  return { cwd, origin, ask, post };
}

/** A server of any kind that counts its connections. */
const trap = () => rawServer({ connect: (socket) => void socket.destroy() });

test('with --live, submissions arrive', async () => {
  const mail = await smtpSink();
  const output = `{type: smtp, host: 127.0.0.1, port: ${mail.port}, to: office@firm.example, mapping: "*"}`;
  const config = `forms: {contact: {fields: [{name: name}], outputs: [${output}]}}`;
  const studio = await dev(config, {}, '--live');
  const { status } = await studio.post('/api/v1/submit/contact', new URLSearchParams({ name: 'Ada' }));
  expect([status, mail.mails.map(({ envelope }) => envelope.to)]).toEqual([200, [['office@firm.example']]]);
});

test('without --live, nothing is sent, whatever is submitted', async () => {
  const traps = await Promise.all([trap(), trap(), trap(), trap()]);
  const [mail, crm, tokens, alerts] = traps.map(({ port }) => `127.0.0.1:${port}`);
  const [host, port] = mail?.split(':') ?? [];
  const config = `
keep: {in: kept}
alerts: {outputs: [{type: webhook, url: "http://${alerts}/alert"}]}
forms:
  contact:
    keep: failed
    fields:
      - {name: name, required: true}
      - {name: email, type: email, required: true}
      - {name: cv, type: file, accept: [pdf]}
    confirmation_mail: {to: email, subject: Thanks, text: We have it.}
    outputs:
      - {type: smtp, host: ${host}, port: ${port}, to: "office@firm.example, {{ .fields.email }}", mapping: "*"}
      - {type: http_post, url: "http://${crm}/", mapping: "*"}
      - {type: webhook, url: "http://${crm}/", oauth2: {token_url: "http://${tokens}/token", grant: client_credentials, client_id: a, client_secret: '{{ env "CRM_SECRET" }}'}}
      - {type: slack, url: "http://${crm}/services/T/B/X"}
      - {type: folder, path: leads}
  news:
    double_opt_in: {to: email, subject: Confirm, text: Please confirm.}
    fields: [{name: email, type: email, required: true}]
    outputs: [{type: smtp, host: ${host}, port: ${port}, to: office@firm.example, mapping: "*"}]
`;
  const studio = await dev(config, { CRM_SECRET: 'secret' });
  const state = (await (await studio.ask('/studio/state')).json()) as StudioState;
  expect(state.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  const values = { name: 'Ada', email: 'ada@firm.example', live: 'yes' };
  const mark = { 'X-Form-Relay-Test': '1', origin: studio.origin };
  const files = new FormData();
  for (const [name, value] of Object.entries(values)) files.append(name, value);
  files.append('cv', new File(['%PDF-1.4\n%%EOF\n'], 'cv.pdf', { type: 'application/pdf' }));
  const submitted = await Promise.all([
    studio.post('/api/v1/submit/contact', new URLSearchParams(values)),
    studio.post('/api/v1/submit/contact', new URLSearchParams(values), mark),
    studio.post('/api/v1/submit/contact', files),
    studio.post('/api/v1/submit/news', new URLSearchParams(values)),
  ]);
  expect(submitted.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  await studio.post('/studio/config/draft', config.replace('office@', 'other@'));
  await studio.post('/api/v1/submit/contact', new URLSearchParams(values));
  expect(traps.map(({ connections }) => connections)).toEqual([0, 0, 0, 0]);
  expect(await readdir(studio.cwd)).toEqual(['webform.yaml']);
});

/** Deliveries that a relay would queue, in the studio. */

const config = `
keep: {in: /var/lib/form-relay}
forms:
  contact:
    keep: failed
    fields: [{name: email}]
    outputs:
      - {type: http_post, url: "https://crm.example.com/leads", mapping: "*"}
      - {type: http_post, url: "https://hooks.acme.dev/", mapping: "*"}
`;

test('the page shows queued deliveries', async () => {
  let isDown = true;
  const http = async ({ url: { host } }: { readonly url: URL }) => {
    if (isDown && host === 'crm.example.com') throw new ClientError('down', { retryAfterMs: 0 });
    return { status: 200, headers: {}, body: '' };
  };
  const at = await stage({ config, isDelivering: true, effects: { http } });
  const events = await at.events();
  const send = async () => {
    expect((await at.post('/api/v1/submit/contact', { email: 'a@b.example' })).status).toBe(200);
    return reportOf(await events.next('report'));
  };
  expect((await send()).ending).toMatchObject({ word: 'Queued in part', tone: 'warn' });
  isDown = false;
  await at.edit(config.replace('keep: failed', 'keep: always'));
  const delivered = await send();
  expect(delivered.ending.word).toBe('Delivered');
  expect(delivered.report.outputs.map(({ isKept }) => isKept)).toEqual([true, true]);
});

/** Forms that the studio serves to other pages say what happens to a submission. */

const origin = 'http://localhost:3000';
const asHtmx = { 'hx-request': 'true' };
const asScript = { accept: 'application/problem+json' };
const linked = { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
const ownPage = { ...linked, 'sec-fetch-site': 'same-origin' };
const redirecting = contact.replace('title:', 'redirect: https://www.example.com/thanks\n    title:');
const closed = contact.replace('title:', 'closes: "2020-12-24T18:00Z"\n    title:');
const linking = contact.replace('title:', 'confirmation: "[Thanks](https://www.example.com/)"\n    title:');
const form = '/api/v1/form/contact';

interface Case {
  readonly what: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly path?: string;
  readonly config?: string;
}

const gets: readonly Case[] = [
  { what: 'a fragment', headers: { origin } },
  { what: 'a fragment of a form that has closed', headers: { origin }, config: closed },
  { what: 'a fragment for form.js', headers: { origin, accept: 'text/html;profile=form-relay' } },
  { what: 'a page that a link opens', headers: linked },
  { what: 'a page in a frame', headers: { ...linked, 'sec-fetch-dest': 'iframe' } },
  { what: 'the page for a redirect', headers: linked, path: '/studio/elsewhere?to=https%3A%2F%2Fa.example' },
];
const posts: readonly Case[] = [
  { what: 'for htmx', headers: { origin, ...asHtmx } },
  { what: 'for form.js', headers: { origin, ...asScript } },
  { what: 'for form.js, with a link in it', headers: { origin, ...asScript }, config: linking },
  { what: 'on a page', headers: { origin, ...linked }, path: 'contact?as=page' },
  { what: 'in place of a redirect', headers: { origin, accept: 'text/html' }, config: redirecting },
];

describe.each([
  { isDelivering: false, words: 'which delivers nothing' },
  { isDelivering: true, words: 'which really delivers' },
])('on a page of another origin, delivering: $isDelivering', ({ isDelivering, words }) => {
  test.each(gets)('$what says so', async ({ headers, path = form, config = contact }) => {
    const at = await stage({ config, isDelivering });
    const { status, text } = await at.request(path, { headers });
    expect([status, text.split(words).length]).toEqual([200, 2]);
  });
});

test.each(posts)('a success $what says so', async ({ headers, path = 'contact', config = contact }) => {
  const at = await stage({ config });
  let answer = await send(at, 'name=Ada&email=ada@example.org', headers, path);
  if (answer.status === 303) {
    const { pathname, search } = new URL(answer.headers.location ?? '', `${at.origin}/api/v1/submit/contact`);
    answer = await at.request(pathname + search, { headers: ownPage });
  }
  const said = headers.accept === asScript.accept ? JSON.parse(answer.text) : {};
  const shown = said.confirmation_html ?? said.confirmation ?? answer.text;
  expect([answer.status, shown.split('which delivers nothing').length]).toEqual([200, 2]);
});

test.each<Case>([
  { what: 'a program', headers: {} },
  { what: 'a page of the studio', headers: { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'empty' } },
  { what: 'a frame of the studio', headers: { ...ownPage, 'sec-fetch-dest': 'iframe' } },
])('$what gets the form unchanged', async ({ headers }) => {
  const at = await stage({ config: contact });
  expect((await at.request(form, { headers })).text).not.toContain('which delivers nothing');
  const answer = await send(at, 'name=Ada', { ...headers, origin: at.origin, ...asHtmx });
  expect(answer.text).toBe('<div class="form-confirmation">Thank you.</div>\n');
});
