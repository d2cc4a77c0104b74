import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, watch, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { form } from '../../../test/support/config.ts';
import { tempFolder } from '../../../test/support/temp_folder.ts';
import { program } from './served.ts';

const hasScript = process.platform === 'linux' && existsSync('/usr/bin/script');

/** A command with a page in a terminal, and a fake browser that records the URLs. */
async function onTerminal(command: string, env: NodeJS.ProcessEnv) {
  const folder = tempFolder();
  const opened = join(folder, 'opened');
  writeFileSync(
    join(folder, 'xdg-open'),
    `#!/bin/sh\nprintf %s "$*" > '${opened}.new' && mv '${opened}.new' '${opened}'\n`,
    { mode: 0o755 },
  );
  writeFileSync(
    join(folder, 'webform.yaml'),
    form({ fields: 'name', outputs: [{ type: 'folder', path: folder }] }),
  );
  const line = `exec '${process.execPath}' '${program}' ${command} --port 0`;
  const child = spawn('script', ['-qec', line, '/dev/null'], {
    cwd: folder,
    env: { PATH: `${folder}:${process.env.PATH}`, XDG_CACHE_HOME: folder, XDG_DATA_HOME: folder, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill());
  for await (const said of createInterface({ input: child.stdout })) {
    const [printed] = /http:\S+/.exec(said) ?? [];
    if (printed) return { folder, opened, printed, child };
  }
  throw new Error('it printed no address');
}

test.skipIf(!hasScript).each(['dev', 'inbox'])(
  'relay %s opens the browser with a key that signs in once',
  async (command) => {
    const { folder, opened, printed } = await onTerminal(command, { DISPLAY: ':0' });
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
  },
);

test.skipIf(!hasScript).each<[command: string, says: string, env: NodeJS.ProcessEnv]>([
  ['dev --no-open', 'a display', { DISPLAY: ':0' }],
  ['inbox --no-open', 'a display', { DISPLAY: ':0' }],
  ['dev', 'BROWSER=none', { DISPLAY: ':0', BROWSER: 'none' }],
  ['dev', 'no display', {}],
  ['dev', 'a session over SSH', { DISPLAY: ':0', SSH_CONNECTION: '10.0.0.1 5 10.0.0.2 22' }],
])('relay %s opens no browser with %s', async (command, _, env) => {
  const { opened, printed, child } = await onTerminal(command, env);
  expect((await fetch(printed, { redirect: 'manual' })).status).toBe(303);
  const ended = once(child, 'exit');
  child.kill();
  await ended;
  expect(existsSync(opened)).toBe(false);
});
