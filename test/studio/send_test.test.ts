/** `/studio/test` of the built program: with `relay dev --live` it sends, without it nothing does. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import net, { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { StudioState } from '../../packages/studio/src/state.ts';
import type { TestAnswer, TestPlan } from '../../packages/studio/src/test_state.ts';
import { startHttpSink } from '../support/http_sink.ts';
import { startSmtpSink } from '../support/smtp_sink.ts';
import { signIn } from './sign_in.ts';
import { stage } from './stage.ts';

const program = fileURLToPath(new URL('../../dist/relay.cjs', import.meta.url));

async function dev(config: string, env: Readonly<Record<string, string>>, ...options: readonly string[]) {
  const cwd = await mkdtemp(join(tmpdir(), 'relay-live-'));
  onTestFinished(() => rm(cwd, { recursive: true }));
  await writeFile(join(cwd, 'webform.yaml'), config);
  const child = spawn(process.execPath, [program, 'dev', '--port', '0', ...options], {
    cwd,
    env: { PATH: process.env.PATH, FORM_TOKEN_SECRET: 'only-for-tests', ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line = ''] = await once(createInterface({ input: child.stdout }), 'line');
  const { origin, ask } = await signIn(line);
  const post = (
    path: string,
    body: URLSearchParams | FormData | string,
    headers: Record<string, string> = { origin },
  ) => ask(path, { method: 'POST', body, headers, redirect: 'manual' });
  const plan = async (more = ''): Promise<TestPlan> =>
    (await ask(`/studio/test?form=contact${more}`)).json() as Promise<TestPlan>;
  const send = async (values: Readonly<Record<string, string>>, headers?: Record<string, string>) => {
    const answer = await post('/studio/test', new URLSearchParams({ form: 'contact', ...values }), headers);
    const text = await answer.text();
    return { status: answer.status, answer: (text.startsWith('{') ? JSON.parse(text) : {}) as TestAnswer };
  };
  return { cwd, origin, ask, post, plan, send };
}

/** A server of any kind, which counts who comes. */
async function trap() {
  let connections = 0;
  const server = net.createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, connections: () => connections };
}

async function sinks() {
  const [mail, crm] = [await startSmtpSink(), await startHttpSink({ answer: () => ({ body: 'taken' }) })];
  onTestFinished(mail.close);
  onTestFinished(crm.close);
  const outputs = `[{type: smtp, host: 127.0.0.1, port: ${mail.port}, to: office@firm.example, mapping: "*"}, {type: http_post, url: "${crm.origin}/", mapping: "*"}, {type: folder, path: leads}]`;
  return { mail, crm, outputs };
}

const formWith = (outputs: string) =>
  `forms: {contact: {fields: [{name: name, required: true}, {name: email, type: email}], outputs: ${outputs}}}`;

