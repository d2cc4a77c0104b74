/** The log as people read it, and how much of it, from the built relay. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { createLog } from '../../packages/core/src/log.ts';
import { prettyFormat } from '../../packages/runtimes/src/pretty_format.ts';

const program = fileURLToPath(new URL('../../dist/relay.cjs', import.meta.url));
const config =
  'forms: {contact: {fields: [{name: name, required: true}], outputs: [{type: http_post, url: "http://127.0.0.1:9/"}]}}';

/** What is on stderr after one submission that reaches nobody, and one that is not there. */
async function logOf(env: Record<string, string>): Promise<string> {
  const child = spawn(process.execPath, [program, 'serve'], {
    env: { CONFIG_INLINE: config, HOST: '127.0.0.1', PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const told = text(child.stderr as Readable);
  const [started] = await once(child.stdout as Readable, 'data');
  const origin = /http:\/\/[\w.:]+/.exec(started)?.[0] ?? '';
  for (const form of ['contact', 'nowhere'])
    await fetch(`${origin}/api/v1/submit/${form}`, {
      method: 'POST',
      body: new URLSearchParams({ name: 'Ada' }),
    });
  child.kill();
  return told;
}

const eventsOf = (log: string) =>
  log
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).event as string);

test('a program gets JSON, all of it', async () => {
  const events = eventsOf(await logOf({}));
  expect(events).toEqual(expect.arrayContaining(['config_loaded', 'delivery_failed', 'submission']));
});

test.each([
  ['warn', ['retrying', 'delivery_failed', 'submission']],
  ['error', ['delivery_failed', 'submission']],
])('LOG_LEVEL=%s leaves out the rest', async (LOG_LEVEL, expected) => {
  expect([...new Set(eventsOf(await logOf({ LOG_LEVEL })))]).toEqual(expected);
});

test('LOG_FORMAT=pretty is for people, without colour where there is no terminal', async () => {
  const lines = (await logOf({ LOG_FORMAT: 'pretty' })).trimEnd().split('\n');
  const time = String.raw`\d\d:\d\d:\d\d\.\d{3}`;
  expect(lines.at(0)).toMatch(new RegExp(`^${time} info  config loaded config=CONFIG_INLINE forms=1$`));
  expect(lines).toContainEqual(
    expect.stringMatching(
      new RegExp(
        `^${time} error delivery failed contact – connect ECONNREFUSED .*output=0 type=http_post .*[\\da-f-]{36}$`,
      ),
    ),
  );
  expect(lines).toContainEqual(expect.stringMatching(/^ {6}→ 0 http_post failed tries=\d ms=\d+$/));
});

test.each([
  ['LOG_FORMAT', 'nice', 'LOG_FORMAT: expected pretty or json'],
  ['LOG_LEVEL', 'debug', 'LOG_LEVEL: expected info, warn or error'],
])('%s=%s stops the start', async (name, value, message) => {
  const child = spawn(process.execPath, [program, 'serve'], {
    env: { CONFIG_INLINE: config, [name]: value },
  });
  const [told] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  expect(told).toContain(message);
});

/** What the log writes for people of one event. */
function pretty(event: string, fields: Record<string, unknown>, isColoured = false): string {
  const written: Buffer[] = [];
  const { log, flush } = createLog(() => 0, 'info', {
    write: (bytes) => {
      written.push(Buffer.from(bytes));
      return bytes.length;
    },
    format: () => prettyFormat(isColoured),
  });
  log('warn', event, fields);
  flush();
  return Buffer.concat(written).toString().slice('00:00:00.000 '.length);
}

test('what a server said cannot steer the terminal', () => {
  const told = pretty('retrying', { form: 'contact', reason: '550 \x1b[2Jgone\x07\r\nfake line \u202eabc' });
  expect(told).toBe('warn  retrying contact – 550 \\u001b[2Jgone\\u0007\\u000d\\u000afake line \\u202eabc\n');
});
