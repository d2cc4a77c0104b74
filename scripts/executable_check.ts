/**
 * Tries the executable in an empty root, as an image from scratch is: npm run executable:check [FILE], which builds it unless FILE
 * names one. The root holds the executable and the libraries that `ldd` names; user 1000 can write nothing but `/data`.
 * Needs Linux and root.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { signIn } from '../apps/studio/test/studio/sign_in.ts';
import { startHttpSink } from '../test/support/http_sink.ts';

if (process.platform !== 'linux' || process.getuid?.() !== 0) {
  console.log('SKIPPED: only root on Linux can try the executable in an empty root');
  process.exit(0);
}
const chroot = '/usr/sbin/chroot';
const root = mkdtempSync(join(tmpdir(), 'relay-root-'));
const asUser = ['--userspec=1000:1000', root, '/relay'];
const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(root, { recursive: true, force: true });
});
const sink = await startHttpSink();
fillRoot(process.argv[2]);

await during(['serve'], async (origin) => {
  assert.equal(await (await fetch(`${origin}/readyz`)).text(), '{"message":"ok"}');
  const body = new URLSearchParams({ name: 'Ada', phone: '+49 30 12345678', code: 'ab' });
  const { status } = await fetch(`${origin}/api/v1/submit/contact`, { method: 'POST', body });
  assert.deepEqual([status, sink.requests.length], [200, 1]);
  assert.match(sink.requests[0]?.body ?? '', /phone=%2B493012345678/);
  // The plug-in in the folder that the config names.
  const blocked = new URLSearchParams({ name: 'Ada', email: 'ada@mailinator.com' });
  const refused = await fetch(`${origin}/api/v1/submit/contact`, { method: 'POST', body: blocked });
  assert.deepEqual([refused.status, sink.requests.length], [422, 1]);
  relay(['health'], { PORT: new URL(origin).port });
});
const commands: Readonly<Record<string, RegExp>> = {
  '--version': /^\d+\.\d+\.\d+$/,
  'config validate': /^ok$/,
  'form html contact': />Надіслати</,
  'explain contact name=Ada': /Ada/,
  'archive list --from /data/archive': /contact/,
  'config schema': /"\$schema"/,
  doctor: /\/data\/archive/,
};
for (const [words, said] of Object.entries(commands)) assert.match(relay(words.split(' ')), said);
await readManual();
await during(['dev', '--port', '0'], async (_, line) => {
  const { ask } = await signIn(line);
  const page = await (await ask('/')).text();
  const files = [...page.matchAll(/(?:src|href)="(\/[^"]+\.(?:js|css))"/g)].map(([, path = '']) => path);
  assert.notDeepEqual(files, []);
  for (const path of files) assert.equal((await ask(path)).status, 200, path);
});
// Its index is a thread with SQLite.
await during(['inbox', '--index', '/data/index', '--port', '0'], async (_, line) => {
  const { ask } = await signIn(line);
  const until = performance.now() + 20_000;
  while (!/Ada/.test(await (await ask('/api/entries')).text())) {
    assert.ok(performance.now() < until, 'the inbox does not show what came');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
});
console.log('It serves, answers commands, and shows the manual, the studio and the inbox in an empty root.');
process.exit();

/** As assistants do. */
async function readManual(): Promise<void> {
  const client = new Client({ name: 'check', version: '1' });
  const args = [...asUser, 'mcp'];
  await client.connect(new StdioClientTransport({ command: chroot, args, env: {}, stderr: 'inherit' }));
  for (const page of ['spam.md', 'outputs/slack.md', 'deploy/systemd.md']) {
    const { isError } = await client.callTool({ name: 'read_manual', arguments: { page } });
    assert.notEqual(isError, true, page);
  }
  await client.close();
}

function fillRoot(given: string | undefined): void {
  const copy = (from: string, to: string) => {
    mkdirSync(join(root, dirname(to)), { recursive: true });
    copyFileSync(from, join(root, to));
  };
  const executable = join(root, 'relay');
  const stdio = ['ignore', 'inherit', 'ignore'] as const;
  if (given) copy(resolve(given), 'relay');
  else execFileSync('npx', ['tsx', 'scripts/executable.ts', '--out', executable], { stdio: [...stdio] });
  chmodSync(executable, 0o755);
  rmSync(join(root, 'relay.licences.txt'), { force: true });
  const { stdout } = spawnSync('ldd', [executable], { encoding: 'utf8' });
  for (const [path] of stdout.matchAll(/\/\S+\.so\S*/g)) copy(path, path);
  for (const folder of ['data', 'data/archive']) {
    mkdirSync(join(root, folder));
    chownSync(join(root, folder), 1000, 1000);
  }
  copy('examples/plugins/blocklist.mjs', 'plugins/blocklist.mjs');
  writeFileSync(
    join(root, 'webform.yaml'),
    `plugins: [./plugins]
language: uk
forms:
  contact:
    fields:
      - {name: name, required: true}
      - {name: phone, type: tel, country: DE}
      - {name: email, type: email}
      - {name: code, pattern: "(a|b)+"}
    spam: {blocked_domains: [mailinator.com]}
    outputs:
      - {type: http_post, url: "${sink.origin}/leads", mapping: "*"}
      - {type: folder, path: /data/archive}
`,
  );
  chmodSync(root, 0o555);
}

/** What a command prints. */
function relay(words: readonly string[], env: NodeJS.ProcessEnv = {}): string {
  const options = { env: { FORM_TOKEN_SECRET: '0'.repeat(64), ...env }, encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync(chroot, [...asUser, ...words], options);
  assert.equal(status, 0, `relay ${words.join(' ')}\n${stdout}${stderr}`);
  return stdout.trim();
}

/** Does something while a command serves. It gets the address that the command prints. */
async function during(
  words: readonly string[],
  work: (origin: string, line: string) => Promise<void>,
): Promise<void> {
  const env = {
    HOST: '127.0.0.1',
    PORT: '0',
    FORM_TOKEN_SECRET: '0'.repeat(64),
    CONFIG_FILE: '/webform.yaml',
  };
  const child = spawn(chroot, [...asUser, ...words], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  children.add(child);
  const ended = once(child, 'exit');
  const listening = async () => {
    for await (const line of createInterface({ input: child.stdout }))
      if (/http:\/\//.test(line)) return line;
    return '';
  };
  const line = await Promise.race([listening(), ended.then(() => '')]);
  const [origin] = /http:\/\/[\w.[\]:]+:\d+/.exec(line) ?? [];
  assert.ok(origin, `relay ${words.join(' ')} prints no address`);
  await work(origin, line);
  child.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null], words.join(' '));
  children.delete(child);
}
