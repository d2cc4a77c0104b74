/** Relays that count in a store, while they are killed and the store fails: what the runs of places and of keys share. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasNats, startNats } from '../../test/support/nats.ts';
import { between, chance } from './chance.ts';
import { type SinkAnswer, startSink } from './listener.ts';
import { repeat } from './loop.ts';
import { Copy, faultsOf, relayCommand, restartAll } from './relays.ts';

export type CountIn = 'folder' | 'nats';
export const countIn: readonly CountIn[] = hasNats ? ['folder', 'nats'] : ['folder'];

export interface CountedOptions {
  readonly in: CountIn;
  readonly relays: number;
  readonly connections: number;
  /** A relay is killed after about as many answers. */
  readonly killAfter: number;
  readonly seed: number;
}

/** @param forms From the sink's output to what stands below `forms` in the config. */
export async function openCounted(
  options: CountedOptions,
  more: Readonly<Record<string, string>>,
  forms: (output: string) => string,
  sink: SinkAnswer,
) {
  const { seed } = options;
  const folder = mkdtempSync(join(tmpdir(), 'relay-counted-'));
  const store = await stores[options.in](folder);
  const server = await startSink(sink);
  const { port } = server;
  const url = `http://127.0.0.1:${port}/`;
  const output = `{type: http_post, url: "${url}", mapping: "*", retries: 0, timeout: 5s}`;
  const config = join(folder, 'webform.yaml');
  writeFileSync(config, `counted_in: ${store.name}\nforms:\n${forms(output)}`);
  const env = { ...store.env, ...more, RELAY_CONFIG: config };
  const relay = (...words: readonly string[]) => relayCommand(['--config', config, ...words], env);
  if (options.in === 'nats') await relay('keep', 'setup', '--in', store.name);
  const copies = await Copy.startAll(options.relays, env);
  const killing = restartAll(copies, options);
  let troubles = 0;
  const troubling = repeat(
    (count) => between(2_000, 6_000, chance(seed, 7, count)),
    () => {
      troubles += 1;
      return store.trouble();
    },
  );
  return {
    ...{ copies, relay, port },
    /** Nothing fails any more. */
    calm: async () => {
      await troubling.end();
      const { SIGKILL } = await killing.end();
      return { kills: { SIGKILL }, troubles };
    },
    /** Ends all of it, and says what went wrong with relays. */
    end: async (): Promise<readonly string[]> => {
      const lives = await Copy.endAll(copies);
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
  /** Something goes wrong with it for a moment. */
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
