/** As authors of plug-ins work: with the built package, Node's own test runner, and the command line. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { hasPostgres, startPostgres } from '../support/postgres.ts';
import { hasRedis, startRedis } from '../support/redis.ts';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'relay-author-'));
mkdirSync(join(folder, 'node_modules'));
symlinkSync(resolve('node_modules/@types'), join(folder, 'node_modules/@types'));
symlinkSync(resolve('.'), join(folder, 'node_modules/form-relay'));
afterAll(() => rmSync(folder, { recursive: true }));

const relayIn = (cwd: string, ...words: string[]) =>
  run(process.execPath, [resolve('dist/relay.cjs'), ...words], { cwd });
const relay = (...words: string[]) => relayIn(folder, ...words);

/** Runs these tests with Node. Rejects with what they print if one fails. */
const nodeTest = (files: readonly string[], env = {}, cwd = folder) =>
  run(process.execPath, ['--test', '--test-reporter=tap', ...files], {
    cwd,
    env: { ...process.env, NODE_TEST_CONTEXT: undefined, ...env },
  });

test.each([
  'gotify',
  'mattermost',
  'google_chat',
  'matrix',
  'ntfy',
  'telegram',
  'discord',
  'teams',
  'color',
  'blocklist',
  'clamav',
])('the test of examples/plugins/%s.mjs passes', async (name) => {
  expect((await nodeTest([resolve(`examples/plugins/${name}.test.mjs`)])).stdout).toMatch(/# pass [1-9]/);
});

test.skipIf(!hasRedis)('the test of examples/plugins/redis.mjs passes with a real server', async () => {
  const server = await startRedis();
  const { stdout } = await nodeTest([resolve('examples/plugins/redis.test.mjs')], {
    REDIS_URL: `redis://127.0.0.1:${server.port}`,
  });
  await server.close();
  expect(stdout).toMatch(/# pass 27\n(# .*\n)*# skipped 0/);
});

test.skipIf(!hasPostgres)('the test of examples/plugins/postgres.mjs passes with a real server', async () => {
  const server = await startPostgres();
  const { stdout } = await nodeTest([resolve('examples/plugins/postgres.test.mjs')], {
    POSTGRES_URL: server.url,
    PGUSER: 'relay',
  });
  await server.close();
  expect(stdout).toMatch(/# pass 27\n(# .*\n)*# skipped 0/);
});

test.each([
  ['output', 'airtable-leads', [], '/api.example.com/'],
  ['field', 'plate', ['--package'], 'it=B-FR 2026'],
  ['feature', 'banned-words', ['--typescript'], 'banned_words'],
  ['store', 'shelf', ['--typescript'], 'it holds 0'],
  ['command', 'count', ['--typescript', '--package'], 'contact: 1'],
] as const)(
  'relay plugin new --%s writes one that works, with its test and a config',
  async (kind, name, options, says) => {
    const { stdout } = await relay('plugin', 'new', name, `--${kind}`, ...options);
    expect(stdout).toMatch(
      new RegExp(`^Wrote into ${name}: ${name}\\.m[jt]s, ${name}.test.mjs, webform.yaml, README.md`),
    );
    const again = await relay('plugin', 'new', name, `--${kind}`, ...options).catch((error) => error);
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining(`${join(name, name)}.m`) });
    const at = { cwd: join(folder, name) };
    if (options.length > 0 && options[0] === '--typescript')
      await run(resolve('node_modules/.bin/tsc'), [], at).catch(({ stdout }) => expect(stdout).toBe(''));
    expect((await nodeTest([`${name}.test.mjs`], {}, at.cwd)).stdout).toMatch(/# pass [1-9]\d*\n# fail 0/);
    expect((await relayIn(at.cwd, 'config', 'validate')).stdout).toBe('ok\n');
    expect((await relayIn(at.cwd, 'plugin', 'list')).stdout).toMatch(
      new RegExp(`^Named by .*\\n  ${name}  ${name}.mjs  .*adds`),
    );
    expect((await relayIn(at.cwd, '--version')).stdout).toMatch(new RegExp(`\nPlug-ins: ${name}\n$`));
    const listed = JSON.parse((await relayIn(at.cwd, 'plugin', 'list', '--json')).stdout);
    expect(listed[0]).toMatchObject({ name, from: 'config', isLoaded: true });
    expect(listed).toContainEqual(expect.objectContaining({ name: 'slack', isLoaded: false }));
    const used = {
      output: ['explain', 'contact', 'name=Ada'],
      field: ['explain', 'contact', 'it=B-FR 2026'],
      feature: ['explain', 'contact', 'message=casino'],
      store: ['doctor'],
      command: [name],
    }[kind];
    // `relay explain` exits with 1 where outputs get nothing.
    const { stdout: printed } = await relayIn(at.cwd, ...used).catch((error) => error);
    expect(printed).toContain(says);
    const schema = (await relayIn(at.cwd, 'config', 'schema', '--config', 'webform.yaml')).stdout;
    if (kind !== 'command' && kind !== 'store')
      expect(schema).toContain(`"${kind === 'feature' ? name.replace('-', '_') : name}"`);
  },
);

test.each([
  [['plugin', 'new', 'Leads', '--output'], 1, 'lower-case letters'],
  [['plugin', 'new', '../leads', '--output'], 1, 'lower-case letters'],
  [['plugin', 'new', 'email', '--field'], 1, 'the relay has "email" already'],
  [['plugin', 'new', 'slack', '--output'], 1, 'the relay has "slack" already'],
  [['plugin', 'new', 'nats', '--store'], 1, 'cannot be the scheme of a store'],
  [['plugin', 'new', 'doctor', '--command'], 1, 'the relay has "doctor" already'],
  [['plugin', 'new', 'leads'], 2, "choose '--output', '--field'"],
] as const)('relay %s is refused', async (words, code, says) => {
  const refused = await relay(...words).catch((error) => error);
  expect(refused).toMatchObject({ code, stderr: expect.stringContaining(says) });
});

test('relay plugin list needs no config', async () => {
  expect((await relay('plugin', 'list')).stdout).toMatch(/^Parts .* not loaded: .*\bslack\b/);
});

test('the starters are short', () => {
  for (const kind of ['output', 'field', 'feature', 'command'])
    expect(
      readFileSync(`examples/plugins/starters/${kind}.mjs`, 'utf8').split('\n').length,
    ).toBeLessThanOrEqual(33);
});

test('a function of AWS Lambda loads what lies next to it', async () => {
  await relay('plugin', 'new', 'leads', '--feature');
  const event = {
    rawPath: '/api/v1/submit/contact',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'it=casino',
    requestContext: { http: { method: 'POST', sourceIp: '192.0.2.1' } },
  };
  const code = `Promise.resolve(require('${resolve('dist/lambda/lambda.cjs')}')).then(({ handler }) =>
    handler(${JSON.stringify(event)}, { getRemainingTimeInMillis: () => 25_000 })).then((answer) => {
      require('node:fs').writeFileSync('answer.json', JSON.stringify(answer)); process.exit(); });`;
  const config =
    'forms: {contact: {fields: [{name: it}], outputs: [{type: http_post, url: "https://a.example/", mapping: "*"}], spam: {leads: [casino]}}}';
  await run(process.execPath, ['-e', code], {
    cwd: folder,
    env: { ...process.env, CONFIG_INLINE: config, RELAY_PLUGINS: './leads/leads.mjs' },
  });
  expect(JSON.parse(readFileSync(join(folder, 'answer.json'), 'utf8'))).toMatchObject({
    statusCode: 422,
    body: '{"error":"Please leave this word out."}',
  });
});
