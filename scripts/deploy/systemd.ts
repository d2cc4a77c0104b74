import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Check } from './check.ts';
import { alongside, eventually, inFolder, root, run } from './run.ts';

/** Out of 100: the network stays open, and what V8 needs. */
const mostExposure = 20;

export const systemd: Check = {
  needs: ['systemd-analyze', 'systemd-socket-activate'],
  run: () =>
    inFolder(async (folder) => {
      const units = ['form-relay.service', 'form-relay.socket'].map((name) => {
        const text = readFileSync(join(root, 'deploy/systemd', name), 'utf8');
        const path = join(folder, name);
        // Neither Node nor the relay need be where the unit has them.
        writeFileSync(path, text.replace(/^ExecStart=.*$/m, 'ExecStart=/bin/true'));
        return path;
      });
      const { stdout, stderr } = run('systemd-analyze', ['verify', ...units]);
      if (stdout + stderr !== '') throw new Error(stdout + stderr);
      const security = ['security', '--offline=yes', `--threshold=${mostExposure}`];
      const [, exposure = ''] =
        /exposure level for \S+: ([\d.]+)/.exec(
          run('systemd-analyze', [...security, `${units[0]}`]).stdout,
        ) ?? [];
      await startBySocket();
      return `both units are valid, exposure ${exposure} of 10, and who connects while it starts is answered`;
    }),
};

/** The first connection starts it, and is answered. */
async function startBySocket(): Promise<void> {
  const port = await freePort();
  const relay = [process.execPath, join(root, 'dist/relay.cjs'), 'serve'];
  const env = { CONFIG_INLINE: 'forms: {}' };
  const passed = Object.keys(env).flatMap((name) => ['-E', name]);
  await alongside(
    'systemd-socket-activate',
    ['-l', `127.0.0.1:${port}`, ...passed, ...relay],
    env,
    async () => {
      const { status } = await eventually(() => fetch(`http://127.0.0.1:${port}/readyz`));
      if (status !== 200) throw new Error(`the relay answered ${status} on the socket that it was handed`);
    },
  );
}

/** A port that is free just now. */
export const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
