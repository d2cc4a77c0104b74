/** A `.env` next to the config sets variables for every command, and for `npm start`. */
import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseEnv, promisify } from 'node:util';
import { readConfig } from '@form-relay/runtimes/config_file';
import { httpSink, tempFolder } from '../../../test/support/index.ts';
import { err, ok } from '../../base/src/result.ts';
import { withVariables } from '../src/save_config.ts';
import { program } from './served.ts';
import { openTerminal } from './terminal.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

const config = (url = 'http://127.0.0.1:9/') => `
forms:
  contact:
    fields: [{name: name}]
    outputs: [{type: http_post, url: "${url}", static: {a: '{{ env "A" }}', b: '{{ env "B" }}'}}]
`;

/** Starts a server and stops it when the test is over. Returns the first lines that it prints. */
async function started(command: readonly string[], env: Record<string, string>, count: number) {
  const [program = '', ...options] = command;
  const { PATH = '' } = process.env;
  const stdio = ['ignore', 'pipe', 'ignore'] as const;
  const child = spawn(program, options, { cwd: root, env: { PATH, PORT: '0', ...env }, stdio: [...stdio] });
  const closed = once(child, 'close');
  onTestFinished(() => void child.kill());
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    if (!/^(>|$)/.test(line) && lines.push(line) === count) break;
  }
  child.stdout.resume();
  return { child, closed, lines, origin: new URL(/http:\/\/\S+/.exec(lines[0] ?? '')?.[0] ?? '').origin };
}

const serve = [process.execPath, `${root}dist/relay.cjs`, 'serve'];
const start = ['npm', 'start', '--silent'];

describe.each([
  ['relay serve', serve],
  ['npm start', start],
])('%s', (_, command) => {
  test('reads the file, and the environment overrides it', async () => {
    const sink = await httpSink();
    const { cwd } = await openTerminal({
      files: {
        'webform.yaml': config(`${sink.origin}/`),
        '.env': 'A="from the file"\nB=2 # not 3\nHOST=127.0.0.1\n',
      },
    });
    const { origin } = await started(command, { CONFIG_FILE: `${cwd}/webform.yaml`, A: '' }, 1);
    const body = new URLSearchParams({ name: 'Ada' });
    expect((await fetch(`${origin}/api/v1/submit/contact`, { method: 'POST', body })).status).toBe(200);
    expect(sink.requests.map((request) => `${request.body}`)).toEqual(['b=2']);
  });
});

test('npm start listens only on this machine, prints last what to open, and stops with npm', async () => {
  const { child, closed, lines, origin } = await started(start, { CONFIG_INLINE: config() }, 2);
  expect(lines).toEqual([
    `Form Relay listens on ${origin} with CONFIG_INLINE (1 form)`,
    `Open ${origin}/f/contact`,
  ]);
  expect(new URL(origin).hostname).toBe('127.0.0.1');
  child.kill();
  await closed;
});

describe('a command', () => {
  const files = { 'site/webform.yaml': config(), 'site/.env': 'THROTTLE_RATE_LIMIT=fast\n' };

  test.each(['--config site/webform.yaml', ''])('reads the file next to its config (%s)', async (option) => {
    const { run } = await openTerminal({ files });
    const env = option ? '' : 'RELAY_CONFIG=site/webform.yaml ';
    expect((await run(`${env}relay ${option} explain contact name=Ada`)).stderr).toMatch(
      /^THROTTLE_RATE_LIMIT: /,
    );
  });

  test('sets the variables around lines that set none, and names these', async () => {
    const all = ['A', 'B', 'C', 'D', 'E'].map((name) => `{{ env "${name}" }}`).join('|');
    const files = {
      'webform.yaml': config().replace('static: {', `static: {all: '${all}', `),
      '.env': 'A a-secret\nB="1\n2" # two lines\n  # F="x"\nexport C=3\nD: 4\nG=--h="x"\nE="5\n\n',
    };
    const { run } = await openTerminal({ files });
    const { stdout, stderr } = await run('relay explain contact name=Ada');
    expect(stdout).toContain(`all=${encodeURIComponent('|1\n2|3||"5')}&`);
    expect(stderr).toBe(
      `.env:1: no "=" in this line, so it sets no variable
.env:6: no "=" in this line, so it sets no variable
.env:8: the quote of this value is not closed
`,
    );
  });

  test.each([
    ['in Windows-1252', `printf 'A=\\374' >site/.env`, 'the file is not UTF-8'],
    ['that cannot be read', 'rm site/.env && ln -s .env site/.env', 'the file cannot be read'],
  ])('continues without a file that is %s, and says so', async (_, prepare, reason) => {
    const { run } = await openTerminal({ files });
    await run(prepare);
    expect(await run('relay --config site/webform.yaml config validate')).toEqual({
      stdout: 'ok\n',
      stderr: `site/.env: ${reason}; none of its variables are set\n`,
      code: 0,
    });
  });
});

