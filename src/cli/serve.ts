import type { AddressInfo } from 'node:net';
import { createRelay, type Relay } from '../relay.ts';
import { closeServer, createNodeServer } from '../runtimes/node.ts';
import { SettingError } from '../settings.ts';
import { CommandFailed } from './command_failed.ts';
import { configPath } from './load_config.ts';

/** How long requests under way may take after SIGTERM or SIGINT. */
const shutdownMs = 25_000;

/** Answers HTTP until SIGTERM or SIGINT. `--config` wins over the environment's config sources. */
export async function serve(configOption: string | undefined): Promise<void> {
  const relay = makeRelay(configOption);
  const { settings, config } = relay;
  const server = createNodeServer(relay.handle);
  const loaded = await config.get();

  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(new CommandFailed(`cannot listen on ${settings.host}:${settings.port}: ${error.code}`));
    });
    server.listen(settings.port, settings.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const forms = loaded
    ? `${loaded.forms.size} ${loaded.forms.size === 1 ? 'form' : 'forms'}`
    : 'it did not load, so every form answers 500 until it does';
  // Before the next line: whoever reads that may send a signal at once.
  const stopped = signal('SIGTERM', 'SIGINT');
  process.stdout.write(
    `Form Relay listens on http://${urlHost(settings.host)}:${port} with ${config.source.name} (${forms})\n`,
  );

  await stopped;
  await closeServer(server, shutdownMs);
  await relay.close();
}

function makeRelay(configOption: string | undefined): Relay {
  try {
    const env = configOption === undefined ? process.env : withoutConfigSources();
    return createRelay({ env, configFile: configPath(configOption) });
  } catch (error) {
    if (error instanceof SettingError) throw new CommandFailed(error.message);
    throw error;
  }
}

const withoutConfigSources = () => ({
  ...process.env,
  CONFIG_INLINE: undefined,
  CONFIG_FILE: undefined,
  CONFIG_BUCKET: undefined,
});

/** An address that a browser can open. */
function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

const signal = (...names: readonly NodeJS.Signals[]) =>
  new Promise<void>((resolve) => {
    for (const name of names) process.once(name, () => resolve());
  });
