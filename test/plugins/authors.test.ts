/** Works as a plug-in's author does: with the built package, Node's own test runner, and the command line. */
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { newTerminal } from '../../packages/cli/test/terminal.ts';
import { hasPostgres, startPostgres } from '../support/postgres.ts';
import { hasRedis, startRedis } from '../support/redis.ts';

const run = promisify(execFile);
const { cwd: folder, close, ...terminal } = await newTerminal();
mkdirSync(join(folder, 'node_modules'));
symlinkSync(resolve('node_modules/@types'), join(folder, 'node_modules/@types'));
symlinkSync(resolve('.'), join(folder, 'node_modules/form-relay'));
afterAll(close);

/** Runs a `relay` command in a subfolder. */
const relay = (line: string, below = '.') => terminal.run(`cd ${below} && relay ${line}`);

/** Runs these tests with Node. Rejects with their output if one fails. */
const nodeTest = (files: readonly string[], env = {}, cwd = folder) =>
  run(process.execPath, ['--test', '--test-reporter=tap', ...files], {
    cwd,
    env: { ...process.env, NODE_TEST_CONTEXT: undefined, ...env },
  });

/** Stores, which are tested with real servers. */
const stores = ['redis.test.mjs', 'postgres.test.mjs'];

test('the tests of examples/plugins pass', async () => {
  const files = readdirSync('examples/plugins').filter(
    (name) => /\.test\.mjs$/.test(name) && !stores.includes(name),
  );
  expect(files.length).toBeGreaterThan(2);
  // In one process, which loads the package once.
  const code = files.map((name) => `await import(${JSON.stringify(resolve('examples/plugins', name))});`);
  const { stdout } = await run(process.execPath, [
    ...['--test-reporter=tap', '--input-type=module', '--eval', code.join('\n')],
  ]);
  expect(stdout).toMatch(/# pass [1-9]\d+\n# fail 0/);
});

test.skipIf(!hasRedis)('the test of examples/plugins/redis.mjs passes with a real server', async () => {
  const server = await startRedis();
  const { stdout } = await nodeTest([resolve('examples/plugins/redis.test.mjs')], {
    REDIS_URL: `redis://127.0.0.1:${server.port}`,
  });
  await server.close();
  expect(stdout).toMatch(/# pass 29\n(# .*\n)*# skipped 0/);
});

test.skipIf(!hasPostgres)('the test of examples/plugins/postgres.mjs passes with a real server', async () => {
  const server = await startPostgres();
  const { stdout } = await nodeTest([resolve('examples/plugins/postgres.test.mjs')], {
    POSTGRES_URL: server.url,
    PGUSER: 'relay',
  });
  await server.close();
  expect(stdout).toMatch(/# pass 29\n(# .*\n)*# skipped 0/);
});

test.each([
  ['output', 'airtable-leads', '', 'explain contact name=Ada', '/api.example.com/'],
  ['field', 'plate', '--package', "explain contact 'it=B-FR 2026'", 'it=B-FR 2026'],
  ['feature', 'banned-words', '--typescript', 'explain contact message=casino', 'banned_words'],
  ['store', 'shelf', '--typescript', 'doctor', '0 in the store'],
  ['command', 'count', '--typescript --package', 'count', 'contact: 1'],
])(
  'relay plugin new --%s writes a working plug-in with its test and a config',
  async (kind, name, options, used, says) => {
    const make = `plugin new ${name} --${kind} ${options}`;
    expect((await relay(make)).stdout).toMatch(
      new RegExp(`^Wrote into ${name}: ${name}\\.m[jt]s, ${name}.test.mjs, webform.yaml, README.md`),
    );
    expect(await relay(make)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`${join(name, name)}.m`),
    });
    const cwd = join(folder, name);
    if (options.startsWith('--typescript'))
      await run(resolve('node_modules/.bin/tsc'), [], { cwd }).catch(({ stdout }) => expect(stdout).toBe(''));
    expect((await nodeTest([`${name}.test.mjs`], {}, cwd)).stdout).toMatch(/# pass [1-9]\d*\n# fail 0/);
    expect((await relay('config validate', name)).stdout).toMatch(
      /^(ok|the config loads, but (1 output still has|[2-9] outputs still have) an example value)$/m,
    );
    expect((await relay('plugin list', name)).stdout).toMatch(
      new RegExp(`^Listed in .*\\n  ${name}  ${name}.mjs  .*adds`),
    );
    expect((await relay('--version', name)).stdout).toMatch(new RegExp(`\nPlug-ins: ${name}\n$`));
    const listed = JSON.parse((await relay('plugin list --json', name)).stdout);
    expect(listed[0]).toMatchObject({ name, from: 'config', isLoaded: true });
    expect(listed).toContainEqual(expect.objectContaining({ name: 'slack', isLoaded: false }));
    // `relay explain` exits with 1 if outputs receive nothing.
    expect((await relay(used, name)).stdout).toContain(says);
    const { stdout: schema } = await relay('config schema --config webform.yaml', name);
    if (kind !== 'command' && kind !== 'store')
      expect(schema).toContain(`"${kind === 'feature' ? name.replace('-', '_') : name}"`);
  },
);

test.each([
  ['Leads --output', 1, 'lower-case letters'],
  ['../leads --output', 1, 'lower-case letters'],
  ['email --field', 1, 'the relay already has "email"'],
  ['slack --output', 1, 'the relay already has "slack"'],
  ['nats --store', 1, 'cannot be the scheme of a store'],
  ['doctor --command', 1, 'the relay already has "doctor"'],
  ['leads', 2, "choose '--output', '--field'"],
])('relay plugin new %s is refused', async (words, code, says) =>
  expect(await relay(`plugin new ${words}`)).toMatchObject({ code, stderr: expect.stringContaining(says) }),
);

test('relay plugin list needs no config, and shows the catalogue with descriptions and sizes', async () =>
  expect((await relay('plugin list')).stdout).toMatch(
    /^The catalogue, .*:\n.*^ {2}zulip {2}[A-Z][^.]*\. {2}\d+ KB {2}adds output zulip\n.*\nParts .* not loaded: .*\bslack\b/ms,
  ));

test('relay plugin list shows what it knows, then why the config does not load', async () => {
  writeFileSync(join(folder, 'webform.yaml'), 'forms: {contact: 1}');
  onTestFinished(() => rmSync(join(folder, 'webform.yaml')));
  expect(await relay('plugin list')).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^ {2}picture .* adds option picture\n.*The config does not load.*:\n$/ms),
    stderr: expect.stringContaining('webform.yaml:1'),
  });
});

test('the starters are short', () => {
  for (const kind of ['output', 'field', 'feature', 'command'])
    expect(
      readFileSync(`examples/plugins/starters/${kind}.mjs`, 'utf8').split('\n').length,
    ).toBeLessThanOrEqual(33);
});

test('an AWS Lambda function loads the plug-in next to it', async () => {
  await relay('plugin new leads --feature');
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
