/**
 * Tries the executable in an empty root, as an image from scratch is: npm run executable:check [FILE], which builds it unless FILE
 * names one. The root holds the executable and the libraries that `ldd` names; user 1000 can write nothing but `/data`.
 * Needs Linux and root.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { signIn } from '../test/studio/sign_in.ts';

if (process.platform !== 'linux' || process.getuid?.() !== 0) {
  console.log('SKIPPED: only root on Linux can try the executable in an empty root');
  process.exit(0);
}
const chroot = '/usr/sbin/chroot';
const [, , given] = process.argv;
const root = mkdtempSync(join(tmpdir(), 'relay-root-'));
const asUser = ['--userspec=1000:1000', root, '/relay'];
const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(root, { recursive: true, force: true });
});
const executable = given ? resolve(given) : build();

fillRoot();
const received: string[] = [];
const sink = createServer(async (request, response) => {
  received.push(await text(request));
  response.end();
});
await once(sink.listen(0, '127.0.0.1'), 'listening');
writeFileSync(
  join(root, 'webform.yaml'),
  `forms:
  contact:
    fields:
      - {name: name, required: true}
      - {name: phone, type: tel, country: DE}
      - {name: code, pattern: "(a|b)+"}
    outputs:
      - {type: http_post, url: "http://127.0.0.1:${(sink.address() as AddressInfo).port}/leads", mapping: "*"}
      - {type: folder, path: /data/archive}
`,
);

writeFileSync(
  join(root, 'page.html'),
  `<!doctype html><title>Contact</title>${relay('form', 'html', 'contact', '--base-url', 'http://127.0.0.1:8080')}`,
);

writeFileSync(
  join(root, 'mail.yaml'),
  'forms: {contact: {fields: [{name: a}], outputs: [{type: email, to: a@example.com, mapping: "*"}]}}',
);

await check('serves: each submission is delivered, and SIGTERM ends it', serves);
await check('answers the commands of a config', async () => {
  assert.match(relay('--version'), /^\d+\.\d+\.\d+$/);
  assert.equal(relay('config', 'validate'), 'ok');
  assert.match(relay('form', 'list'), /contact/);
  assert.match(relay('form', 'html', 'contact'), /<form[^>]+>/);
  assert.match(relay('explain', 'contact', 'name=Ada'), /Ada/);
  assert.match(relay('archive', 'list', '--from', '/data/archive'), /contact/);
  assert.match(relay('config', 'schema'), /"\$schema"/);
  assert.match(relay('webhook', 'secret'), /^whsec_/m);
  assert.match(relay('doctor'), /\/data\/archive/);
  assert.match(relay('check', '/page.html', '--form', 'contact'), /fits|ok/);
});
await check('has no home to look for a profile of AWS in', async () => {
  const { stdout } = spawnSync(chroot, [...asUser, '--config', '/mail.yaml', 'doctor'], {
    env: { AWS_PROFILE: 'mine', AWS_REGION: 'eu-central-1', MAIL_FROM_ADDRESS: 'a@example.com' },
    encoding: 'utf8',
  });
  assert.match(stdout, /mine/);
  assert.doesNotMatch(stdout, /crashed/);
});
await check('gives an assistant the whole manual', async () => {
  const client = new Client({ name: 'check', version: '1' });
  await client.connect(
    new StdioClientTransport({ command: chroot, args: [...asUser, 'mcp'], env: {}, stderr: 'inherit' }),
  );
  for (const page of ['spam.md', 'outputs/slack.md', 'deploy/systemd.md']) {
    const { isError } = await client.callTool({ name: 'read_manual', arguments: { page } });
    assert.notEqual(isError, true, page);
  }
  await client.close();
});
await check('shows the studio with its files', async () => {
  await during(['dev', '--port', '0'], {}, async (_, line) => {
    const { ask } = await signIn(line);
    const page = await (await ask('/')).text();
    const files = [...page.matchAll(/(?:src|href)="(\/[^"]+\.(?:js|css))"/g)].map(([, path = '']) => path);
    assert.notDeepEqual(files, []);
    for (const path of [...files]) assert.equal((await ask(path)).status, 200, path);
  });
});
await check('shows the inbox, whose index is a thread with SQLite', async () => {
  await during(['inbox', '--index', '/data/index', '--port', '0'], {}, async (_, line) => {
    const { ask } = await signIn(line);
    const read = async (path: string) => (await ask(path)).text();
    assert.match(await read('/'), /inbox\.js/);
    const until = performance.now() + 20_000;
    while (!/Ada/.test(await read('/api/entries'))) {
      assert.ok(performance.now() < until, await read('/api/entries'));
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  });
});
process.exit();

function build(): string {
  const out = join(root, 'relay');
  execFileSync('npx', ['tsx', 'scripts/executable.ts', '--out', out], {
    stdio: ['ignore', 'inherit', 'ignore'],
  });
  return out;
}

function fillRoot(): void {
  const copy = (from: string, to: string) => {
    mkdirSync(join(root, dirname(to)), { recursive: true });
    copyFileSync(from, join(root, to));
  };
  if (given) copy(executable, 'relay');
  chmodSync(join(root, 'relay'), 0o755);
  rmSync(join(root, 'relay.licences.txt'), { force: true });
  const { stdout } = spawnSync('ldd', [executable], { encoding: 'utf8' });
  for (const [path] of stdout.matchAll(/\/\S+\.so\S*/g)) copy(path, path);
  for (const folder of ['data', 'data/archive']) {
    mkdirSync(join(root, folder));
    chownSync(join(root, folder), 1000, 1000);
  }
  chmodSync(root, 0o555);
}

