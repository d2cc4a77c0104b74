import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PruneArchive } from '@form-relay/relay/base';
import type { Config } from '@form-relay/relay/config';
import {
  closeServer,
  createNodeServer,
  parseInWorker,
  type Relay,
  type RelayOptions,
  secretReader,
} from '@form-relay/relay/serve';
import type { Metrics } from '@form-relay/relay/telling/metrics';
import { threadProgram } from './beside.ts';
import { configPath } from './config_path.ts';
import { endProcess } from './end_process.ts';
import { cannotListen, clickable, printStarted, shownAddress } from './listening.ts';
import { makeRelay, settingsOf } from './make_relay.ts';
import { metricsAsked } from './metrics_asked.ts';
import type { BesideRelay } from './serve_inbox.ts';
import { serveMetrics } from './serve_metrics.ts';
import { cannotListenOnHanded, handedSocket, tellReady } from './systemd.ts';
import { count } from './terminal.ts';

/** How long requests under way may take after SIGTERM or SIGINT. */
const shutdownMs = 25_000;
/** When the process ends after SIGTERM or SIGINT, whatever is still under way. */
const lastResortMs = shutdownMs + 500;

/** Answers HTTP until SIGTERM or SIGINT: in this process, or in several that it starts (WORKERS). */
export async function serve(configOption: string | undefined): Promise<void> {
  // Before all that takes time: the kernel gives process 1 of a container no signal that it does not handle.
  const stopped = stopSignal();
  const processes = await processesAsked();
  if (processes > 1) {
    return (await import('./serve_workers.ts')).serveWithWorkers(configOption, processes, stopped);
  }
  const metrics = await metricsAsked();
  const relay = relayToServe(configOption, { metrics });
  reloadOnHangup(relay);
  await serveRelay(relay, metrics, {
    stopped: stopped.then(() => undefined),
    handed: () => handedSocket(process.env, process.pid),
    measure: () => (metrics ? serveMetrics(relay.settings, metrics.snapshot) : Promise.resolve(undefined)),
    inbox: async (config) => {
      const { openBesideRelay } = await import('./serve_inbox.ts');
      return openBesideRelay(relay, config, configOption);
    },
    listens: (lines) => {
      printStarted(lines);
      tellReady(process.env, relay.effects.log);
    },
  });
}

/** The process that serves. */
interface Served {
  /** Resolves when it is to end; with how long connections that rest are still read, in milliseconds. */
  readonly stopped: Promise<number | undefined>;
  /** The socket that somebody opened for it. */
  readonly handed: () => { readonly fd: number } | undefined;
  /** Begins to answer `/metrics`, where it does. */
  readonly measure?: () => ReturnType<typeof serveMetrics>;
  /** Serves the inbox of a config that has one, on an address of its own. Never rejects. */
  readonly inbox?: (config: Config) => Promise<BesideRelay>;
  readonly listens: (lines: string) => void;
  /** Is called if the config did not load. Throws a `CommandFailed` if the process should not listen. */
  readonly unloaded?: () => Promise<void>;
  /** Before it ends. */
  readonly ends?: () => void;
}

/** Loads the config, listens, and serves until it is stopped. Throws a `CommandFailed` when it cannot listen. */
export async function serveRelay(
  relay: Relay,
  metrics: Metrics | undefined,
  { stopped, handed, measure, inbox, listens, unloaded, ends }: Served,
): Promise<void> {
  const server = createNodeServer(relay.handle, {
    log: relay.effects.log,
    limits: relay.settings,
    level: metrics?.level,
  });
  const starting = start(relay, server, { handed, measure, inbox, unloaded }).catch((error) => {
    // The config's line comes first, or all would seem well in the end.
    void relay.flush();
    // Retries of kept deliveries have begun, and would keep the process alive. The message and the exit code come first.
    setImmediate(async () => {
      setTimeout(endProcess, lastResortMs);
      await relay.close();
      await endProcess();
    });
    throw error;
  });
  const started = await Promise.race([starting, stopped.then(() => undefined)]);
  const end = () => {
    ends?.();
    // As far as somebody reads it.
    void relay.flush();
    return endProcess();
  };
  if (started === undefined) return end();
  listens(started.lines);

  const restMs = await stopped;
  setTimeout(end, lastResortMs);
  relay.stopTrying();
  await closeServer(server, shutdownMs, restMs);
  await relay.close();
  await started.measured?.close();
  await started.inbox?.close();
  // A cluster's channel keeps the process alive, so it does not end by itself.
  await end();
}

