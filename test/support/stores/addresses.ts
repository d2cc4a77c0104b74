import { hasNats, startNats } from '../nats.ts';
import { tempFolder } from '../temp_folder.ts';
import { openNatsStore } from './nats.ts';

/** A NATS server for one test, with its stream set up. */
export async function natsAddress() {
  const server = await startNats();
  onTestFinished(server.close);
  const store = await openNatsStore(server.port, {}, { stream: 'relay' });
  await store.setUp?.();
  await store.close();
  return { server, address: `nats://127.0.0.1:${server.port}/relay` };
}

/** Creates an empty store, and returns its address for a config: in a folder and, if installed, in NATS. */
export const addresses: readonly (readonly [where: string, make: () => Promise<string>])[] = [
  ['a folder', async () => tempFolder()],
  ...(hasNats ? [['NATS', async () => (await natsAddress()).address] as const] : []),
];
