import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import http, { get } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { form, post } from '../../../test/support/config.ts';
import { relayWith, startHttpSink, tempFolder } from '../../../test/support/index.ts';
import { nodeOf } from '../../../test/support/newer_node.ts';
import { parseConfig } from '../../../test/support/parse_config.ts';
import { refused } from '../../../test/support/refused.ts';
import { formatProblem } from '../../yaml/src/problem.ts';
import { checkReusePort } from '../src/listening.ts';
import { program, serve, startServe } from './served.ts';
import { openTerminal } from './terminal.ts';

const config = form({ fields: 'name!', outputs: [post('http://127.0.0.1:9/')] });

/** `script` gives a command its own terminal. Outside Linux its options differ. */
const hasScript = process.platform === 'linux' && existsSync('/usr/bin/script');

test.skipIf(!hasScript)('in a terminal it says which page to open', async () => {
  const command = `'${process.execPath}' '${program}' serve`;
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    env: { CONFIG_INLINE: config, HOST: '0.0.0.0', PORT: '0' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill());
  for await (const line of createInterface({ input: child.stdout })) {
    const [, page] = /^Open (\S+)$/.exec(line) ?? [];
    if (!page) continue;
    expect(page).toMatch(/^http:\/\/localhost:\d+\/f\/contact$/);
    expect(await (await fetch(page)).text()).toContain('<!DOCTYPE html>');
    return;
  }
  expect.unreachable('it ended without saying so');
});

test.each([{}, { CONFIG_FILE: 'nope.yaml' }])(
  'without a config it says how to create one: %j',
  async (env) => {
    const { started } = await serve({ cwd: tempFolder(), env });
    expect(started).toContain(`; create it with relay init ${env.CONFIG_FILE ?? 'webform.yaml'})`);
  },
);

