import type { Server } from 'node:net';

/** How many ports are tried when nobody asked for one. */
const tries = 20;

/** Listens on this port of 127.0.0.1 or, if it may be another, on the next free one. Rejects when there is none. */
export async function listenNear(server: Server, wanted: number, mayBeAnother: boolean): Promise<void> {
  for (let port = wanted; ; port += 1) {
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, '127.0.0.1', () => {
          server.off('error', reject);
          resolve();
        });
      });
      return;
    } catch (error) {
      const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
      if (!isTaken || !mayBeAnother || port === wanted + tries) throw error;
    }
  }
}
