import type { AddressInfo } from 'node:net';
import { parseInWorker } from '../config/parse_in_worker.ts';
import { closeServer, createNodeServer } from '../runtimes/node.ts';
import { CommandFailed } from './command_failed.ts';
import { configPath } from './load_config.ts';
import { makeRelay } from './make_relay.ts';

/** How long requests under way may take after SIGTERM or SIGINT. */
const shutdownMs = 25_000;

/** Answers HTTP until SIGTERM or SIGINT. */
export async function serve(configOption: string | undefined): Promise<void> {
  const relay = makeRelay({
    // It wins; without it the environment's sources do, and RELAY_CONFIG or `webform.yaml` come last.
    configFile: configOption,
    fallbackConfigFile: configPath(undefined),
    parseLarge: parseInWorker(new URL('./parse_worker.cjs', import.meta.url)),
  });
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
    `Form Relay listens on ${address(settings.host, port)} with ${config.source.name} (${forms})\n`,
  );

  await stopped;
  await closeServer(server, shutdownMs);
  await relay.close();
}

/** Something to click on; with the address that it listens on, where that is another. */
function address(host: string, port: number): string {
  if (host === '0.0.0.0' || host === '::') return `http://localhost:${port} (all addresses)`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

const signal = (...names: readonly NodeJS.Signals[]) =>
  new Promise<void>((resolve) => {
    for (const name of names) process.once(name, () => resolve());
  });