test('a relay keeps answering if nothing reads its log any more', async () => {
  const { child, origin } = await serve({ env: { CONFIG_INLINE: config } });
  child.stderr.destroy();
  await once(child.stderr, 'close');
  for (const _ of [1, 2, 3]) {
    const body = new URLSearchParams({ name: '' });
    expect((await fetch(`${origin}/api/v1/submit/contact`, { method: 'POST', body })).status).toBe(422);
  }
});

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s while the config loads ends it at once, with exit code 0, before it listens',
  async (signal) => {
    const s3 = http.createServer();
    await new Promise<void>((resolve) => s3.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      s3.closeAllConnections();
      s3.close();
    });
    const env = {
      AWS_ACCESS_KEY_ID: 'id',
      AWS_SECRET_ACCESS_KEY: 'secret',
      AWS_REGION: 'eu-central-1',
      AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${(s3.address() as AddressInfo).port}`,
      CONFIG_BUCKET: 'configs',
    };
    const child = startServe({ env });
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        printed += text;
      });
    }
    // The server never answers.
    await once(s3, 'request');
    child.kill(signal);
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(printed).toBe('');
  },
);

test.each([
  ['another SIGTERM', 'SIGTERM', 'SIGTERM'],
  ['a SIGTERM after Ctrl-C', 'SIGINT', 'SIGTERM'],
] as const)('%s cuts nothing that is in progress', async (_what, first, second) => {
  let deliver = () => {};
  const sink = http.createServer((_, answer) => {
    deliver = () => answer.end();
  });
  await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void sink.close());
  const inline = config.replace(':9/', `:${(sink.address() as AddressInfo).port}/`);
  const { child, origin } = await serve({ env: { CONFIG_INLINE: inline }, stderr: 'ignore' });
  const body = new URLSearchParams({ name: 'Ann' });
  const answer = fetch(`${origin}/api/v1/submit/contact`, { method: 'POST', body });
  await once(sink, 'request');
  const ended = once(child, 'close');
  child.kill(first);
  await refused(origin);
  child.kill(second);
  child.kill(second);
  deliver();
  expect((await answer).status).toBe(200);
  expect(await ended).toEqual([0, null]);
});

test('invalid requests are logged once a second, without their content', async () => {
  const { child, port } = await serve({ env: { CONFIG_INLINE: config } });
  const lines: string[] = [];
  createInterface(child.stderr).on('line', (line) => lines.push(line));
  const socket = net.connect(port, '127.0.0.1').resume();
  socket.write(`GET / HTTP/1.1\r\nhost: a\r\ncookie: ${'secret'.repeat(4_000)}\r\n\r\n`);
  await once(socket, 'close');
  await expect.poll(() => lines).toHaveLength(2);
  expect(JSON.parse(lines[1] ?? '')).toEqual({
    time: expect.any(String),
    level: 'info',
    event: 'refused',
    status: 431,
    reason: 'the headers are too long',
    requests: 1,
  });
});

test('a changed large config is served if it is valid, and reported if it is not', async () => {
  const folder = tempFolder();
  const path = join(folder, 'webform.yaml');
  const write = (text: string) => {
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
  };
  write(largeConfig('version 1'));
  const { child, origin } = await serve({ env: { CONFIG_FILE: path, CACHE_TTL: '50ms', ...unthrottled } });
  const events: { event: string; problems?: string[] }[] = [];
  createInterface(child.stderr).on('line', (line) => events.push(JSON.parse(line)));

  /** Requests the form until the log reports this event. Returns the titles that were served in the meantime. */
  async function titlesUntil(event: string): Promise<ReadonlySet<string>> {
    const before = events.length;
    const titles = new Set<string>();
    while (!events.slice(before).some((one) => one.event === event)) {
      const answer = await fetch(`${origin}/api/v1/form/form_499`);
      expect(answer.status).toBe(200);
      titles.add(/version \d/.exec(await answer.text())?.[0] ?? 'none');
    }
    return titles;
  }

  await expect.poll(() => events).toHaveLength(1);
  write(largeConfig('version 2'));
  await titlesUntil('config_loaded');
  expect(await (await fetch(`${origin}/api/v1/form/form_499`)).text()).toContain('version 2');

  const broken = largeConfig('version 3').replaceAll('required: true', 'requird: true');
  write(broken);
  expect(await titlesUntil('config_invalid')).toEqual(new Set(['version 2']));
  const result = parseConfig(broken, path);
  const problems = result.ok ? [] : result.error.map(formatProblem);
  expect(problems).toHaveLength(201);
  expect(events.at(-1)).toMatchObject({ problems, serving: 'the last good config' });
  expect(new Set(events.map(({ event }) => event))).toEqual(new Set(['config_loaded', 'config_invalid']));
});

const unthrottled = { THROTTLE_RATE_LIMIT: '1000000', THROTTLE_BURST_LIMIT: '1000000' };

const largeConfig = (title: string) =>
  `forms:\n${Array.from(
    { length: 500 },
    (_, id) => `  form_${id}:
    title: ${title}
    fields: [{name: name, required: true}, {name: email, type: email}]
    outputs: [{type: http_post, url: "http://127.0.0.1:9/", mapping: "*"}]
`,
  ).join('')}`;

/** After SIGTERM the process ends within 26 s, whatever hangs. */

const env = { CONFIG_INLINE: 'forms: {}', HOST: '127.0.0.1', PORT: '0' };

/** Speeds up timers, so that no test waits for 25 s. */
const timesFaster = 25;

/** Runs the built relay with code that makes something hang, and stops it. Resolves with its exit code and signal. */
async function stop(code: string): Promise<unknown[]> {
  const folder = tempFolder();
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  writeFileSync(
    join(folder, 'hang.cjs'),
    `const { setTimeout } = globalThis;
    globalThis.setTimeout = (then, ms, ...given) => setTimeout(then, ms / ${timesFaster}, ...given);
    ${code}`,
  );
  const { child } = await serve({ node: ['--require', './hang.cjs'], cwd: folder, env, stderr: 'ignore' });
  const at = performance.now();
  child.kill();
  const ended = await once(child, 'exit');
  // 26 s, and extra time for a busy machine.
  expect(performance.now() - at).toBeLessThan(26_000 / timesFaster + 4_000);
  return ended;
}

test.each([
  ['a connection to somewhere', `require('node:net').createServer().listen(0, '127.0.0.1')`],
  ['a thread that never ends', `new (require('node:worker_threads').Worker)('for (;;);', { eval: true })`],
  ['closing that never ends', `require('node:net').Server.prototype.close = () => {}`],
])('%s does not keep the process alive', async (_what, code) => expect(await stop(code)).toEqual([0, null]));

test('a file read that never ends does not keep the process alive, though a Node thread waits for it', async () => {
  // Exit code 0 would have to wait for the thread.
  expect(await stop(`require('node:fs').readFile('pipe', () => {})`)).toEqual([null, 'SIGTERM']);
});

test('signals of sends, hooks and routes abort before the process ends', async () => {
  const folder = tempFolder();
  const hang = (what: string) =>
    `({ signal }) => new Promise(() => {
      signal.addEventListener('abort', () => console.log('aborted ${what}'));
      console.log('hanging');
    })`;
  const files = {
    'fast.cjs': `const { setTimeout } = globalThis;
      globalThis.setTimeout = (then, ms, ...given) => setTimeout(then, ms / ${timesFaster}, ...given);`,
    'hang.mjs': `export default (kit) => ({
      name: 'hang',
      outputs: [kit.output({ type: 'hang', summary: '', keys: {}, open: () => ({ target: 'nowhere', send: (_, call) => (${hang('send')})(call) }) })],
      features: [kit.feature({
        name: 'hang',
        configure: ({ formId }) => formId === 'hook' ? { onRequest: () => ${hang('hook')} } : undefined,
        routes: [{ name: 'hang', method: 'GET', answer: ${hang('route')} }],
      })],
    });`,
    'webform.yaml': `plugins: [./hang.mjs]
forms:
  hook: {fields: [{name: a}], outputs: [{type: hang}]}
  send: {fields: [{name: a}], outputs: [{type: hang, timeout: 25s, retries: 0, static: {a: b}}]}`,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const given = { node: ['--require', './fast.cjs'], cwd: folder };
  const { child, origin } = await serve({ ...given, stderr: 'ignore' });
  const said: string[] = [];
  createInterface(child.stdout).on('line', (one) => said.push(one));
  const relay = `${origin}/api/v1`;
  const post = { method: 'POST', body: new URLSearchParams({ a: 'b' }) };
  const ended = ['submit/hook', 'submit/send', 'hang/hook'].map((path) =>
    fetch(`${relay}/${path}`, path.startsWith('submit') ? post : {}).then(
      ({ status }) => status,
      () => 0,
    ),
  );
  await expect.poll(() => said).toHaveLength(3);
  child.kill();
  await once(child, 'close');
  expect(said.slice(3).toSorted()).toEqual(['aborted hook', 'aborted route', 'aborted send']);
  expect(await Promise.all(ended)).toEqual([500, 500, 500]);
});

test('a cluster worker ends, even if its primary keeps the channel open', async () => {
  const code = `
    const cluster = require('node:cluster');
    cluster.setupPrimary({ exec: ${JSON.stringify(program)}, args: ['serve'], execArgv: [] });
    const worker = cluster.fork();
    worker.on('listening', () => worker.process.kill());
    worker.on('exit', (...ended) => {
      console.log(JSON.stringify(ended));
      process.exit();
    });`;
  const primary = spawn(process.execPath, ['-e', code], { env, stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => void primary.kill('SIGKILL'));
  let printed = '';
  for await (const text of primary.stdout) printed += text;
  expect(printed).toContain('[0,null]');
});

/** REUSE_PORT: copies of `relay serve` share a port, if Node supports it. */

const envReusePort = {
  HOST: '127.0.0.1',
  CONFIG_INLINE: 'forms: {}',
  THROTTLE_BURST_LIMIT: '1000',
  REUSE_PORT: '1',
};

/** Starts a copy of the relay, and counts the refused requests in its log. */
async function copyOn(node: string, port: string) {
  const child = spawn(node, [program, 'serve'], { env: { ...envReusePort, PORT: port } });
  onTestFinished(() => void child.kill('SIGKILL'));
  const copy = { refused: 0, port: '' };
  createInterface(child.stderr).on('line', (line) => {
    if (line.includes('"event":"refused"')) copy.refused += 1;
  });
  const [line] = await once(createInterface(child.stdout), 'line');
  copy.port = /:(\d+) /.exec(line)?.[1] ?? line;
  return copy;
}

const ask = async (port: string) => {
  const [answer] = await once(get({ host: '127.0.0.1', port, path: '/nowhere', agent: false }), 'response');
  answer.resume();
  return answer.statusCode;
};

test('two copies on Node 24 share a port, and the kernel spreads the connections over both', async () => {
  const node = await nodeOf(24);
  const first = await copyOn(node, '0');
  const second = await copyOn(node, first.port);
  expect(second.port).toBe(first.port);
  const statuses = await Promise.all(Array.from({ length: 100 }, () => ask(first.port)));
  expect(new Set(statuses)).toEqual(new Set([404]));
  await expect.poll(() => first.refused + second.refused).toBe(100);
  expect(Math.min(first.refused, second.refused)).toBeGreaterThan(0);
});

test.runIf(process.version.startsWith('v20.'))('on Node 20 the relay does not start, and says why', () => {
  const { status, stderr } = spawnSync(process.execPath, [program, 'serve'], {
    env: { ...envReusePort, PORT: '0' },
    encoding: 'utf8',
  });
  expect(status).toBe(1);
  expect(stderr).toContain('REUSE_PORT needs Node 22.12, or 23.1 and later, and this is Node 20.');
});

test.each([
  ['20.20.2', false],
  ['22.11.9', false],
  ['22.12.0', true],
  ['23.0.0', false],
  ['23.1.0', true],
  ['24.0.0', true],
])('Node %s shares a port: %s', (version, can) => {
  const check = () => checkReusePort(version);
  if (can) expect(check).not.toThrow();
  else expect(check).toThrow(`this is Node ${version}`);
});

const health = async (env: Record<string, string>, option = '') =>
  (await openTerminal({ env })).run(`relay health ${option}`);

test('relay health exits with 0 if the relay on its port answers, whatever address it listens on', async () => {
  const relay = await relayWith({ config: 'forms: {}' });
  const { port } = new URL(relay.origin);
  for (const host of ['', '0.0.0.0', '127.0.0.1'])
    expect(await health({ PORT: port, HOST: host })).toEqual({ code: 0, stdout: 'ok\n', stderr: '' });
});

test('relay health --ready checks whether the relay can accept submissions', async () => {
  const relay = await relayWith({ config: 'forms: [' });
  const { port } = new URL(relay.origin);
  expect(await health({ PORT: port })).toMatchObject({ code: 0 });
  const stderr = expect.stringMatching(/is not ready: \/readyz answers 503/);
  expect(await health({ PORT: port }, '--ready')).toMatchObject({ code: 1, stderr });
});

test('relay health exits with 1 and says why if the relay does not answer', async () => {
  const sink = await startHttpSink({ answer: () => ({ status: 503 }) });
  const ill = await health({ PORT: `${sink.port}` });
  expect(ill).toMatchObject({ code: 1, stderr: expect.stringContaining('/healthz answers 503') });
  await sink.close();
  const gone = await health({ PORT: `${sink.port}` });
  expect(gone).toMatchObject({ code: 1, stderr: expect.stringContaining('ECONNREFUSED') });
});
