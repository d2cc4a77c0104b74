/** A process that is killed costs the journal its last group of lines, and the next start nothing. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { startHttpSink } from '../support/http_sink.ts';
import { folder, linesIn, slow, textIn } from './stage.ts';

const program = fileURLToPath(new URL('../../dist/relay.cjs', import.meta.url));

async function serve(journal: string, url: string) {
  const config = `
journal: {in: "${journal}"}
forms: {contact: {fields: [{name: name}], outputs: [{type: http_post, url: "${url}/", mapping: "*"}]}}`;
  const child = spawn(process.execPath, [program, 'serve'], {
    env: { CONFIG_INLINE: config, HOST: '127.0.0.1', PORT: '0' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [started] = await once(child.stdout as Readable, 'data');
  const origin = /http:\/\/[\w.:]+/.exec(started)?.[0] ?? '';
  const submit = async () => {
    const body = new URLSearchParams({ name: 'Ada' });
    const { status } = await fetch(`${origin}/api/v1/submit/contact`, { method: 'POST', body });
    expect(status).toBe(200);
  };
  const end = async (signal: NodeJS.Signals) => {
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  };
  return { submit, end };
}

test('a killed relay loses at most the last group, and the next one writes a file of its own', async () => {
  const path = await folder();
  const sink = await startHttpSink();
  onTestFinished(sink.close);
  const first = await serve(path, sink.origin);
  for (let sent = 0; sent < 3; sent += 1) await first.submit();
  await expect.poll(() => linesIn(path), { timeout: slow }).toHaveLength(3);
  await first.submit();
  await first.end('SIGKILL');
  const left = await textIn(path);
  const [file = ''] = await readdir(path);
  const whole = left.split('\n').filter((line) => line !== '');
  expect(whole.length).toBeGreaterThanOrEqual(3);
  for (const line of whole.slice(0, 3)) expect(JSON.parse(line)).toMatchObject({ result: 'delivered' });

  const second = await serve(path, sink.origin);
  await second.submit();
  await second.end('SIGTERM');
  const names = await readdir(path);
  expect(names).toHaveLength(2);
  expect(await readFile(join(path, file), 'utf8')).toBe(left);
  const own = await readFile(join(path, names.find((name) => name !== file) ?? ''), 'utf8');
  expect(JSON.parse(own)).toMatchObject({ kind: 'submission', result: 'delivered' });
}, 60_000);
