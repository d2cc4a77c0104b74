import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { stackOf } from '@form-relay/base/client_error';
import { count } from '@form-relay/base/terminal';
import { formSegments } from '@form-relay/base/url';
import { configPath } from '@form-relay/core/command';
import { closeServer } from '@form-relay/runtimes/node/closing';
import { createNodeServer } from '@form-relay/runtimes/node/server';
import type { Relay } from '@form-relay/runtimes/running_relay';
import type { Metrics } from '@form-relay/telemetry/metrics/index';
import {
  cannotListen,
  checkReusePort,
  clickable,
  endProcess,
  printStarted,
  requestedMetrics,
  serveMetrics,
  shownAddress,
} from './listening.ts';
import { makeRelay } from './own_setup.ts';
import { cannotListenOnHanded, handedSocket, tellReady } from './systemd.ts';

/** How long requests under way may take after SIGTERM or SIGINT. */
const shutdownMs = 25_000;
/** When the process ends after SIGTERM or SIGINT, whatever is still under way. */
const lastResortMs = shutdownMs + 500;

/** Answers HTTP until SIGTERM or SIGINT. Throws a `CommandFailed` when it cannot listen. */
export async function serve(configOption: string | undefined, untilStdinEnds = false): Promise<void> {
  // Before all that takes time: the kernel gives process 1 of a container no signal that it does not handle.
  const stopped = stopSignal(untilStdinEnds);
  const metrics = await requestedMetrics();
  const relay = relayToServe(configOption, metrics);
  reloadOnHangup(relay);
  surviveMistakes(relay);
  const server = createNodeServer(relay.handle, {
    log: relay.services.log,
    limits: relay.settings,
    level: metrics?.level,
  });
  const starting = start(relay, server, metrics).catch((error) => {
    // The config's line comes first, or all would seem well in the end.
    relay.flush();
    // Retries of kept deliveries have begun, and would keep the process alive. The message and the exit code come first.
    setImmediate(async () => {
      setTimeout(endProcess, lastResortMs);
      await relay.close();
      await endProcess();
    });
    throw error;
  });
  const started = await Promise.race([starting, stopped]);
  const end = () => {
    // As far as somebody reads it.
    relay.flush();
    return endProcess();
  };
  if (started === undefined) return end();
  printStarted(started.lines);
  tellReady(process.env, relay.services.log);

  await stopped;
  setTimeout(end, lastResortMs);
  relay.stopWork();
  await closeServer(server, shutdownMs);
  await relay.close();
  await started.measured?.close();
  await started.inbox?.close();
  // A cluster's channel keeps the process alive, so it does not end by itself.
  await end();
}

/** The relay that the command line, then the environment names. */
function relayToServe(configOption: string | undefined, metrics: Metrics | undefined): Relay {
  const relay = makeRelay({
    // The option wins over the environment's sources; RELAY_CONFIG and `webform.yaml` come last.
    configFile: configOption,
    fallbackConfigFile: configPath(undefined, process.env),
    plugins: metrics ? [metrics.plugin] : [],
  });
  return metrics ? metrics.measure(relay) : relay;
}

/** Loads the config, and listens. */
async function start(relay: Relay, server: Server, metrics: Metrics | undefined) {
  const { settings, config } = relay;
  const { host, port, reusePort } = settings;
  const handed = handedSocket(process.env, process.pid);
  if (reusePort) checkReusePort(process.versions.node);
  const loaded = await config.get();
  const measured = metrics && (await serveMetrics(settings, metrics.text));
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      reject(handed ? cannotListenOnHanded(error) : cannotListen(error, host, port, 'HOST or PORT'));
    });
    server.listen(handed ?? { host, port, reusePort }, resolve);
  });
  const forms = loaded
    ? count(loaded.forms.size, 'form')
    : 'the config does not load, so every form answers 500';
  const used = (server.address() as AddressInfo).port;
  const where = handed ? 'the socket that systemd opened' : shownAddress(host, used);
  const line = `Form Relay listens on ${where} with ${config.sourceName} (${forms})\n`;
  const [form] = loaded?.forms.keys() ?? [];
  // Only for people: programs that read this line expect no other. npm sets the variable for `npm start`.
  const isForPeople =
    (process.stdout.isTTY || process.env.npm_lifecycle_event === 'start') && form && !handed;
  const page = isForPeople ? `Open ${clickable(host, used, `/f/${formSegments(form)}`)}\n` : '';
  const inbox =
    loaded?.shared.get('inbox') &&
    (await (await import('./commands/inbox.ts')).openInboxServer(relay, loaded));
  return { lines: line + (measured?.line ?? '') + (inbox?.line ?? '') + page, measured, inbox };
}

/** Resolves at the first SIGTERM or SIGINT. After it, SIGTERM changes nothing, and SIGINT ends the process at once. */
const stopSignal = (untilStdinEnds: boolean) =>
  new Promise<undefined>((resolve) => {
    const stop = () => {
      process.off('SIGINT', stop);
      resolve(undefined);
    };
    process.on('SIGTERM', stop).on('SIGINT', stop);
    if (untilStdinEnds) process.stdin.once('close', stop).resume();
  });

/** A promise or a timer that a plug-in forgot costs its own work, and not the requests of others. */
function surviveMistakes({ services }: Relay): void {
  for (const event of ['unhandledRejection', 'uncaughtException'])
    process.on(event, (error) => services.log('error', 'internal_error', { stack: stackOf(error) }));
}

/** Has the config loaded again at once (`systemctl reload`). Closing a terminal still ends what runs in it. */
function reloadOnHangup({ config }: Relay): void {
  if (process.stdin.isTTY) return;
  process.on('SIGHUP', () => config.reload());
}
