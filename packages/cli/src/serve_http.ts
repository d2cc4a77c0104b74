import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { stackOf } from '@form-relay/base/client_error';
import { count, quoted } from '@form-relay/base/terminal';
import { formSegments } from '@form-relay/base/url';
import { CommandFailed, configPath } from '@form-relay/core/command';
import type { Log } from '@form-relay/core/services';
import type { Environment } from '@form-relay/core/settings';
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

/** How long requests in progress may take after SIGTERM or SIGINT. */
const shutdownMs = 25_000;
/** When the process ends after SIGTERM or SIGINT, whatever is still in progress. */
const lastResortMs = shutdownMs + 500;

/** Serves HTTP until SIGTERM or SIGINT. Throws a `CommandFailed` if it cannot listen. */
export async function serve(configOption: string | undefined, untilStdinEnds = false): Promise<void> {
  // Installed before anything that takes time: process 1 of a container gets no signal that it does not handle.
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
    // Writes the line about the config first; as the last line, it would make the start look successful.
    relay.flush();
    // Retries of queued deliveries have started and would keep the process alive, so it is ended here, after
    // the message and the exit code.
    setImmediate(async () => {
      setTimeout(endProcess, lastResortMs);
      await relay.close();
      await endProcess();
    });
    throw error;
  });
  const started = await Promise.race([starting, stopped]);
  const end = () => {
    // Flushes as much of the log as the reader takes.
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
  // A cluster's channel would keep the process alive.
  await end();
}

/** The relay whose config the command line names, or else the environment. */
function relayToServe(configOption: string | undefined, metrics: Metrics | undefined): Relay {
  const relay = makeRelay({
    // --config overrides the environment's sources. RELAY_CONFIG and `webform.yaml` are the fallback.
    configFile: configOption,
    fallbackConfigFile: configPath(undefined, process.env),
    plugins: metrics ? [metrics.plugin] : [],
  });
  return metrics ? metrics.measure(relay) : relay;
}

/** Loads the config, then listens. */
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
    : `the config does not load, so requests to forms are answered with 500${adviceAbout(config.sourceName)}`;
  const used = (server.address() as AddressInfo).port;
  const where = handed ? 'the socket that systemd opened' : shownAddress(host, used);
  const line = `Form Relay listens on ${where} with ${config.sourceName} (${forms})\n`;
  const [form] = loaded?.forms.keys() ?? [];
  // Printed only for people, because programs that read stdout expect no other line. npm sets this variable for `npm start`.
  const isForPeople =
    (process.stdout.isTTY || process.env.npm_lifecycle_event === 'start') && form && !handed;
  const page = isForPeople ? `Open ${clickable(host, used, `/f/${formSegments(form)}`)}\n` : '';
  const inbox =
    loaded?.shared.get('inbox') &&
    (await (await import('./commands/inbox.ts')).openInboxServer(relay, loaded));
  return { lines: line + (measured?.line ?? '') + (inbox?.line ?? '') + page, measured, inbox };
}

function adviceAbout(source: string): string {
  if (source === 'CONFIG_INLINE' || source.startsWith('s3://') || process.env.CONFIG_DIR) return '';
  try {
    statSync(source);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      return `; create it with relay init ${quoted(source)}`;
  }
  return '';
}

/** Resolves at the first SIGTERM or SIGINT. After that, SIGTERM has no effect, and SIGINT ends the process at once. */
const stopSignal = (untilStdinEnds: boolean) =>
  new Promise<undefined>((resolve) => {
    const stop = () => {
      process.off('SIGINT', stop);
      resolve(undefined);
    };
    process.on('SIGTERM', stop).on('SIGINT', stop);
    if (untilStdinEnds) process.stdin.once('close', stop).resume();
  });

/** A rejected promise or a failing timer in a plug-in must not affect other requests. */
function surviveMistakes({ services }: Relay): void {
  for (const event of ['unhandledRejection', 'uncaughtException'])
    process.on(event, (error) => services.log('error', 'internal_error', { stack: stackOf(error) }));
}

/** Reloads the config at once on SIGHUP (`systemctl reload`). Closing a terminal still ends a relay that runs in it. */
function reloadOnHangup({ config }: Relay): void {
  if (process.stdin.isTTY) return;
  process.on('SIGHUP', () => config.reload());
}

/** File descriptors that systemd passes start after stdin, stdout and stderr. */
const firstHanded = 3;

/**
 * The listening socket that systemd opened for this process, or `undefined`. Connections that were made
 * before the process listens wait there. See sd_listen_fds(3). Throws a `CommandFailed` if there are several,
 * because the relay answers on one.
 */
function handedSocket(env: Environment, pid: number): { readonly fd: number } | undefined {
  // Child processes inherit the variables, but not the sockets.
  if (env.LISTEN_PID !== String(pid)) return undefined;
  const count = Number(env.LISTEN_FDS ?? 0);
  if (count > 1) {
    throw new CommandFailed(
      `systemd passes ${count} sockets, but the relay needs exactly one; leave one ListenStream in the socket unit`,
    );
  }
  return count === 1 ? { fd: firstHanded } : undefined;
}

/** The error for a file descriptor that cannot listen. */
const cannotListenOnHanded = ({ code }: NodeJS.ErrnoException): CommandFailed =>
  new CommandFailed(
    `cannot listen on the socket that systemd passes (${code}); it must be a listening stream socket`,
  );

/**
 * Tells a waiting service manager that the relay now accepts connections. Uses `systemd-notify` (sd_notify(3)), because
 * Node cannot write to Unix datagram sockets; the unit must allow it with `NotifyAccess=all`.
 */
function tellReady(env: Environment, log: Log): void {
  const { NOTIFY_SOCKET, PATH } = env;
  if (!NOTIFY_SOCKET) return;
  // The environment of this process contains none of the relay's secrets.
  execFile('systemd-notify', ['--ready'], { env: { NOTIFY_SOCKET, PATH } }, (error) => {
    if (error)
      log('warn', 'readiness_untold', { reason: `systemd-notify failed (${error.code ?? error.signal})` });
  });
}
