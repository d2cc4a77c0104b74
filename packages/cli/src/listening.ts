import type { AddressInfo, Server } from 'node:net';
import { CommandFailed } from '@form-relay/core/command';
import type { Settings } from '@form-relay/core/settings';
import type { Metrics, MetricsServer } from '@form-relay/telemetry/metrics/index';

const isAll = (host: string) => host === '0.0.0.0' || host === '::';

/** A URL that the user can click. */
export function clickable(host: string, port: number, path = ''): string {
  const name = isAll(host) ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}${path}`;
}

/** The same URL, followed by the address that the server listens on, if that differs. */
export const shownAddress = (host: string, port: number, path = ''): string =>
  clickable(host, port, path) + (isAll(host) ? ' (all addresses)' : '');

/** Resolves at the first SIGTERM or SIGINT; the next one ends the process. */
export const stopSignal = (): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
  });

/** @param variables The settings that name another address, for the message. */
export function cannotListen(error: unknown, host: string, port: number, variables: string): CommandFailed {
  const { code } = error as NodeJS.ErrnoException;
  const reason = code === 'EADDRINUSE' ? 'another program uses it' : code;
  return new CommandFailed(
    `cannot listen on ${host}:${port} (${reason}); choose another address with ${variables}`,
  );
}

/** The relay must serve forms even if this line cannot be written, for example to a full disk. */
export function printStarted(lines: string): void {
  process.stdout.removeAllListeners('error').on('error', () => {});
  process.stdout.write(lines);
}

/** How many ports are tried if none is given. */
const tries = 20;

/** Listens on a port of 127.0.0.1, or on the next free one unless --port or PORT names it, and resolves with the port. */
export async function listenNear(server: Server, port: number | undefined, usual: number): Promise<number> {
  const wanted = port ?? usual;
  const mayBeAnother = port === undefined && !process.env.PORT;
  for (let port = wanted; ; port += 1) {
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, '127.0.0.1', () => {
          server.off('error', reject);
          resolve();
        });
      });
      return (server.address() as AddressInfo).port;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const isTaken = code === 'EADDRINUSE';
      if (isTaken && mayBeAnother && port < wanted + tries) continue;
      const reason = isTaken ? 'another program uses it' : code;
      throw new CommandFailed(`cannot use port ${wanted} (${reason}); choose another with --port or PORT`);
    }
  }
}

/** How often to check whether Node's threads have finished, and how many times: for half a second. */
const lookMs = 50;
const looks = 10;

/**
 * Ends the process, whatever is in progress. `process.exit` waits for the threads that read files and resolve
 * names, and one may hang forever. In that case SIGTERM ends the process, as it would without a handler.
 * Process 1 of a container ignores SIGTERM, so it aborts.
 */
export async function endProcess(): Promise<never> {
  for (let look = 0; isThreadBusy() && look < looks; look += 1) {
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
  if (!isThreadBusy()) process.exit();
  process.removeAllListeners('SIGTERM');
  process.kill(process.pid, 'SIGTERM');
  process.abort();
}

const isThreadBusy = () =>
  process.getActiveResourcesInfo().some((name) => /^(FSReq|GetAddrInfoReq|GetNameInfoReq)/.test(name));

/** Measures this process if METRICS_PORT is set. Otherwise loads nothing. */
export const requestedMetrics = async (): Promise<Metrics | undefined> =>
  process.env.METRICS_PORT
    ? (await import('@form-relay/telemetry/metrics/index')).createMetrics()
    : undefined;

/** Answers `/metrics` on METRICS_PORT; `undefined` if that is not set. Throws a `CommandFailed` if it cannot listen. */
export async function serveMetrics(
  { metricsHost: host, metricsPort }: Pick<Settings, 'metricsHost' | 'metricsPort'>,
  text: Metrics['text'],
): Promise<
  (Pick<MetricsServer, 'close'> & { /** Describes the address. */ readonly line: string }) | undefined
> {
  if (metricsPort === undefined) return undefined;
  const { serveMetrics: listen } = await import('@form-relay/telemetry/metrics/index');
  const read = async () => text();
  try {
    const { port, close } = await listen({ host, port: metricsPort, read });
    return { close, line: `Metrics are on ${shownAddress(host, port, '/metrics')}\n` };
  } catch (error) {
    throw cannotListen(error, host, metricsPort, 'METRICS_HOST or METRICS_PORT');
  }
}

/** Throws a `CommandFailed` if this Node version cannot share a port, because it would ignore the option. */
export function checkReusePort(node: string): void {
  const [major = 0, minor = 0] = node.split('.').map(Number);
  const isKnown = major === 22 ? minor >= 12 : major === 23 ? minor >= 1 : major > 23;
  if (!isKnown)
    throw new CommandFailed(
      `REUSE_PORT needs Node 22.12, or 23.1 and later, and this is Node ${node}; unset it, and give each copy its own PORT (docs/copies.md)`,
    );
}
