/** `relay init --mail`: a config for the account that its owner has. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { load } from 'js-yaml';
import { describe, expect, onTestFinished, test } from 'vitest';
import { mailHeader, relayWith, smtpSink } from '../../../test/spec/stage.ts';
import {
  clientId,
  clientSecret,
  refreshToken,
  startAuthorizationServer,
} from '../../../test/support/authorization_server.ts';
import { exceptExamples, parseConfig, warningsIn } from '../../../test/support/parse_config.ts';
import { mailAccounts } from '../../mail-dns/src/mail_services.ts';
import { configSchemaText } from '../../runtimes/src/inspect.ts';
import { openTerminal } from './terminal.ts';

interface Written {
  readonly said: string;
  readonly config: string;
}

const written = new Map<string, Promise<Written>>();

/** Files and output of `relay init --mail`, run once for all tests. */
function init(name: string): Promise<Written> {
  const known = written.get(name) ?? initNow(name);
  written.set(name, known);
  return known;
}

async function initNow(name: string): Promise<Written> {
  const { cwd, run } = await openTerminal();
  const { stdout, stderr, code } = await run(`relay init --mail ${name}`);
  expect([code, stderr]).toEqual([0, '']);
  return { said: stdout, config: readFileSync(join(cwd, 'webform.yaml'), 'utf8') };
}

interface Output {
  readonly type: string;
  readonly host?: string;
  readonly port?: number;
  readonly tls?: string;
  readonly username?: string;
  readonly password?: string;
  readonly auth?: string;
  readonly from?: string;
}

const outputOf = (config: string) =>
  (load(config) as { forms: { contact: { outputs: [Output] } } }).forms.contact.outputs[0];

const forEditors = new Ajv({ strict: false, allErrors: true, formats: { uri: true, date: true } }).compile(
  JSON.parse(await configSchemaText()),
);

function expectToLoad(config: string): void {
  const result = parseConfig(config, 'webform.yaml');
  expect(result.ok ? exceptExamples(warningsIn(result.value, config, 'webform.yaml')) : result.error).toEqual(
    [],
  );
  forEditors(load(config));
  expect(forEditors.errors ?? []).toEqual([]);
}

/** With what it shows of OAuth in comments, in the place of the password. */
const withOAuth = (config: string) =>
  config
    .replace(/^ +password: .*\n/m, '')
    .replaceAll(/^( +)# (?=( *)(auth|oauth2|grant|token_url|client_\w+|scope|refresh_token): ?)/gm, '$1');

const accounts = Object.entries(mailAccounts).map(([name, account]) => ({ name, ...account }));
const bySmtp = accounts.filter(({ name }) => name !== 'ses');

describe.each(accounts)('--mail $name', ({ name, title, secret }) => {
  test('writes a config that loads without a warning, and says all that it needs', async () => {
    const { said, config } = await init(name);
    expectToLoad(config);
    expect(said).toContain(`sends mail through ${title}.`);
    const named = [...config.matchAll(/^(?! *#).*env "(\w+)"/gm)].map(([, variable]) => variable);
    expect(named.filter((variable) => !said.includes(`  ${variable}  `))).toEqual([]);
    if (name !== 'ses') expect(config.toLowerCase()).toContain(secret.is.slice(0, 5).toLowerCase());
  });
});

test.each(bySmtp.filter(({ wantsOAuth }) => !wantsOAuth))(
  'what --mail $name wrote logs in and sends a mail for people',
  async ({ name }) => {
    const { config } = await init(name);
    const { username = '', from = '' } = outputOf(config);
    const env = { SMTP_PASSWORD: 's3cret', SMTP_USERNAME: 'shown-there' };
    const login = username.replace(
      /\{\{ env "(\w+)" \}\}/,
      (_, variable) => env[variable as keyof typeof env],
    );
    const sink = await smtpSink({ tls: 'starttls', auth: { username: login, password: 's3cret' } });
    const here = config
      .replace(/^( *host:) \S+/m, '$1 127.0.0.1')
      .replace(/^( *port:) \d+/m, `$1 ${sink.port}`);
    const relay = await relayWith({ config: here, env });
    const { status } = await relay.submit('contact', [
      ['name', 'Ada Lovelace'],
      ['email', 'ada@example.org'],
      ['message', 'Do you ship to Linz?'],
    ]);
    expect(status).toBe(200);
    const raw = sink.mails[0]?.raw ?? '';
    expect(mailHeader(raw, 'From')).toBe(from);
    expect(mailHeader(raw, 'Reply-To')).toBe('Ada Lovelace <ada@example.org>');
    expect(mailHeader(raw, 'Content-Type')).toContain('multipart/alternative');
  },
);

test.each([
  ['microsoft365', { grant: 'client_credentials', scope: 'https://outlook.office365.com/.default' }],
  ['gmail', { grant: 'refresh_token' }],
])('the output of --mail %s signs in with a token', async (name, granted) => {
  const tokens = await startAuthorizationServer({ tokenSize: 1_500 });
  onTestFinished(tokens.close);
  const config = withOAuth((await init(name)).config);
  expectToLoad(config);
  const { username = '' } = outputOf(config);
  const methods = ['LOGIN', 'XOAUTH2'];
  const sink = await smtpSink({ tls: 'starttls', auth: { username, isToken: tokens.isGood, methods } });
  const relay = await relayWith({
    config: config
      .replace(/^( *host:) \S+/m, '$1 127.0.0.1')
      .replace(/^( *port:) \d+/m, `$1 ${sink.port}`)
      .replace(/^( *token_url:) \S+/m, `$1 ${tokens.tokenUrl}`),
    env: {
      ...{ MS_CLIENT_ID: clientId, MS_CLIENT_SECRET: clientSecret },
      ...{ GOOGLE_CLIENT_ID: clientId, GOOGLE_CLIENT_SECRET: clientSecret },
      GOOGLE_REFRESH_TOKEN: refreshToken,
    },
  });
  const { status } = await relay.submit('contact', [
    ['name', 'Ada Lovelace'],
    ['email', 'ada@example.org'],
    ['message', 'Do you ship to Linz?'],
  ]);
  expect(status).toBe(200);
  expect(sink.mails).toMatchObject([{ user: username, secure: true }]);
  expect(tokens.granted).toMatchObject([granted]);
});
