import { hasNats, startNats } from '../nats.ts';
import { tempFolder } from '../temp_folder.ts';
import { openNatsStore } from './nats.ts';

/** A server of NATS for one test, whose stream is set up. */
export async function natsAddress() {
  const server = await startNats();
  onTestFinished(server.close);
  const store = await openNatsStore(server.port, {}, { stream: 'relay' });
  await store.setUp?.();
  await store.close();
  return { server, address: `nats://127.0.0.1:${server.port}/relay` };
}

/** Makes an empty store, and gives its address in a config: in a folder and, where it is installed, in NATS. */
export const addresses: readonly (readonly [where: string, make: () => Promise<string>])[] = [
  ['a folder', async () => tempFolder()],
  ...(hasNats ? [['NATS', async () => (await natsAddress()).address] as const] : []),
];
