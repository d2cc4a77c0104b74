// Tests that the package works when installed: node scripts/try_package.mjs form-relay-0.2.0.tgz Runs npx in an empty
// folder, and an assistant's client in a folder with the package. lab/runtimes tests the rest.
import assert from 'node:assert/strict';
import { execFileSync, execSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const tarball = resolve(process.argv[2]);
const root = mkdtempSync(join(tmpdir(), 'relay-package-'));
process.on('exit', () => rmSync(root, { recursive: true, force: true }));

const config = `
forms:
  contact:
    fields: [{name: name, required: true}, {name: email, type: email, required: true}]
    outputs: [{type: folder, path: ./archive, mapping: "*"}]
`;

/** Requires Node 22. */
const inspector = ['--yes', '-p', 'node@24', '-p', '@modelcontextprotocol/inspector@2.12.0', 'mcp-inspector'];

await check('npx writes a config into an empty folder, and the commands that it prints next work', () => {
  const folder = emptyFolder('empty');
  const said = run('npx', ['--yes', '--package', tarball, 'relay', 'init'], folder);
  const [next] = /npx (.*) config validate/.exec(said);
  assert.equal(next, `npx --package ${tarball} relay config validate`);
  assert.ok(existsSync(join(folder, 'webform.yaml')));
  // npx asks again for a file that it has unpacked before.
  const env = { ...process.env, npm_config_yes: 'true' };
  assert.equal(execSync(next, { cwd: folder, encoding: 'utf8', env }), 'ok\n');
});

const consumer = emptyFolder('consumer');
writeFileSync(join(consumer, 'webform.yaml'), config);
mkdirSync(join(consumer, 'archive'));
run('npm', ['install', '--silent', '--no-audit', tarball], consumer);

await check(
  'the inspector of the Model Context Protocol uses the server that docs/assistants.md sets up',
  () => {
    const page = readFileSync(new URL('../docs/assistants.md', import.meta.url), 'utf8');
    writeFileSync(join(consumer, 'assistant.json'), /```json\n(.*?)```/s.exec(page)[1]);
    const asked = ['--config', 'assistant.json', '--server', 'form-relay', '--method'];
    const ask = (...words) => JSON.parse(run('npx', [...inspector, '--cli', ...asked, ...words], consumer));
    assert.ok(ask('tools/list').tools.some(({ name }) => name === 'write_config'));
    const { structuredContent: found } = ask('tools/call', '--tool-name', 'validate_config');
    assert.deepEqual(found, { ok: true, problems: [] });
    const read = ask('tools/call', '--tool-name', 'read_manual', '--tool-arg', 'page=keep.md');
    assert.match(JSON.stringify(read), /KEEP_SECRET/);
  },
);

await check('an example of a plug-in, copied from the package, passes its test', () => {
  const examples = join(consumer, 'node_modules/form-relay/examples/plugins');
  for (const file of ['home_assistant.mjs', 'home_assistant.test.mjs'])
    writeFileSync(join(consumer, file), readFileSync(join(examples, file)));
  assert.match(run('node', ['--test', 'home_assistant.test.mjs'], consumer), /fail 0/);
});

function run(program, args, cwd) {
  return execFileSync(program, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

function emptyFolder(name) {
  const folder = join(root, name);
  mkdirSync(folder);
  return folder;
}

async function check(promise, test) {
  await test();
  console.log(`  ok  ${promise}`);
}