/** SECRETS_DIR: variables from files, as Docker, Kubernetes and systemd pass secrets. */

const tokenSecret = '4f8a1c9e27b6d03f5a8e1c9d';

const configSecrets = `
forms:
  contact:
    fields: [{name: name}]
    spam: {min_fill_seconds: 3}
    outputs:
      - {type: http_post, url: "http://127.0.0.1:9/", headers: {Authorization: '{{ env "CRM_TOKEN" }}'}, mapping: "*"}
`;

/** Returns what the built relay's doctor says about the variables that the config needs, with these files as secrets. */
function examine(write: (folder: string) => void, env: NodeJS.ProcessEnv = {}) {
  const folder = tempFolder();
  write(folder);
  const { stdout, stderr } = spawnSync(process.execPath, [program, 'doctor', '--json'], {
    env: { CONFIG_INLINE: configSecrets, SECRETS_DIR: folder, ...env },
    encoding: 'utf8',
  });
  const { diagnoses }: { diagnoses: { examination: string; subject: string; verdict: string }[] } =
    stdout === '' ? { diagnoses: [] } : JSON.parse(stdout);
  const variables = diagnoses.filter(({ examination }) => examination === 'Environment');
  return {
    verdicts: Object.fromEntries(variables.map(({ subject, verdict }) => [subject, verdict])),
    stderr: stderr.replaceAll(folder, '…'),
  };
}

test('each file is a variable, for the relay itself and for templates, without its final line break', () => {
  const { verdicts, stderr } = examine((folder) => {
    writeFileSync(join(folder, 'FORM_TOKEN_SECRET'), `${tokenSecret}\r\n`);
    writeFileSync(join(folder, 'CRM_TOKEN'), 'Bearer 123\n');
  });
  // White space in a header would be reported.
  expect([verdicts, stderr]).toEqual([{ FORM_TOKEN_SECRET: 'ok', CRM_TOKEN: 'ok' }, '']);
});

test('a file overrides a variable of its name', () => {
  const { verdicts } = examine((folder) => writeFileSync(join(folder, 'FORM_TOKEN_SECRET'), 'short'), {
    FORM_TOKEN_SECRET: tokenSecret,
    CRM_TOKEN: 'Bearer 123',
  });
  expect(verdicts).toEqual({ FORM_TOKEN_SECRET: 'warning', CRM_TOKEN: 'ok' });
});

test('a Kubernetes volume works, with its links to files next to the folders that they point through', () => {
  const { verdicts, stderr } = examine((folder) => {
    mkdirSync(join(folder, '..2026_11_21'));
    writeFileSync(join(folder, '..2026_11_21/FORM_TOKEN_SECRET'), tokenSecret);
    symlinkSync('..2026_11_21', join(folder, '..data'));
    symlinkSync('..data/FORM_TOKEN_SECRET', join(folder, 'FORM_TOKEN_SECRET'));
    mkdirSync(join(folder, 'CRM_TOKEN'));
  });
  expect([verdicts, stderr]).toEqual([{ FORM_TOKEN_SECRET: 'ok', CRM_TOKEN: 'failure' }, '']);
});

