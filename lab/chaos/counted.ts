/** Relays that count in a store, while they are killed and the store fails: shared by the runs for places and for keys. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { tempFolder } from '../../scripts/machine.ts';
import { hasNats, startNats } from '../../test/support/nats.ts';
import { between, chance } from './chance.ts';
import { type SinkAnswer, startSink } from './listener.ts';
import { type RunOptions, repeat } from './loop.ts';
import { type FleetOptions, faultsOf, relayCommand, startFleet } from './relays.ts';

export type CountIn = 'folder' | 'nats';
export const countIn: readonly CountIn[] = hasNats ? ['folder', 'nats'] : ['folder'];

export interface CountedOptions extends RunOptions, FleetOptions {
  readonly in: CountIn;
  /** A relay is killed after about this many answers. */
  readonly killAfter: number;
}

/** @param forms Maps the sink's URL to the config's `forms`. */
export async function openCounted(
  options: CountedOptions,
  more: Readonly<Record<string, string>>,
  forms: (output: string) => string,
  sink: SinkAnswer,
) {
  const { seed } = options;
  const folder = tempFolder('counted');
  const store = await stores[options.in](folder);
  const server = await startSink(sink);
  const { port } = server;
  const url = `http://127.0.0.1:${port}/`;
  const output = `{type: http_post, url: "${url}", mapping: "*", retries: 0, timeout: 5s}`;
  const config = join(folder, 'webform.yaml');
  writeFileSync(config, `counted_in: ${store.name}\nforms:\n${forms(output)}`);
  const env = { ...store.env, ...more, RELAY_CONFIG: config };
  const relay = (...words: readonly string[]) => relayCommand(['--config', config, ...words], env);
  if (options.in === 'nats') await relay('kept', 'setup', '--in', store.name);
  const fleet = await startFleet(options, env);
  let troubles = 0;
  const troubling = repeat(
    (count) => between(2_000, 6_000, chance(seed, 7, count)),
    () => {
      troubles += 1;
      return store.trouble();
    },
  );
  return {
    ...{ ask: fleet.ask, send: fleet.send, relay, port },
    /** Stops all faults. */
    calm: async () => {
      await troubling.end();
      const { SIGKILL } = await fleet.calm();
      return { kills: { SIGKILL }, troubles };
    },
    /** Stops everything, and reports errors of relays. */
    end: async (): Promise<readonly string[]> => {
      const lives = await fleet.end();
      await store.close();
      await server.close();
      rmSync(folder, { recursive: true });
      return faultsOf(lives);
    },
  };
}

interface Store {
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  /** Causes a short fault. */
  readonly trouble: () => Promise<void>;
  readonly close: () => Promise<void>;
}

const stores: Readonly<Record<CountIn, (folder: string) => Promise<Store>>> = {
  folder: async (folder) => ({ name: folder, env: {}, trouble: async () => {}, close: async () => {} }),
  nats: async () => {
    const server = await startNats();
    return {
      name: `nats://127.0.0.1:${server.port}/relay`,
      env: {},
      trouble: async () => {
        await server.kill();
        await sleep(100);
        await server.start();
      },
      close: server.close,
    };
  },
};
