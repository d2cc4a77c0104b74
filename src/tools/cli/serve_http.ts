import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Metrics } from '../../metrics/index.ts';
import type { Relay } from '../../relay.ts';
import { closeServer } from '../../runtimes/node/close_server.ts';
import { createNodeServer } from '../../runtimes/node/server.ts';
import { parseInWorker } from '../../runtimes/parse_in_worker.ts';
import { endProcess } from './end_process.ts';
import { cannotListen, shownAddress } from './listening.ts';
import { configPath } from './load_config.ts';
import { makeRelay } from './make_relay.ts';
import { serveMetrics } from './serve_metrics.ts';
import { cannotListenOnHanded, handedSocket, tellReady } from './systemd.ts';
import { count } from './terminal.ts';

/** How long requests under way may take after SIGTERM or SIGINT. */
const shutdownMs = 25_000;
/** When the process ends after SIGTERM or SIGINT, whatever is still under way (D61). */
const lastResortMs = shutdownMs + 500;

/** Answers HTTP until SIGTERM or SIGINT. */
export async function serve(configOption: string | undefined): Promise<void> {
  // Before all that takes time: the kernel gives process 1 of a container no signal that it does not handle (D51).
  const stopped = stopSignal();
  const metrics = process.env.METRICS_PORT
    ? (await import('../../metrics/index.ts')).createMetrics()
    : undefined;
  const relay = makeRelay({
    // It wins; without it the environment's sources do, and RELAY_CONFIG or `webform.yaml` come last.
    configFile: configOption,
    fallbackConfigFile: configPath(undefined),
    parseLarge: parseInWorker(new URL('./parse_worker.cjs', import.meta.url)),
    metrics,
  });
  const server = createNodeServer(relay.handle, {
    log: relay.effects.log,
    limits: relay.settings,
    level: metrics?.level,
  });

  reloadOnHangup(relay);
  const starting = start(relay, server, metrics).catch((error) => {
    // The config's line comes first, or all would seem well in the end.
    relay.flush();
    throw error;
  });
  const started = await Promise.race([starting, stopped]);
  const end = () => {
    // As far as somebody reads it.
    relay.flush();
    return endProcess();
  };
  if (started === undefined) return end();
  // Nobody may be able to have the line, as when the disk is full: forms are served all the same (D60).
  process.stdout.removeAllListeners('error').on('error', () => {});
  process.stdout.write(started.lines);
  tellReady(process.env, relay.effects.log);

  await stopped;
  setTimeout(end, lastResortMs);
  relay.stopTrying();
  await closeServer(server, shutdownMs);
  await relay.close();
  await started.measured?.close();
  // Not when nothing keeps the process any more: a cluster's channel to its primary always does.
  await end();
}

/** Loads the config and listens. Resolves with the lines that say so; throws a `CommandFailed` when it cannot listen. */
async function start({ settings, config }: Relay, server: Server, metrics: Metrics | undefined) {
  const { host, port } = settings;
  const handed = handedSocket(process.env, process.pid);
  const loaded = await config.get();
  const measured = metrics && (await serveMetrics(settings, metrics.snapshot));
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
  const where = handed
    ? 'the socket that systemd opened'
    : shownAddress(host, (server.address() as AddressInfo).port);
  const line = `Form Relay listens on ${where} with ${config.sourceName} (${forms})\n`;
  return { lines: line + (measured?.line ?? ''), measured };
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
