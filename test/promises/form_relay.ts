/** Form Relay, and an example of an adapter. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Adapter, ProductConfig } from './adapter.ts';

/** `program`: the path of the `relay` command. */
export const formRelay = (program: string): Adapter => ({
  name: 'Form Relay',

  async start(config) {
    const relay = await launch(program, ['serve'], config, settingsOf(config));
    const ended = once(relay, 'exit');
    // An unread log must not block the relay.
    relay.stderr?.resume();
    const lines = createInterface({ input: relay.stdout as NodeJS.ReadableStream });
    const [first] = await Promise.race([once(lines, 'line'), ended]);
    const url = /http:\/\/[\w.[\]:]+:\d+/.exec(String(first))?.[0];
    if (url === undefined) throw new Error(`relay serve did not start: ${first}`);
    return {
      url,
      stop: async () => {
        relay.kill('SIGKILL');
        await ended;
      },
    };
  },

  async run(words, { forms, folder }) {
    const own = await mkdtemp(join(folder, 'run-'));
    const child = await launch(program, words, { forms, folder: own, env: {} });
    const [stdout, stderr] = [read(child.stdout), read(child.stderr)];
    const [code] = await once(child, 'close');
    return { code, stdout: await stdout, stderr: await stderr };
  },
});

export const settingsOf = (config: ProductConfig): Readonly<Record<string, string>> => ({
  HOST: '127.0.0.1',
  PORT: '0',
  FORM_TOKEN_SECRET: config.tokenSecret,
  ALLOWED_ORIGINS: config.allowedOrigins.join(','),
  THROTTLE_RATE_LIMIT: `${config.throttle.rate}`,
  THROTTLE_BURST_LIMIT: `${config.throttle.burst}`,
  TRUSTED_PROXIES: 'none',
});

/** Runs the command next to a config for the forms. */
async function launch(
  program: string,
  words: readonly string[],
  { forms, folder, env }: Pick<ProductConfig, 'forms' | 'folder' | 'env'>,
  settings: Readonly<Record<string, string>> = {},
): Promise<ChildProcess> {
  const config = join(folder, 'webform.yaml');
  // JSON is valid YAML.
  await writeFile(config, JSON.stringify({ forms }));
  const own = { PATH: process.env.PATH, RELAY_CONFIG: config, ...env, ...settings };
  return spawn(process.execPath, [program, ...words], { env: own, stdio: ['ignore', 'pipe', 'pipe'] });
}

async function read(stream: NodeJS.ReadableStream | null): Promise<string> {
  let text = '';
  for await (const piece of stream ?? []) text += piece;
  return text;
}
