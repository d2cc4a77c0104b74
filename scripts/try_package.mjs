// Proves that the package works where it is installed: node scripts/try_package.mjs form-relay-0.2.0.tgz
// npx in an empty folder first, then every command that docs/command-line.md lists, in a folder with the package.
import assert from 'node:assert/strict';
import { execFileSync, execSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const tarball = resolve(process.argv[2]);
const root = mkdtempSync(join(tmpdir(), 'relay-package-'));
process.on('exit', () => rmSync(root, { recursive: true, force: true }));

const page =
  '<form action="https://forms.example.com/api/v1/submit/contact" method="post"><input name="name"><input name="email" type="email"></form>';
const config = `
forms:
  contact:
    fields: [{name: name, required: true}, {name: email, type: email, required: true}]
    outputs: [{type: folder, path: ./archive, mapping: "*"}]
`;

/** What follows some commands of that page, so that they have something to do. All others show their help. */
const words = {
  init: ['other.yaml'],
  explain: ['contact', 'name=Ada', 'email=ada@example.org'],
  check: ['page.html'],
  'form html': ['contact'],
  'archive list': ['--from', 'archive'],
  'kept list': ['--in', './kept'],
  'config validate': [],
  doctor: [],
};
/** It needs Node 22. */
const inspector = ['--yes', '-p', 'node@24', '-p', '@modelcontextprotocol/inspector@2.12.0', 'mcp-inspector'];
/** They go on until they are told to stop. */
const servers = ['dev', 'serve'];

await check('npx writes a config into an empty folder, and the commands that it prints next work', () => {
  const folder = emptyFolder('empty');
  const said = run('npx', ['--yes', '--package', tarball, 'relay', 'init'], folder);
  const [next] = /npx (.*) config validate/.exec(said);
  assert.equal(next, `npx --package ${tarball} relay config validate`);
  assert.ok(existsSync(join(folder, 'webform.yaml')));
  // npx asks again before it unpacks a file that it has unpacked before.
  const env = { ...process.env, npm_config_yes: 'true' };
  assert.equal(execSync(next, { cwd: folder, encoding: 'utf8', env }), 'ok\n');
});

const consumer = emptyFolder('consumer');
writeFileSync(join(consumer, 'webform.yaml'), config);
writeFileSync(join(consumer, 'page.html'), page);
for (const folder of ['archive', 'kept']) mkdirSync(join(consumer, folder));
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

for (const name of commandsInManual()) {
  await check(`relay ${name}`, () =>
    servers.includes(name) ? serves(name) : relay([...name.split(' '), ...(words[name] ?? ['--help'])]),
  );
}

function commandsInManual() {
  const page = readFileSync(new URL('../docs/command-line.md', import.meta.url), 'utf8');
  // Words in capitals stand for what is chosen.
  const names = [...page.matchAll(/^\| `relay ([a-z -]+?)(?: [A-Z].*)?` \|/gm)].map(([, name]) => name);
  assert.ok(names.length > 30, 'docs/command-line.md lists no commands');
  return names;
}

async function serves(name) {
  const server = spawn(join(consumer, 'node_modules/.bin/relay'), [name], {
    cwd: consumer,
    env: { ...process.env, HOST: '127.0.0.1', PORT: '0', CONFIG_FILE: 'webform.yaml' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(server, 'exit');
  try {
    const origin = await Promise.race([
      (async () => {
        for await (const line of createInterface({ input: server.stdout })) {
          const [address] = /http:\/\/[\w.[\]:]+:\d+/.exec(line) ?? [];
          if (address) return address;
        }
      })(),
      ended.then(([code]) => assert.fail(`it ended with ${code}`)),
    ]);
    assert.equal((await fetch(`${origin}/healthz`)).status, 200);
  } finally {
    server.kill('SIGTERM');
  }
  await ended;
}

function relay(args) {
  return run(join(consumer, 'node_modules/.bin/form-relay'), args, consumer);
}

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
