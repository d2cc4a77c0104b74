import { CommandFailed } from './command_failed.ts';

/** Something to click on; with the address that is listened on, where that is another. */
export function shownAddress(host: string, port: number, path = ''): string {
  if (host === '0.0.0.0' || host === '::') return `http://localhost:${port}${path} (all addresses)`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}${path}`;
}

/** @param variables Where another address is named, in words. */
export function cannotListen(error: unknown, host: string, port: number, variables: string): CommandFailed {
  const { code } = error as NodeJS.ErrnoException;
  const reason = code === 'EADDRINUSE' ? 'something else listens there' : code;
  return new CommandFailed(`cannot listen on ${host}:${port} (${reason}); name another with ${variables}`);
}

/** Nobody may be able to have the line, as when the disk is full: forms are served all the same (D60). */
export function printStarted(lines: string): void {
  process.stdout.removeAllListeners('error').on('error', () => {});
  process.stdout.write(lines);
}
