/** `relay inbox` as a process: what it prints, whom it lets in, how it ends. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { write } from './stage.ts';

const program = fileURLToPath(new URL('../../dist/relay.cjs', import.meta.url));

async function run(config: string, ...args: readonly string[]) {
  const cwd = await mkdtemp(join(tmpdir(), 'relay-inbox-'));
  await mkdir(join(cwd, 'archive'));
  await write(join(cwd, 'archive'), [{ id: 'one', at: '2026-11-20T10:00:00.000Z' }]);
  await writeFile(join(cwd, 'webform.yaml'), config);
  const child = spawn(process.execPath, [program, 'inbox', ...args], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd },
  });
  const exited = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
    await rm(cwd, { recursive: true, force: true });
  });
  return { child, exited };
}

test('it prints an address with a key, listens on 127.0.0.1 alone, and ends when it is told to', async () => {
  const config = 'forms: {contact: {fields: [], outputs: [{type: folder, path: archive}]}}';
  const { child, exited } = await run(config, '--port', '0');
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  expect(line).toMatch(/^Open http:\/\/127\.0\.0\.1:\d+\/\?key=[\w-]{43}$/);
  const address = line.slice('Open '.length);
  expect((await fetch(new URL('/api/about', address))).status).toBe(401);
  const first = await fetch(address, { redirect: 'manual' });
  const [cookie = ''] = (first.headers.get('set-cookie') ?? '').split(';');
  const entries = async () => (await fetch(new URL('/api/entries', address), { headers: { cookie } })).json();
  await expect
    .poll(entries, { timeout: 60_000 })
    .toMatchObject({ total: 1, entries: [{ id: 'one', form: 'contact' }] });
  child.kill('SIGTERM');
  await exited;
}, 120_000);

test('a config that stores nothing is told, with what to do', async () => {
  const { child, exited } = await run(
    'forms: {contact: {fields: [], outputs: [{type: http_post, url: "https://a.example/", static: {a: b}}]}}',
  );
  let said = '';
  child.stderr.on('data', (piece) => {
    said += piece;
  });
  const [code] = await exited;
  expect([code, said]).toEqual([1, expect.stringContaining('the config stores no submission')]);
}, 120_000);