test('a file that cannot be a variable stops the start, and the message shows none of its content', () => {
  const { stderr } = examine((folder) => {
    writeFileSync(join(folder, 'BINARY'), 'secret\0bytes');
    writeFileSync(join(folder, 'KEY'), Buffer.from('c3287fe2fe8c90d5', 'hex'));
    writeFileSync(join(folder, 'LONG'), 'secret'.repeat(20_000));
    symlinkSync('nowhere', join(folder, 'NOWHERE'));
    writeFileSync(join(folder, 'no-variable.txt'), 'secret\0');
  });
  expect(stderr.trim().split('\n')).toEqual([
    'SECRETS_DIR: …/BINARY: not text',
    'SECRETS_DIR: …/KEY: not text',
    'SECRETS_DIR: …/LONG: longer than 65536 bytes, the limit for a variable',
    'SECRETS_DIR: …/NOWHERE: the file does not exist',
  ]);
});

test('a missing folder stops the start', () => {
  expect(examine(() => {}, { SECRETS_DIR: '/nowhere/secrets' }).stderr).toBe(
    'SECRETS_DIR: /nowhere/secrets: the folder does not exist\n',
  );
});

test('other entries in the folder neither block the start, nor are followed, nor become anything but variables', () => {
  const { verdicts, stderr } = examine((folder) => {
    execFileSync('mkfifo', [join(folder, 'A_PIPE')]);
    symlinkSync('/dev/zero', join(folder, 'ENDLESS'));
    symlinkSync('/', join(folder, 'ROOT'));
    symlinkSync('LOOP', join(folder, 'LOOP'));
    for (const name of [
      ...['__proto__', 'constructor', 'toString', 'a=b', 'a\nb', '-x', '1A', '.env', 'CRM_TOKEN.bak'],
    ])
      writeFileSync(join(folder, name), 'secret');
    writeFileSync(join(folder, 'FORM_TOKEN_SECRET'), tokenSecret);
  });
  expect(verdicts).toEqual({});
  expect(stderr).toBe('SECRETS_DIR: …/LOOP: the file cannot be read\n');
});

/** `relay config validate` checks the secret in its own environment. */

const configWeakSecret = (spam: string) =>
  `forms: {contact: {fields: [{name: name}], spam: {${spam}}, outputs: [{type: http_post, url: "http://127.0.0.1:9/", mapping: "*"}]}}\n`;
const timed = configWeakSecret('honeypot: website, min_fill_seconds: 3, too_fast: drop');
const said = /FORM_TOKEN_SECRET: .*/;

test.each([
  [' ', 'is only white space'],
  ['x', 'has 1 character, which can be guessed'],
  ['hunter2', 'has 7 characters, which can be guessed'],
])('a FORM_TOKEN_SECRET of %j is warned about', async (secret, weakness) => {
  const { run } = await openTerminal({
    files: { 'webform.yaml': timed, 'other.yaml': configWeakSecret('honeypot: website') },
    env: { FORM_TOKEN_SECRET: secret },
  });
  const { stdout, stderr, code } = await run('relay config validate');
  expect([stdout, said.exec(stderr)?.[0], code]).toEqual(['ok\n', `FORM_TOKEN_SECRET: ${weakness}`, 0]);
  const json = JSON.parse((await run('relay config validate --json')).stdout);
  expect(json.problems).toContainEqual(
    expect.objectContaining({ code: 'weak_token_secret', message: weakness, severity: 'warning' }),
  );
  expect((await run('relay --config other.yaml config validate')).stderr).not.toMatch(said);
});

test.each([[{}], [{ FORM_TOKEN_SECRET: '' }], [{ FORM_TOKEN_SECRET: 'b5f3a9d27c81e604b5f3a9d27c81e604' }]])(
  '%j causes no warning',
  async (env) => {
    const { run } = await openTerminal({ files: { 'webform.yaml': timed }, env });
    expect((await run('relay config validate')).stderr).not.toMatch(said);
  },
);

