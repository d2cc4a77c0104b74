import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stackOf } from '@form-relay/relay/base';
import type { Config } from '@form-relay/relay/config';
import { closeServer } from '@form-relay/relay/serve';
import { CommandFailed } from './command_failed.ts';
import { configPath } from './config_path.ts';
import { endProcess } from './end_process.ts';
import { listenNear } from './listen_near.ts';
import { tryConfig } from './load_config.ts';
import { settingsOf } from './make_relay.ts';
import { readOwnConfig } from './own_setup.ts';
import type { GlobalOptions } from './usage.ts';

export interface InboxCommandOptions extends GlobalOptions {
  /** Default: PORT, else 8080. */
  readonly port?: number;
  /** The folder of the index. */
  readonly index?: string;
}

/** How often the config is read again, for forms and outputs that changed. */
const rereadMs = 10_000;

/** Shows the inbox on 127.0.0.1 until SIGTERM or SIGINT. */
export async function serveInbox({
  port,
  index: folder,
  config: option,
}: InboxCommandOptions): Promise<void> {
  const read = await readOwnConfig(option);
  if (!read.ok) throw new CommandFailed(read.error);
  let config: Config = read.value;
  const [{ createInbox, createInboxServer, createKey, isThisMachine, sourcesOf }, { openIndex }] =
    await Promise.all([import('@form-relay/inbox/server'), import('@form-relay/inbox/index')]);
  const sources = sourcesOf(config);
  if (sources.archives.length === 0 && sources.stores.length === 0 && !sources.journal) {
    throw new CommandFailed(
      'the config stores no submission: it has no output of type folder or s3, no keep and no journal; docs/inbox.md shows how to add one',
    );
  }
  const name = configPath(option);
  const index = await openIndex({ sources, folder: folder ?? cacheFolder(name) });
  const rereading = setInterval(async () => {
    const again = await tryConfig(option).catch(() => undefined);
    if (again?.ok) config = again.value;
  }, rereadMs).unref();

  let used = 0;
  const key = createKey(() => used);
  const inbox = createInbox({
    index,
    sources,
    config: () => config,
    configName: name,
    person: key.person,
    isOwnHost: isThisMachine,
    asset: readPageFile,
    broken: (error) => process.stderr.write(`${stackOf(error)}\n`),
  });
  const server = createInboxServer(inbox.handle);
  const wanted = port ?? settingsOf(process.env).port;
  const isAskedFor = port !== undefined || Boolean(process.env.PORT);
  await listenNear(server, wanted, !isAskedFor).catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'EADDRINUSE' ? 'something else listens there' : error.code;
    throw new CommandFailed(`cannot use port ${wanted} (${reason}); name another with --port or PORT`);
  });
  used = (server.address() as AddressInfo).port;
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
  });
  process.stdout.write(`Open http://127.0.0.1:${used}/?key=${key.key}\n`);

  await stopped;
  clearInterval(rereading);
  inbox.close();
  await closeServer(server, stopMs, 0);
  await index.close();
  await endProcess();
}

/** How long downloads under way may take. */
const stopMs = 5_000;

/** Each config has an index of its own, which can be thrown away. */
function cacheFolder(config: string): string {
  const hash = createHash('sha256').update(resolve(config)).digest('hex').slice(0, 16);
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'form-relay', hash);
}

/** A file of the page, from beside the built program or from its package. Its name has no folder. */
async function readPageFile(name: string): Promise<Uint8Array | undefined> {
  for (const place of ['./inbox/', '../inbox/', '../../inbox/built/']) {
    try {
      return await readFile(fileURLToPath(new URL(place + name, import.meta.url)));
    } catch {}
  }
  return undefined;
}
