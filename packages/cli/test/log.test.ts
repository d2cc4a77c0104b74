/**
 * If nothing reads the log, lines are lost and counted, but memory does not grow, answers are sent, and the
 * process keeps running.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, existsSync, openSync, readFileSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';
import { tempFolder } from '../../../test/support/temp_folder.ts';
import { lineForPeople } from '../../runtimes/src/log_line.ts';
import { program, serve as serveBuilt, startServe } from './served.ts';
import { openTerminal } from './terminal.ts';

/** The log lists every missing field: 25 KB per submission. */
const config = `
forms:
  contact:
    fields: [${Array.from({ length: 50 }, (_, n) => `{name: ${'x'.repeat(500)}${n}, required: true}`)}]
    outputs: [{type: http_post, url: "http://127.0.0.1:9/", mapping: "*"}]
`;

/** The log has a line about the config, and a line per submission. */
const linesOf = (submissions: number) => submissions + 1;

const unthrottled = { THROTTLE_RATE_LIMIT: '100000', THROTTLE_BURST_LIMIT: '100000' };

/** Starts the built relay with this as its stderr. */
async function serve(stderr: 'pipe' | number) {
  const env = { CONFIG_INLINE: config, ...unthrottled };
  const relay = await serveBuilt({ node: ['--max-semi-space-size=8'], env, stderr });
  return { ...relay, rssMb: () => rssMb(relay.child.pid) };
}

const rssMb = (pid = 0) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

/** Sends this many submissions, and counts those that are answered with 422, as all should be. */
async function submit(port: number, submissions: number): Promise<number> {
  let answered = 0;
  // A connection serves no more requests at once.
  for (let left = submissions; left > 0; left -= 32) answered += await submitOnOne(port, Math.min(left, 32));
  return answered;
}

async function submitOnOne(port: number, submissions: number): Promise<number> {
  const post = [
    ...['POST /api/v1/submit/contact HTTP/1.1', 'Host: a'],
    ...['Content-Type: application/x-www-form-urlencoded', 'Content-Length: 0', '', ''],
  ].join('\r\n');
  const socket = net.connect(port, '127.0.0.1');
  socket.end(`${post.repeat(submissions - 1)}${post.replace('Host', 'Connection: close\r\nHost')}`);
  let answers = '';
  for await (const bytes of socket) answers += bytes;
  return answers.match(/HTTP\/1\.1 422 /g)?.length ?? 0;
}

/** A pipe as shells make it, and a function that opens its reading end. */
function pipe(): { readonly writing: number; readonly reader: () => Readable } {
  const folder = tempFolder();
  const path = join(folder, 'pipe');
  execFileSync('mkfifo', [path]);
  return {
    // Opened for reading, too, because opening would otherwise wait for a reader.
    writing: openSync(path, constants.O_RDWR),
    reader: () => new net.Socket({ fd: openSync(path, constants.O_RDONLY | constants.O_NONBLOCK) }),
  };
}

const unread: Record<
  'a pipe' | 'a Unix socket',
  () => Promise<{ relay: Awaited<ReturnType<typeof serve>>; reader: () => Readable }>
> = {
  'a pipe': async () => {
    const { writing, reader } = pipe();
    return { relay: await serve(writing), reader };
  },
  'a Unix socket': async () => {
    const relay = await serve('pipe');
    return { relay, reader: () => relay.child.stderr };
  },
};

test.each(Object.entries(unread))(
  'lines for %s without a reader are lost and counted',
  async (_what, start) => {
    const { relay, reader } = await start();
    expect(await submit(relay.port, 200)).toBe(200);
    const before = relay.rssMb();
    expect(await submit(relay.port, 1_600)).toBe(1_600);
    // The lines take 40 MB.
    expect(relay.rssMb() - before).toBeLessThan(30);

    const events: { event: string; lines?: number }[] = [];
    createInterface(reader()).on('line', (line) => events.push(JSON.parse(line)));
    await expect.poll(() => events.at(-1)?.event).toBe('log_lines_lost');
    const lost = events.at(-1)?.lines ?? 0;
    expect(events.length - 1 + lost).toBe(linesOf(1_800));
    expect(await submit(relay.port, 1)).toBe(1);
    await expect.poll(() => events.at(-1)?.event).toBe('submission');
    expect(events.filter(({ event }) => event === 'log_lines_lost')).toHaveLength(1);
  },
);

