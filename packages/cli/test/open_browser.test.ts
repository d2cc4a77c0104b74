import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, watch, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { form, post } from '../../../test/support/config.ts';
import { tempFolder } from '../../../test/support/temp_folder.ts';
import { program } from './served.ts';

const hasScript = process.platform === 'linux' && existsSync('/usr/bin/script');

/** `relay dev` on a terminal, with a browser that writes down what it is to open. */
async function devOnTerminal(more: string, env: NodeJS.ProcessEnv) {
  const folder = tempFolder();
  const opened = join(folder, 'opened');
  writeFileSync(
    join(folder, 'xdg-open'),
    `#!/bin/sh\nprintf %s "$*" > '${opened}.new' && mv '${opened}.new' '${opened}'\n`,
    { mode: 0o755 },
  );
  writeFileSync(
    join(folder, 'webform.yaml'),
    form({ fields: 'name', outputs: [post('http://127.0.0.1:9/')] }),
  );
  const command = `exec '${process.execPath}' '${program}' dev --port 0 ${more}`;
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: folder,
    env: { PATH: `${folder}:${process.env.PATH}`, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill());
  for await (const line of createInterface({ input: child.stdout })) {
    const [printed] = /http:\S+/.exec(line) ?? [];
    if (printed) return { folder, opened, printed, child };
  }
  throw new Error('it printed no address');
}

test.skipIf(!hasScript)('relay dev opens the browser with a key that signs in once', async () => {
  const { folder, opened, printed } = await devOnTerminal('', { DISPLAY: ':0' });
  const watcher = watch(folder);
  while (!existsSync(opened)) await once(watcher, 'change');
  watcher.close();
  const address = await readFile(opened, 'utf8');
  expect(new URL(address).origin).toBe(new URL(printed).origin);
  expect(address).not.toBe(printed);
  const statuses = [];
  for (const one of [address, address, printed, printed])
    statuses.push((await fetch(one, { redirect: 'manual' })).status);
  expect(statuses).toEqual([303, 401, 303, 303]);
});

test.skipIf(!hasScript).each<[says: string, more: string, env: NodeJS.ProcessEnv]>([
  ['--no-open', '--no-open', { DISPLAY: ':0' }],
  ['BROWSER=none', '', { DISPLAY: ':0', BROWSER: 'none' }],
  ['no display', '', {}],
  ['a session over SSH', '', { DISPLAY: ':0', SSH_CONNECTION: '10.0.0.1 5 10.0.0.2 22' }],
])('relay dev opens no browser with %s', async (_, more, env) => {
  const { opened, printed, child } = await devOnTerminal(more, env);
  expect((await fetch(printed, { redirect: 'manual' })).status).toBe(303);
  const ended = once(child, 'exit');
  child.kill();
  await ended;
  expect(existsSync(opened)).toBe(false);
});
