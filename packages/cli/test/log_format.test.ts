/** The log, and how much of it, from the built relay. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const program = fileURLToPath(new URL('../../../dist/relay.cjs', import.meta.url));
const config =
  'forms: {contact: {fields: [{name: name, required: true}], outputs: [{type: http_post, url: "http://127.0.0.1:9/"}]}}';

/** Stderr after one submission that reaches nobody, and one that is not there. */
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

test.each([
  ['LOG_FORMAT', 'pretty', 'LOG_FORMAT: removed in 0.2.0'],
  ['LOG_LEVEL', 'debug', 'LOG_LEVEL: expected info, warn or error'],
])('%s=%s stops the start', async (name, value, message) => {
  const child = spawn(process.execPath, [program, 'serve'], {
    env: { CONFIG_INLINE: config, [name]: value },
  });
  const [told] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  expect(told).toContain(message);
});
