import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { parseConfig } from '../../src/config/parse.ts';
import * as library from '../../src/index.ts';
import { showProblems } from '../../src/tools/cli/terminal.ts';
import { createSmtpClient } from '../../src/transports/smtp/smtp_client.ts';
import { ca } from '../support/certificates.ts';
import { startHttpSink } from '../support/http_sink.ts';
import { startRelay } from '../support/relay.ts';
import { startSmtpSink } from '../support/smtp_sink.ts';

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

/** What stands in the fenced blocks of a language, in order. */
const blocks = (language: string): readonly string[] =>
  [...readme.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, of, text = '']) =>
    of === language ? [text] : [],
  );

const [config = ''] = blocks('yaml');
const curl = blocks('sh').find((text) => text.startsWith('curl ')) ?? '';
const [answer] = blocks('json');
const [posted, mailed, problem] = blocks('text');

/** Fails when the README no longer says what a test replaces. */
function replace(text: string, from: string, to: string): string {
  expect(text).toContain(from);
  return text.replace(from, to);
}

test('the config and the curl line of the README do what it says they do', async () => {
  const crm = await startHttpSink();
  const mailbox = await startSmtpSink({ tls: 'starttls', auth: { username: 'forms', password: 'pa55word' } });
  const reachable = replace(config, 'https://crm.example.com', crm.origin);
  const relay = await startRelay({
    // The test certificate is good for mail.test.
    config: replace(reachable, 'smtp.example.com', 'mail.test'),
    env: { CRM_TOKEN: 't0ken', SMTP_PASSWORD: 'pa55word' },
    effects: { smtp: createSmtpClient({ ca, connect: () => connect(mailbox.port, mailbox.host) }) },
  });
  onTestFinished(async () => {
    await Promise.all([relay.close(), crm.close(), mailbox.close()]);
  });

  const command = replace(curl, 'http://localhost:8080', relay.origin);
  const { stdout } = await promisify(execFile)('sh', ['-c', command], {
    env: { PATH: process.env.PATH },
  });

  expect(`${stdout}\n`).toBe(answer);
  expect(crm.requests.map(({ body }) => `${body}\n`)).toEqual([posted]);
  expect(crm.requests[0]?.headers.authorization).toBe('Bearer t0ken');
  expect(mailbox.mails.map(({ envelope, user }) => [envelope.to, user])).toEqual([
    [['sales@example.com'], 'forms'],
  ]);
  const [head, body] = mailbox.mails[0]?.raw.split('\r\n\r\n') ?? [];
  expect(head?.split('\r\n')).toEqual(
    expect.arrayContaining(['Subject: Message from Ada', 'Reply-To: ada@example.org']),
  );
  expect(body?.replaceAll('\r\n', '\n')).toBe(mailed);
});

test('the config of the README loads without a warning', () => {
  const result = parseConfig(config, 'webform.yaml');
  expect(result.ok ? result.value.warnings() : result.error).toEqual([]);
});

test('the problem that the README shows is the one that its config has with this typo', () => {
  const result = parseConfig(replace(config, 'mapping:', 'maping:'), 'webform.yaml');
  expect(result.ok ? '' : `${showProblems(result.error)}\n`).toBe(problem);
});

test('the library has what the README imports and mentions', () => {
  const imported = /import \{ (.*) \} from 'form-relay'/.exec(readme)?.[1]?.split(', ') ?? [];
  expect(imported).not.toEqual([]);
  expect(Object.keys(library)).toEqual(expect.arrayContaining(imported));
  const relay = library.createRelay({ env: {} });
  const members = [...readme.matchAll(/\brelay\.([a-z]+)\b(?!\.)/g)].map(([, name]) => name);
  for (const name of members.filter((name) => name !== 'cjs')) expect(relay).toHaveProperty(name as string);
});
