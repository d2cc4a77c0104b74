/** `relay dev` of the built program: with --live its outputs deliver, without it nothing is sent. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import net, { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { smtpSink } from '../../../../test/spec/stage.ts';
import { tempFolder } from '../../../../test/support/temp_folder.ts';
import type { StudioState } from '../../src/state.ts';
import { signIn } from './sign_in.ts';

const program = fileURLToPath(new URL('../../../../dist/relay.cjs', import.meta.url));

async function dev(config: string, env: Readonly<Record<string, string>>, ...options: readonly string[]) {
  const cwd = tempFolder();
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
  return { cwd, origin, ask, post };
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

test('with --live, what is submitted arrives', async () => {
  const mail = await smtpSink();
  const output = `{type: smtp, host: 127.0.0.1, port: ${mail.port}, to: office@firm.example, mapping: "*"}`;
  const config = `forms: {contact: {fields: [{name: name}], outputs: [${output}]}}`;
  const studio = await dev(config, {}, '--live');
  const { status } = await studio.post('/api/v1/submit/contact', new URLSearchParams({ name: 'Ada' }));
  expect([status, mail.mails.map(({ envelope }) => envelope.to)]).toEqual([200, [['office@firm.example']]]);
});

test('without --live nothing is sent, whatever is posted', async () => {
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
  expect(traps.map(({ connections }) => connections())).toEqual([0, 0, 0, 0]);
  expect(await readdir(studio.cwd)).toEqual(['webform.yaml']);
});
