import type { AddressInfo, Server } from 'node:net';
import { CommandFailed } from './command_failed.ts';

/** How many ports are tried when nobody asked for one. */
const tries = 20;

/** Listens on a port of 127.0.0.1, or on the next free one unless --port or PORT names it, and resolves with the port. */
export async function listenNear(server: Server, asked: number | undefined, usual: number): Promise<number> {
  const wanted = asked ?? usual;
  const mayBeAnother = asked === undefined && !process.env.PORT;
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
      const reason = isTaken ? 'something else listens there' : code;
      throw new CommandFailed(`cannot use port ${wanted} (${reason}); name another with --port or PORT`);
    }
  }
}