test.each([
  ['a pipe', unread['a pipe']],
  ['a full disk', async () => ({ relay: await serve(openSync('/dev/full', 'w')) })],
] as const)('SIGTERM ends a relay that logs to %s, after one second for the reader', async (_what, start) => {
  const { relay } = await start();
  expect(await submit(relay.port, 200)).toBe(200);
  const ended = once(relay.child, 'exit');
  const at = performance.now();
  relay.child.kill();
  expect(await ended).toEqual([0, null]);
  expect(performance.now() - at).toBeLessThan(5_000);
});

test('a stopped terminal, as with Ctrl-S, does not block the relay', async () => {
  const env = { ...process.env, CONFIG_INLINE: config, HOST: '127.0.0.1', PORT: '0' };
  // `script` opens a terminal and reads its output.
  const script = spawn('script', ['-qfc', `exec '${process.execPath}' '${program}' serve`, '/dev/null'], {
    env: { ...env, ...unthrottled },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void script.kill('SIGKILL'));
  let shown = '';
  for await (const bytes of script.stdout) {
    shown += bytes;
    if (shown.includes('listens on')) break;
  }
  const pid = Number(readFileSync(`/proc/${script.pid}/task/${script.pid}/children`, 'utf8'));
  script.kill('SIGSTOP');
  const port = Number(/http:\/\/[^:]+:(\d+)/.exec(shown)?.[1]);
  expect(await submit(port, 80)).toBe(80);
  process.kill(pid, 'SIGTERM');
  // The process stays a zombie: nothing reads its exit status.
  await expect.poll(() => readFileSync(`/proc/${pid}/status`, 'utf8')).toMatch(/State:\sZ/);
});

test('the last log lines can be read after the process has ended', async () => {
  const { writing, reader } = pipe();
  const { child, port } = await serve(writing);
  await submit(port, 20);
  child.kill();
  const text = reader().setEncoding('utf8');
  let read = '';
  text.on('data', (more) => {
    read += more;
  });
  expect(await once(child, 'exit')).toEqual([0, null]);
  await expect.poll(() => read.split('\n')).toHaveLength(linesOf(20) + 1);
});

/** The format and level of the built relay's log. */

const configLogFormat =
  'forms: {contact: {fields: [{name: name, required: true}], outputs: [{type: http_post, url: "http://127.0.0.1:9/"}]}}';

/** Stderr after one submission that reaches no output, and one to a form that does not exist. */
async function logOf(env: Record<string, string>): Promise<string> {
  const { child, origin } = await serveBuilt({ env: { CONFIG_INLINE: configLogFormat, ...env } });
  const told = text(child.stderr);
  for (const form of ['contact', 'nowhere'])
    await fetch(`${origin}/api/v1/submit/${form}`, {
      method: 'POST',
      body: new URLSearchParams({ name: 'Ada' }),
    });
  child.kill();
  return told;
}

const local = String.raw`\d\d:\d\d:\d\d\.\d{3}`;
const id = '[0-9a-f]{8}-[0-9a-f-]{27}';

test('LOG_FORMAT=text writes a line per event for people', async () => {
  const lines = (await logOf({ LOG_FORMAT: 'text' })).trimEnd().split('\n');
  for (const line of lines) expect(line).toMatch(new RegExp(`^${local} (info |warn |error) [a-z]`));
  expect(lines.find((line) => line.includes(' submission '))).toMatch(
    new RegExp(
      `^${local} error submission contact undelivered ms=[\\d.]+ deliveries=\\[output=0 http_post failed .*reason="connect ECONNREFUSED"\\] ${id}$`,
    ),
  );
});

test('characters from outside neither control the terminal nor start a line', () => {
  const hostile = '\x1b[2J\r\n\u202egpj" outcome=delivered \x9b31m\u2028';
  const fields = {
    reason: hostile,
    [hostile]: 1,
    errors: [{ stack: [hostile, 'at x'] }],
    request_id: hostile,
  };
  const line = lineForPeople(0, 'info', hostile, fields);
  expect(line).not.toMatch(/[\p{Cc}\p{Cf}\u2028]/u);
  expect(line).toContain(String.raw`reason="\u001b[2J\r\n\u202egpj\" outcome=delivered \u009b31m\u2028"`);
});

const eventsOf = (log: string) =>
  log
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).event as string);

