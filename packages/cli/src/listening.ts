import { CommandFailed } from './command_failed.ts';

const isAll = (host: string) => host === '0.0.0.0' || host === '::';

/** Something to click on. */
export function clickable(host: string, port: number, path = ''): string {
  const name = isAll(host) ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}${path}`;
}

/** The same, with the address that is listened on, where that is another. */
export const shownAddress = (host: string, port: number, path = ''): string =>
  clickable(host, port, path) + (isAll(host) ? ' (all addresses)' : '');

/** Resolves at the first SIGTERM or SIGINT; the next one ends the process. */
export const stopSignal = (): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
  });

/** @param variables Where another address is named, in words. */
export function cannotListen(error: unknown, host: string, port: number, variables: string): CommandFailed {
  const { code } = error as NodeJS.ErrnoException;
  const reason = code === 'EADDRINUSE' ? 'something else listens there' : code;
  return new CommandFailed(`cannot listen on ${host}:${port} (${reason}); name another with ${variables}`);
}

/** The relay serves forms even if this line cannot be written, for example to a full disk. */
export function printStarted(lines: string): void {
  process.stdout.removeAllListeners('error').on('error', () => {});
  process.stdout.write(lines);
}