/** Commands that read their config once also accept a pipe. The commands wait for the pipe, but not forever. */

const configConfigFromAPipe = fileURLToPath(
  new URL('../../../examples/contact-form/webform.yaml', import.meta.url),
);

test
  .runIf(process.platform === 'linux')
  .each([
    'relay --config <(cat "$config") form list',
    'cat "$config" | relay --config /dev/stdin form list',
    'relay --config /dev/stdin form list < "$config"',
  ])('%s', async (line) => {
  const script = `relay() { "${process.execPath}" "${program}" "$@"; }; config="${configConfigFromAPipe}"; ${line}`;
  expect((await promisify(execFile)('bash', ['-c', script])).stdout).toBe('contact\n');
});

test.runIf(process.platform === 'linux')(
  'a test of a form reads the pipe once for all its steps',
  async () => {
    const script = `"${process.execPath}" "${program}" --config <(echo "$CONFIG") test contact --yes`;
    const form = '{fields: [{name: name}], outputs: [{type: folder, path: archive}]}';
    const env = { ...process.env, CONFIG: `forms: {contact: ${form}}` };
    const said = await promisify(execFile)('bash', ['-c', script], { env }).catch((error) => error);
    expect([said.code, said.stdout]).toEqual([1, expect.stringContaining('1 skipped; nothing was sent')]);
  },
);

function pipe(): string {
  const folder = tempFolder();
  const path = join(folder, 'pipe');
  execFileSync('mkfifo', [path]);
  return path;
}

test.runIf(process.platform === 'linux')(
  'a command waits until something is written to the pipe',
  async () => {
    const path = pipe();
    const reading = readConfig(path);
    await writeFile(path, 'forms: {}');
    expect(await reading).toEqual(ok('forms: {}'));
  },
);

test.runIf(process.platform === 'linux')(
  'a command stops waiting for a pipe if nothing is written',
  async () => expect(await readConfig(pipe(), 50)).toEqual(err('the pipe did not end within 0.05 s')),
);

test.runIf(process.platform === 'linux')(
  'a pipe is not read beyond the maximum size of a config',
  async () => {
    const path = pipe();
    const reading = readConfig(path);
    const writing = writeFile(path, Buffer.alloc(2 ** 25, '#'));
    expect(await reading).toEqual(err('the file is over 16 MB'));
    await expect(writing).rejects.toMatchObject({ code: 'EPIPE' });
  },
);

describe('a secret that the studio writes into .env', () => {
  test.each([
    'plain-0123',
    'abcd efgh ijkl mnop',
    'pä$$wörd # no comment',
    'a\\nb',
    `"quoted"`,
    "it's",
    ` around `,
    'a=b',
  ])('%s is read the same by the relay and by a shell', async (secret) => {
    const { cwd } = await openTerminal();
    const before = `# ours\nexport SECRET='old\nlines' # kept\nOTHER="x\nSECRET=inside"`;
    const written = withVariables(before, { SECRET: secret });
    const text = written.ok ? written.value : written.error;
    writeFileSync(join(cwd, '.env'), text);
    expect(parseEnv(text)).toEqual({ SECRET: secret, OTHER: 'x\nSECRET=inside' });
    expect(text).toMatch(/^# ours\nexport SECRET=.* # kept\n/);
    const shell = execFileSync('sh', ['-c', '. ./.env; printf %s "$SECRET"'], { cwd, encoding: 'utf8' });
    expect(shell).toBe(secret);
  });

  test.each(['a\nb', `'"\`$`, `it's "touch run"`, `it's $(touch run)`])(
    '%j cannot be quoted, and nothing is written',
    (secret) => expect(withVariables('A=1\n', { SECRET: secret })).toMatchObject({ ok: false }),
  );
});