test('with JSON, programs get everything', async () => {
  const events = eventsOf(await logOf({}));
  expect(events).toEqual(expect.arrayContaining(['config_loaded', 'delivery_failed', 'submission']));
});

test.each([
  ['warn', ['retrying', 'delivery_failed', 'submission']],
  ['error', ['delivery_failed', 'submission']],
])('LOG_LEVEL=%s omits lower levels', async (LOG_LEVEL, expected) =>
  expect([...new Set(eventsOf(await logOf({ LOG_LEVEL })))]).toEqual(expected),
);

test.each([
  ['LOG_FORMAT', 'xml', 'LOG_FORMAT: expected json or text'],
  ['LOG_LEVEL', 'debug', 'LOG_LEVEL: expected info, warn or error'],
])('%s=%s stops the start', async (name, value, message) => {
  const child = startServe({ env: { CONFIG_INLINE: configLogFormat, [name]: value } });
  const [told] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  expect(told).toContain(message);
});

const files = {
  'webform.yaml': `forms:
  contact:
    fields: [{name: name}]
    outputs:
      - {type: http_post, url: "https://example.com/", mapping: {a: nmae}}
`,
  'wrong.yaml': 'forms: {contact: {fields: [{name: name, type: emial}], outputs: []}}\n',
};
const commands = ['relay config validate', 'relay --config wrong.yaml config validate'];

/** `script` gives a command its own terminal. Outside Linux its options differ. */
const hasScript = process.platform === 'linux' && existsSync('/usr/bin/script');

const colours = (text: string) => text.includes('\x1b[');

/** The log of a relay in a terminal from `script`, up to its first line. */
async function logInTerminal(env: Readonly<Record<string, string>>): Promise<string> {
  const command = `${process.execPath} ${program} serve`;
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    env: { PATH: process.env.PATH, HOST: '127.0.0.1', PORT: '0', CONFIG_INLINE: configLogFormat, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  for await (const line of createInterface(child.stdout)) if (/config.loaded/.test(line)) return line;
  return '';
}

test.skipIf(!hasScript)('a terminal gets text, in colour if it may', async () => {
  const TERM = 'xterm-256color';
  expect(await logInTerminal({ TERM })).toMatch(
    /^\x1b\[2m[\d:.]+\x1b\[22m info {2}\x1b\[1mconfig loaded\x1b\[22m /,
  );
  expect(await logInTerminal({ TERM, NO_COLOR: '1' })).toMatch(
    /^[\d:.]+ info {2}config loaded config=CONFIG_INLINE forms=1$/,
  );
  expect(JSON.parse(await logInTerminal({ TERM, LOG_FORMAT: 'json' }))).toMatchObject({
    event: 'config_loaded',
  });
});

describe.each(commands)('%s', (command) => {
  const printed = async (env: Readonly<Record<string, string>>, line = command) => {
    const { stdout, stderr } = await (await openTerminal({ files, env })).run(line);
    return stdout + stderr;
  };

  test('is plain when it does not print to a terminal', async () =>
    expect(colours(await printed({ TERM: 'xterm-256color' }))).toBe(false));

  test('prints the same words in colour', async () => {
    const plain = await printed({});
    const coloured = await printed({ FORCE_COLOR: '1' });
    expect(colours(coloured)).toBe(true);
    expect(stripVTControlCharacters(coloured)).toBe(plain);
  });

  describe.skipIf(!hasScript)('in a terminal', () => {
    const inTerminal = `script -qec '${command}' /dev/null`;

    test('is in colour', async () =>
      expect(colours(await printed({ TERM: 'xterm-256color' }, inTerminal))).toBe(true));
  });
});