/** The relay that the command line, then the environment names. */
export const relayToServe = (configOption: string | undefined, more: RelayOptions): Relay =>
  makeRelay({
    // The option wins over the environment's sources; RELAY_CONFIG and `webform.yaml` come last.
    configFile: configOption,
    fallbackConfigFile: configPath(undefined),
    readSecrets: secretReader(more.env ?? process.env),
    effects: { pruneArchive },
    parseLarge: parseInWorker(threadProgram('parse_worker')),
    ...more,
  });

const pruneArchive: PruneArchive = async (asked) =>
  (await import('@form-relay/stored/archive/prune_daily')).pruneDaily(asked);

async function start(
  { settings, config }: Relay,
  server: Server,
  served: Pick<Served, 'handed' | 'measure' | 'inbox' | 'unloaded'>,
) {
  const { host, port } = settings;
  const handed = served.handed();
  const loaded = await config.get();
  if (!loaded) await served.unloaded?.();
  const measured = await served.measure?.();
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      reject(handed ? cannotListenOnHanded(error) : cannotListen(error, host, port, 'HOST or PORT'));
    });
    if (handed) server.listen(handed, resolve);
    else server.listen(port, host, resolve);
  });
  const forms = loaded
    ? count(loaded.forms.size, 'form')
    : 'it did not load, so every form answers 500 until it does';
  const used = (server.address() as AddressInfo).port;
  const where = handed ? 'the socket that systemd opened' : shownAddress(host, used);
  const line = `Form Relay listens on ${where} with ${config.sourceName} (${forms})\n`;
  const [form] = loaded?.forms.keys() ?? [];
  // For people alone: programs that read this line expect no other. npm sets the variable for `npm start`.
  const isForPeople =
    (process.stdout.isTTY || process.env.npm_lifecycle_event === 'start') && form && !handed;
  const page = isForPeople ? `Open ${clickable(host, used, `/api/v1/form/${form}?as=page`)}\n` : '';
  const inbox = loaded?.inbox && (await served.inbox?.(loaded));
  const inboxLine = loaded?.inbox ? (inbox?.line ?? inboxOfWorkers) : '';
  return { lines: line + (measured?.line ?? '') + inboxLine + page, measured, inbox };
}

/** Each would serve one of its own. */
const inboxOfWorkers = 'The inbox needs a process of its own with WORKERS: relay inbox --listen\n';

/** How many processes serve. Most relays are one, and load nothing for more. */
async function processesAsked(): Promise<number> {
  if (!process.env.WORKERS || process.env.WORKERS === '1') return 1;
  // A malformed setting is reported later, with all others.
  const { workers } = settingsOf(process.env);
  if (workers !== 'auto') return workers;
  return (await import('@form-relay/relay/runtimes/workers/auto_workers')).autoWorkers();
}

/** Resolves at the first SIGTERM or SIGINT. After it, SIGTERM changes nothing, and SIGINT ends the process at once. */
const stopSignal = () =>
  new Promise<undefined>((resolve) => {
    const stop = () => {
      process.off('SIGINT', stop);
      resolve(undefined);
    };
    process.on('SIGTERM', stop).on('SIGINT', stop);
  });

/** Has the config loaded again at once (`systemctl reload`). Who closes a terminal still ends what runs in it. */
function reloadOnHangup({ config }: Relay): void {
  if (process.stdin.isTTY) return;
  process.on('SIGHUP', () => config.reload());
}
