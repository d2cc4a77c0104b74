import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deployTargets } from '@form-relay/starters/deploy_targets';
import { recipes } from '@form-relay/starters/recipes';
import { templates } from '@form-relay/starters/templates';
import { configHeader } from '@form-relay/starters/write_config';
import { load } from 'js-yaml';
import {
  clientId,
  clientSecret,
  refreshToken,
  startAuthorizationServer,
} from '../../../test/support/authorization_server.ts';
import { complaints, editorSchema } from '../../../test/support/editor.ts';
import { mailHeader, relayWith, smtpSink, untilEnd } from '../../../test/support/index.ts';
import { exceptExamples, parseConfig, warningsIn } from '../../../test/support/parse_config.ts';

import { once } from '../../base/src/maybe_promise.ts';
import { mailAccounts } from '../../clients/src/smtp/mail_services.ts';

import { openTerminal } from './terminal.ts';
import { checkTranscript } from './transcript.ts';

/** The files that `relay init` writes, by name. */
const written = once(async (): Promise<Readonly<Record<'config' | 'schema', string>>> => {
  const { cwd, run } = await openTerminal();
  await run('relay init');
  const read = (name: string) => readFileSync(join(cwd, name), 'utf8');
  const config = read('webform.yaml');
  // The editor looks for the schema next to the config.
  const [, schema = ''] = /^# yaml-language-server: \$schema=(\S+)$/m.exec(config) ?? [];
  return { config, schema: read(schema) };
});

