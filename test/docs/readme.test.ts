import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { showProblems } from '../../packages/cli/src/terminal.ts';
import { parseConfig } from '../../packages/relay/src/config/parse.ts';
import { createSmtpClient } from '../../packages/relay/src/transports/smtp/smtp_client.ts';
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

const [first = '', config = ''] = blocks('yaml');
const curl = blocks('sh').find((text) => text.startsWith('curl ')) ?? '';
const [answer] = blocks('json');
const [, posted, mailed, problem] = blocks('text');

/** Fails when the README no longer says what a test replaces. */
function replace(text: string, from: string, to: string): string {
  expect(text).toContain(from);
  return text.replace(from, to);
}

/** What the shell prints that runs a command of the README against a relay of ours. */
async function run(command: string, origin: string): Promise<string> {
  const { stdout } = await promisify(execFile)(
    'sh',
    ['-c', replace(command, 'http://localhost:8080', origin)],
    {
      env: { PATH: process.env.PATH },
    },
  );
  return `${stdout}\n`;
}

test('the first form and its curl line do what the README says, and its browser page is there', async () => {
  const received = await mkdtemp(join(tmpdir(), 'readme-'));
  const relay = await startRelay({ config: replace(first, 'path: received', `path: ${received}`) });
  onTestFinished(async () => {
    await relay.close();
    await rm(received, { recursive: true });
  });

  expect(await run(curl, relay.origin)).toBe(answer);
  const [entry = ''] = (await readdir(received, { recursive: true })).filter((path) =>
    path.endsWith('.json'),
  );
  const { fields } = JSON.parse(readFileSync(join(received, entry), 'utf8'));
  expect(fields.map(({ values }: { values: string[] }) => values)).toEqual([
    ['Ada'],
    ['ada@example.org'],
    ['Hello'],
  ]);
  const [, page = ''] = /<http:\/\/localhost:8080(\/api[^>]*)>/.exec(readme) ?? [];
  expect((await relay.request(page, {})).text).toContain('<!DOCTYPE html>');
});

test('the form with two outputs sends what the README shows', async () => {
  const crm = await startHttpSink();
  const mailbox = await startSmtpSink({ tls: 'starttls', auth: { username: 'forms', password: 'pa55word' } });
  const reachable = replace(config, 'https://crm.example.com', crm.origin);
  const relay = await startRelay({
    // The test certificate is good for mail.test.
    config: replace(reachable, 'smtp.example.com', 'mail.test'),
    env: { CRM_TOKEN: 't0ken', SMTP_PASSWORD: 'pa55word' },
    effects: {
      smtp: createSmtpClient({
        ca,
        connect: (to) => connect({ ...to, port: mailbox.port, host: mailbox.host }),
      }),
    },
  });
  onTestFinished(async () => {
    await Promise.all([relay.close(), crm.close(), mailbox.close()]);
  });

  expect(await run(curl, relay.origin)).toBe(answer);
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

test.each([
  ['first', first],
  ['second', config],
])('the %s config of the README loads without a warning', (_, text) => {
  const result = parseConfig(text, 'webform.yaml');
  expect(result.ok ? result.value.warnings() : result.error).toEqual([]);
});

test('the problem that the README shows is the one that its config has with this typo', () => {
  const result = parseConfig(replace(config, 'mapping:', 'maping:'), 'webform.yaml');
  expect(result.ok ? '' : `${showProblems(result.error)}\n`).toBe(problem);
});
