/** After SIGTERM the process is gone within 25 s and a second, whatever hangs. */

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { tempFolder } from '../../../test/support/temp_folder.ts';

const program = fileURLToPath(new URL('../../../dist/relay.cjs', import.meta.url));
const env = { CONFIG_INLINE: 'forms: {}', HOST: '127.0.0.1', PORT: '0' };

/** Timers go so much faster, so that no test waits for 25 s. */
const timesFaster = 25;

/** Runs the built relay with code that makes something hang, and ends it. Resolves with its exit code and signal. */
async function stop(code: string): Promise<unknown[]> {
  const folder = tempFolder();
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  writeFileSync(
    join(folder, 'hang.cjs'),
    `const { setTimeout } = globalThis;
    globalThis.setTimeout = (then, ms, ...given) => setTimeout(then, ms / ${timesFaster}, ...given);
    ${code}`,
  );
  const child = spawn(process.execPath, ['--require', './hang.cjs', program, 'serve'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  const at = performance.now();
  child.kill();
  const ended = await once(child, 'exit');
  // 26 s, and what a busy machine takes for it.
  expect(performance.now() - at).toBeLessThan(26_000 / timesFaster + 4_000);
  return ended;
}

test.each([
  ['a connection to somewhere', `require('node:net').createServer().listen(0, '127.0.0.1')`],
  ['a thread that never ends', `new (require('node:worker_threads').Worker)('for (;;);', { eval: true })`],
  ['closing that never ends', `require('node:net').Server.prototype.close = () => {}`],
])('%s does not keep it alive', async (_what, code) => {
  expect(await stop(code)).toEqual([0, null]);
});

test('a file that never comes does not keep it alive, though a thread of Node waits for it', async () => {
  // Exit code 0 would have to wait for the thread.
  expect(await stop(`require('node:fs').readFile('pipe', () => {})`)).toEqual([null, 'SIGTERM']);
});

test('a worker of a cluster ends, though its primary does not hang up', async () => {
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
