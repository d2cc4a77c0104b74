/** The protocol between systemd and a service, by environment variables and a socket: sd_listen_fds(3) and sd_notify(3). */
import { execFile } from 'node:child_process';
import { CommandFailed } from '@form-relay/core/command';
import type { Log } from '@form-relay/core/services';
import type { Environment } from '@form-relay/core/settings';

/** File descriptors that are handed over begin behind stdin, stdout and stderr. */
const firstHanded = 3;

/**
 * The listening socket that systemd opened for this process, `undefined` where it opened none. Connections that were made
 * before the process listens wait in it. Throws a `CommandFailed` when there are several: the relay answers on one.
 */
export function handedSocket(env: Environment, pid: number): { readonly fd: number } | undefined {
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

/** The error for a socket that cannot listen. */
export const cannotListenOnHanded = ({ code }: NodeJS.ErrnoException): CommandFailed =>
  new CommandFailed(
    `cannot listen on the socket that systemd passes (${code}); it must be a listening stream socket`,
  );

/**
 * Says to a service manager that waits for it that connections are answered now. By `systemd-notify`, since Node cannot
 * write to a Unix socket of datagrams; the unit has to allow it with `NotifyAccess=all`.
 */
export function tellReady(env: Environment, log: Log): void {
  const { NOTIFY_SOCKET, PATH } = env;
  if (!NOTIFY_SOCKET) return;
  // None of the relay's secrets are in its environment.
  execFile('systemd-notify', ['--ready'], { env: { NOTIFY_SOCKET, PATH } }, (error) => {
    if (error)
      log('warn', 'readiness_untold', { reason: `systemd-notify failed (${error.code ?? error.signal})` });
  });
}