function start(words: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  const child = spawn(chroot, [...asUser, ...words], {
    env: { HOST: '127.0.0.1', PORT: '0', FORM_TOKEN_SECRET: '0'.repeat(64), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  return child;
}

/** Resolves with what a command prints. */
function relay(...words: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(chroot, [...asUser, ...words], {
    env: { FORM_TOKEN_SECRET: '0'.repeat(64) },
    encoding: 'utf8',
  });
  assert.equal(status, 0, `relay ${words.join(' ')}\n${stdout}${stderr}`);
  return stdout.trim();
}

/** Does something while a command serves. It gets the address that the command prints. */
async function during(
  words: readonly string[],
  env: NodeJS.ProcessEnv,
  work: (origin: string, line: string, child: ChildProcess) => Promise<void>,
): Promise<void> {
  const child = start(words, env);
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (piece: string) => {
    said += piece;
  });
  const ended = once(child, 'exit');
  const line = await Promise.race([
    (async () => {
      for await (const one of createInterface({ input: child.stdout as NodeJS.ReadableStream }))
        if (/http:\/\//.test(one)) return one;
      return '';
    })(),
    ended.then(() => ''),
  ]);
  const [origin] = /http:\/\/[\w.[\]:]+:\d+/.exec(line) ?? [];
  assert.ok(origin, `relay ${words.join(' ')} prints no address\n${line}\n${said}`);
  await work(origin, line, child);
  child.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null], said);
  children.delete(child);
}

async function serves(): Promise<void> {
  await during(['serve'], { CONFIG_FILE: '/webform.yaml' }, async (origin) => {
    assert.equal(await (await fetch(`${origin}/readyz`)).text(), '{"message":"ok"}');
    assert.match(await (await fetch(`${origin}/api/v1/form/contact`)).text(), /name="phone"/);
    const names = Array.from({ length: 8 }, (_, index) => `Ada ${index}`);
    const post = (name: string) =>
      fetch(`${origin}/api/v1/submit/contact`, {
        method: 'POST',
        body: new URLSearchParams({ name, phone: '+49 30 12345678', code: 'ab' }),
      });
    const answers = await Promise.all(names.map(post));
    assert.deepEqual(
      answers.map(({ status }) => status),
      names.map(() => 200),
    );
    assert.equal(received.length, names.length);
    assert.match(received[0] ?? '', /phone=%2B493012345678/);
    const { port } = new URL(origin);
    const { status } = spawnSync(chroot, [...asUser, 'health'], {
      env: { PORT: port },
    });
    assert.equal(status, 0);
  });
  // Nothing but what outputs store.
  assert.deepEqual(readdirSync(root).toSorted(), [
    'data',
    'lib',
    'lib64',
    'mail.yaml',
    'page.html',
    'relay',
    'webform.yaml',
  ]);
}

async function check(promise: string, test: () => Promise<void>): Promise<void> {
  try {
    await test();
    console.log(`  ok  ${promise}`);
  } catch (error) {
    process.exitCode = 1;
    console.log(`  FAILED  ${promise}\n${error instanceof Error ? error.message : error}`);
  }
}