describe('with --live', () => {
  test('the plan says where it goes, and then it goes there, marked, and nowhere else', async () => {
    const { mail, crm, outputs } = await sinks();
    const studio = await dev(formWith(outputs), {}, '--live');
    const plan = await studio.plan();
    expect(plan).toMatchObject({
      report: {
        values: [['Name', 'Ada Lovelace'], expect.anything()],
        outputs: [
          { type: 'smtp', to: ['office@firm.example'], result: 'ready' },
          { type: 'http_post', target: `${crm.origin}/`, result: 'ready' },
          { type: 'folder', result: 'ready', says: 'not stored: a test; only looked at' },
        ],
      },
    });
    expect([mail.mails.length, crm.requests.length]).toEqual([0, 0]);
    const { status, answer } = await studio.send({ key: plan.key });
    expect([status, answer]).toEqual([
      200,
      {
        report: expect.objectContaining({
          outputs: [
            expect.objectContaining({ result: 'delivered', says: '250 OK: message queued' }),
            expect.objectContaining({ result: 'delivered', says: '200 taken' }),
            expect.objectContaining({ result: 'failed', says: expect.stringContaining('leads') }),
          ],
        }),
      },
    ]);
    expect(mail.mails[0]?.raw).toMatch(/^Subject: \[Test\] .*\r\nX-Form-Relay-Test: 1\r\n/ms);
    expect(crm.requests[0]?.headers['x-form-relay-test']).toBe('1');
    expect([mail.mails.length, crm.requests.length]).toEqual([1, 1]);
    expect(await readdir(studio.cwd)).toEqual(['webform.yaml']);
  });

  test('nothing is sent but what was shown, and by its own page alone', async () => {
    const { mail, crm, outputs } = await sinks();
    const studio = await dev(formWith(outputs), {}, '--live');
    const { key } = await studio.plan();
    const statuses = [
      await studio.send({ key: 'another' }),
      await studio.send({ key, to: 'me@firm.example' }),
      await studio.send({ key }, {}),
      await studio.send({ key }, { origin: 'http://127.0.0.1:1' }),
      await studio.send({ key }, { origin: 'https://evil.example' }),
      await studio.send({ key, form: 'nosuch' }),
    ].map(({ status }) => status);
    expect(statuses).toEqual([409, 409, 404, 403, 403, 409]);
    await studio.post('/studio/config/draft', formWith(outputs).replace('office@', 'other@'));
    expect(await studio.send({ key })).toMatchObject({
      status: 409,
      answer: { refusal: expect.stringContaining('look again') },
    });
    await studio.post('/studio/config/draft', 'forms: [');
    expect(await studio.plan()).toMatchObject({ refusal: expect.stringContaining('mistake') });
    expect([mail.mails.length, crm.connections]).toEqual([0, 0]);
  });

  test('`to` gets the mails of the visitor', async () => {
    const { mail } = await sinks();
    const form = formWith(
      `[{type: smtp, host: 127.0.0.1, port: ${mail.port}, to: "{{ .fields.email }}", mapping: "*"}]`,
    );
    const studio = await dev(form, {}, '--live');
    expect((await studio.plan()).report?.outputs).toMatchObject([{ result: 'skipped', needsAddress: true }]);
    const { key } = await studio.plan('&to=me@firm.example');
    expect((await studio.send({ key, to: 'me@firm.example' })).status).toBe(200);
    expect(mail.mails.map(({ envelope }) => envelope.to)).toEqual([['me@firm.example']]);
  });
});

test('without --live nothing is sent, whatever is posted', async () => {
  const traps = await Promise.all([trap(), trap(), trap(), trap(), trap()]);
  const [mail, crm, tokens, alerts, scanner] = traps.map(({ port }) => `127.0.0.1:${port}`);
  const [host, port] = mail?.split(':') ?? [];
  const config = `
keep: {in: kept}
alerts: {outputs: [{type: webhook, url: "http://${alerts}/alert"}]}
heartbeat: {url_env: HEARTBEAT_URL}
forms:
  contact:
    keep: failed
    fields:
      - {name: name, required: true}
      - {name: email, type: email, required: true}
      - {name: cv, type: file, accept: [pdf]}
    scan: {clamd: "${scanner}"}
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
  const studio = await dev(config, { HEARTBEAT_URL: `http://${alerts}/beat`, CRM_SECRET: 'secret' });
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
    studio.post('/bootstrap/api/v1/submit/contact', new URLSearchParams(values)),
    studio.post('/api/v1/submit/news', new URLSearchParams(values)),
  ]);
  expect(submitted.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  const plan = await studio.plan();
  expect(plan).toMatchObject({ refusal: expect.stringContaining('--live'), report: expect.anything() });
  for (const more of ['', '&to=me@firm.example']) {
    const { key } = await studio.plan(more);
    const to = more.replace('&to=', '');
    expect(await studio.send({ key, to, live: 'true', isLive: 'true' })).toMatchObject({
      status: 409,
      answer: { refusal: expect.stringContaining('--live') },
    });
  }
  await studio.post('/studio/fault', new URLSearchParams({ form: 'contact', output: '1', fault: 'refused' }));
  await studio.post('/api/v1/submit/contact', new URLSearchParams(values));
  await studio.post('/studio/fault', new URLSearchParams({ form: 'contact', output: '1', fault: '' }));
  await studio.post('/studio/clock', new URLSearchParams({ ms: '86400000' }));
  await studio.post('/studio/config/draft', config.replace('office@', 'other@'));
  await studio.post('/api/v1/submit/contact', new URLSearchParams(values));
  expect(traps.map(({ connections }) => connections())).toEqual([0, 0, 0, 0, 0]);
  expect(await readdir(studio.cwd)).toEqual(['webform.yaml']);
});

test('a page without a server offers no test', async () => {
  const at = await stage({ config: formWith('[{type: folder, path: leads}]') });
  expect((await at.request('/studio/test?form=contact')).status).toBe(404);
  expect((await at.post('/studio/test', { form: 'contact' })).status).toBe(404);
});