/** Uncomments every key that the comments show. Sentences begin with a capital letter. */
const withEverything = (config: string) =>
  config.replaceAll(/^( *)# (?=[-a-z ])(?!yaml-language-server| *relay )/gm, '$1');

test.each([
  ['as it is', (config: string) => config],
  ['with every key that its comments show', withEverything],
])('the first config lacks only an address, and editors accept it: %s', async (_, edit) => {
  const { config, schema } = await written();
  const result = parseConfig(edit(config), 'webform.yaml');
  const problems = result.ok ? await result.value.warnings() : result.error;
  expect(problems.map(({ code }) => code)).toContain('output_address_reserved');
  expect(problems.filter(({ code }) => !code?.endsWith('_address_reserved'))).toEqual([]);
  expect(JSON.parse(schema)).toEqual(editorSchema);
  expect(complaints(edit(config))).toEqual([]);
});

test('the first config delivers nowhere: nobody can register its host name', async () => {
  const { config } = await written();
  const { forms } = load(config) as { forms: { contact: { outputs: { url: string }[] } } };
  expect(forms.contact.outputs.map(({ url }) => new URL(url).hostname)).toEqual(['your-server.invalid']);
});

test.each(recipes)('relay init --output $name writes what its page shows', async ({ name, config }) => {
  const { cwd, run } = await openTerminal();
  const { code, stdout } = await run(`relay init --output ${name}`);
  expect(code).toBe(0);
  const written = readFileSync(join(cwd, 'webform.yaml'), 'utf8');
  const [header, text] = [written.slice(0, -config.length), written.slice(-config.length)];
  expect(text).toBe(config);
  expect(header.split('\n').filter((line) => line !== '' && !line.startsWith('#'))).toEqual([]);
  const result = parseConfig(written, 'webform.yaml');
  expect(result.ok ? exceptExamples(await result.value.warnings()) : result.error).toEqual([]);
  expect(complaints(text)).toEqual([]);
  const told = [...stdout.matchAll(/ - set (\w+) in/g)].map(([, variable]) => variable);
  const used = result.ok ? result.value.env.map((one) => one.name) : [];
  expect(used).toEqual(expect.arrayContaining(told));
});

const templateFolder = new URL('../../../packages/starters/templates/', import.meta.url);

/** The variables are set, but to made-up values. */
const env = Object.fromEntries(
  ['SMTP_USERNAME', 'SMTP_PASSWORD', 'FORM_TOKEN_SECRET', 'LIST_TOKEN'].map((name) => [
    name,
    'q7Zk2mVr9sLd4kTz8wBnX5cF',
  ]),
);

test('there are twelve templates, and each says what it is', () => {
  expect(templates.map(({ name }) => `${name}.yaml`).toSorted()).toEqual(
    readdirSync(templateFolder).toSorted(),
  );
  expect(templates).toHaveLength(12);
  for (const { title, says } of templates) {
    expect(title).toMatch(/^[A-Z][\w ]+$/);
    expect(says).toMatch(/^[A-Z].*\.$/);
  }
});

test.each(templates)(
  'relay init --template $name writes its file byte for byte, and only addresses are missing',
  async ({ name }) => {
    const { cwd, run } = await openTerminal({ env: { ...env, PUBLIC_URL: 'https://forms.example.com' } });
    const { code, stdout } = await run(`relay init --template ${name}`);
    expect(code).toBe(0);
    const written = readFileSync(join(cwd, 'webform.yaml'));
    expect(written.equals(readFileSync(new URL(`${name}.yaml`, templateFolder)))).toBe(true);
    const text = String(written);
    expect(text.startsWith(`${configHeader}\n# `)).toBe(true);
    const validated = await run('relay config validate');
    expect(validated).toMatchObject({
      code: 0,
      stdout: /^ +to: .*@/m.test(text)
        ? expect.stringMatching(/^the config loads, but 1 output still has an example value/)
        : 'ok\n',
    });
    // The owner has to replace the addresses.
    const others = validated.stderr.match(/warning: .*/g)?.filter((line) => !/an example host/.test(line));
    expect(others ?? []).toEqual([]);
    expect(complaints(text)).toEqual([]);
    // Everything that the config needs is listed as still to do.
    for (const [, variable] of text.matchAll(/env "(\w+)"/g)) expect(stdout).toContain(`set ${variable} in`);
    expect(stdout).toContain('set FORM_TOKEN_SECRET in .env or the environment');
    expect(stdout.includes('create the folder /var/lib/form-relay')).toBe(text.includes('\nkeep:\n'));
    expect(stdout).toMatch(/relay dev .*\n +relay doctor /);
  },
);

/** `relay init --mail`: a config for the owner's mail account. */

interface Written {
  readonly said: string;
  readonly config: string;
}

const writtenInitMail = new Map<string, Promise<Written>>();

/** The files and output of `relay init --mail`, run once for all tests. */
function init(name: string): Promise<Written> {
  const known = writtenInitMail.get(name) ?? initNow(name);
  writtenInitMail.set(name, known);
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

function expectToLoad(config: string): void {
  const result = parseConfig(config, 'webform.yaml');
  expect(result.ok ? exceptExamples(warningsIn(result.value, config, 'webform.yaml')) : result.error).toEqual(
    [],
  );
  expect(complaints(config)).toEqual([]);
}

/** Replaces the password by the commented OAuth keys. */
const withOAuth = (config: string) =>
  config
    .replace(/^ +password: .*\n/m, '')
    .replaceAll(/^( +)# (?=( *)(auth|oauth2|grant|token_url|client_\w+|scope|refresh_token): ?)/gm, '$1');

const accounts = Object.entries(mailAccounts).map(([name, account]) => ({ name, ...account }));
const bySmtp = accounts.filter(({ name }) => name !== 'ses');

describe.each(accounts)('--mail $name', ({ name, title, secret }) => {
  test('writes a config that loads without a warning, and lists everything that it needs', async () => {
    const { said, config } = await init(name);
    expectToLoad(config);
    expect(said).toContain(`sends mail through ${title}.`);
    const named = [...config.matchAll(/^(?! *#).*env "(\w+)"/gm)].map(([, variable]) => variable);
    expect(named.filter((variable) => !said.includes(`  ${variable}  `))).toEqual([]);
    if (name !== 'ses') expect(config.toLowerCase()).toContain(secret.is.slice(0, 5).toLowerCase());
  });
});

test.each(bySmtp.filter(({ wantsOAuth }) => !wantsOAuth))(
  'the config of --mail $name logs in and sends a readable mail',
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
  const tokens = await untilEnd(startAuthorizationServer({ tokenSize: 1_500 }));
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
      MS_CLIENT_ID: clientId,
      MS_CLIENT_SECRET: clientSecret,
      GOOGLE_CLIENT_ID: clientId,
      GOOGLE_CLIENT_SECRET: clientSecret,
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

/** Forms from each service's documentation, or written by hand: what `relay init --from` makes of them. */
const folder = new URL('transcripts/moving_in/', import.meta.url);

test.each(readdirSync(folder))('%s', async (name) => await checkTranscript(new URL(name, folder)));

const hasScript = existsSync('/usr/bin/script');

describe.skipIf(!hasScript)('relay without arguments, in a terminal', () => {
  const alone = async (said: string, files = {}) => {
    const { cwd, run } = await openTerminal({ files });
    const { stdout, code } = await run(`printf '${said}' | script -qec relay /dev/null`);
    return { stdout, code, made: readdirSync(cwd) };
  };

  test('offers to make a form in an empty folder, and makes it', async () => {
    const { stdout, code, made } = await alone('y\\n');
    expect(stdout).toMatch(
      /There is no webform.yaml here[\s\S]*Create a contact form\? \[y\/N\][\s\S]*relay dev/,
    );
    expect({ code, made }).toEqual({ code: 0, made: ['webform.schema.json', 'webform.yaml'] });
  });

  test('makes nothing without a yes, and mentions other ways', async () => {
    const { stdout, made } = await alone('\\n');
    expect(stdout).toContain('relay demo');
    expect(made).toEqual([]);
    // Ctrl-D
    expect((await alone('\\004')).stdout).toMatch(/\[y\/N\] \S*\r\n.*relay init --help/);
  });

  test('says what a config in the folder would do, or what is wrong with it', async () => {
    const config =
      'forms: {contact: {fields: [{name: a}], outputs: [{type: folder, path: ., mapping: "*"}]}}';
    const { stdout, code } = await alone('', { 'webform.yaml': config });
    expect(stdout).toMatch(
      /webform.yaml has 1 form:[\s\S]*contact {4}delivers to folder[\s\S]*relay serve +serve it on/,
    );
    expect(code).toBe(0);
    const broken = await alone('', { 'webform.yaml': config.replace('outputs', 'outputz') });
    expect(broken.stdout).toMatch(/has mistakes[\s\S]*did you mean outputs\?/);
    expect(broken.code).toBe(1);
  });
});

test('relay init --deploy names the file that cannot be written', async () => {
  const { cwd, run } = await openTerminal();
  await run('relay init');
  writeFileSync(join(cwd, 'deploy'), '');
  const { stderr, code } = await run('relay init --deploy fly');
  expect([stderr, code]).toEqual(['deploy/fly/fly.toml: a part of the path is not a folder\n', 1]);
});

test('relay init --deploy writes files for each server, replaces none, and says what to do next', async () => {
  const { cwd, run } = await openTerminal();
  expect((await run('relay init --deploy fly')).stderr).toBe(
    'there is no webform.yaml to deploy; create one with relay init\n',
  );
  await run('relay init');
  for (const target of Object.keys(deployTargets)) {
    const { stdout, stderr, code } = await run(`relay init --deploy ${target} --domain forms.acme.example`);
    expect({ target, stderr, code }).toEqual({ target, stderr: '', code: 0 });
    const written = [...stdout.matchAll(/^ {2}([\w.-]+\/[\w./-]+)$/gm)].map(([, path = '']) =>
      readFileSync(join(cwd, path), 'utf8'),
    );
    expect(written.length).toBeGreaterThan(0);
    expect(written.join()).not.toContain('forms.example.com');
    expect(stdout).toContain(`docs/${deployTargets[target]?.page}`);
    const needsCheckout = /container\/Dockerfile|npm ci|\.\.\/dist\//.test([stdout, ...written].join());
    expect([target, stdout.includes('to a checkout of the relay')]).toEqual([target, needsCheckout]);
    expect(stdout).not.toMatch(/forms-example-com|s\/(.*)\/\1\//);
  }
  JSON.parse(readFileSync(join(cwd, 'deploy/cloudflare/package.json'), 'utf8'));
  writeFileSync(join(cwd, 'deploy/fly/fly.toml'), 'mine');
  const { stderr } = await run('relay init --deploy fly');
  expect(stderr).toMatch(/fly.toml already exists with other content/);
  // An interrupted run leaves only the beginning of a file.
  writeFileSync(join(cwd, 'deploy/fly/fly.toml'), '');
  expect((await run('relay init --deploy fly --domain forms.acme.example')).code).toBe(0);
  expect(readFileSync(join(cwd, 'deploy/fly/fly.toml'), 'utf8')).toContain('app');
  expect((await run('relay init --deploy fly --domain forms.acme.example')).code).toBe(0);
  const output = `{type: http_post, url: "https://crm.example/", mapping: "*", headers: {a: '{{ env "A=$(id); B" }}'}}`;
  writeFileSync(join(cwd, 'webform.yaml'), `forms: {a: {fields: [{name: x}], outputs: [${output}]}}\n`);
  expect((await run('relay init --deploy fly')).stderr).toMatch(
    /^a variable of the config contains characters that are not allowed in commands; rename it\n$/,
  );
});

test('relay init --deploy rejects a config whose name a command would take for an option', async () => {
  const { run } = await openTerminal();
  await run('relay init -- -rf.yaml');
  const { stderr, code } = await run('relay --config ./-rf.yaml init --deploy vps');
  expect([stderr, code]).toEqual([
    'file of the config contains characters that are not allowed in commands; rename it\n',
    1,
  ]);
});
