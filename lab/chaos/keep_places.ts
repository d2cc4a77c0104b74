/** Stores for queued deliveries, and their faults. */
import { mkdirSync, rmSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
// @ts-expect-error The file has no types, which plug-ins need not have.
import redisPlugin from '../../examples/plugins/redis.mjs';
import { sharedKit } from '../../packages/plugin-host/src/kit.ts';
import { folder } from '../../packages/stores/src/folder/index.ts';
import { sqs } from '../../packages/stores/src/sqs/index.ts';
import type { StorePlace } from '../../packages/stores/src/store.ts';
import { tempFolder } from '../../scripts/machine.ts';
import { account } from '../../test/support/aws/signature.ts';
import { startSqs } from '../../test/support/aws/sqs.ts';
import {
  hasNats,
  limited,
  type NatsServer,
  startNats,
  startWire,
  type Wire,
} from '../../test/support/nats.ts';
import { hasRedis, type RedisServer, startRedis } from '../../test/support/redis.ts';
import { natsKeep, openNatsStore } from '../../test/support/stores/nats.ts';
import { makeQueues } from '../../test/support/stores/sqs.ts';

export interface ChaosPlace {
  readonly in: StorePlace;
  /** The environment that relays need to use it. */
  readonly env: Readonly<Record<string, string>>;
  /** Each fault lasts this many milliseconds, and has ended when it resolves. */
  readonly troubles: Readonly<Record<string, (ms: number) => Promise<void>>>;
  remove(): Promise<void>;
}

export const placeNames = ['folder', 'sqs', 'nats', 'redis'] as const;
export type PlaceName = (typeof placeNames)[number];

export const isHere = (name: PlaceName): boolean =>
  name === 'nats' ? hasNats : name !== 'redis' || hasRedis;

/** @param now The run's clock, which is advanced. */
export const openPlace = (name: PlaceName, now: () => number): Promise<ChaosPlace> => places[name](now);

/** Faults of a dedicated server behind a proxy. */
const brokenServer = (server: RedisServer | NatsServer, wire: Wire): ChaosPlace['troubles'] => ({
  'the server was killed': async (ms) => {
    await server.kill();
    await sleep(ms);
    await server.start();
  },
  'the cable was pulled': async (ms) => {
    wire.stop();
    await sleep(ms);
    wire.cut();
    wire.mend();
  },
});

const places: Readonly<Record<PlaceName, (now: () => number) => Promise<ChaosPlace>>> = {
  folder: async () => {
    const root = tempFolder('keep');
    const path = join(root, 'kept');
    mkdirSync(path, { mode: 0o700 });
    return {
      in: { name: path, type: folder },
      env: {},
      troubles: {
        'the folder was gone': async (ms) => {
          await rename(path, `${path}.gone`);
          await sleep(ms);
          // The rename fails if a relay has recreated the folder.
          await rename(`${path}.gone`, path);
        },
        'somebody left files there': () => writeFile(join(path, `notes-${Date.now()}.txt`), 'not a delivery'),
      },
      remove: async () => rmSync(root, { recursive: true }),
    };
  },
  sqs: async (now) => {
    const queue = await startSqs(now);
    makeQueues(queue);
    const name = 'sqs://sqs.eu-central-1.amazonaws.com/123456789012/kept';
    return {
      in: { name, type: sqs },
      env: { ...account, AWS_ENDPOINT_URL_SQS: queue.origin },
      troubles: {
        'nobody listened': async (ms) => {
          const open = await queue.stop();
          await sleep(ms);
          await open();
        },
        'one of three requests was refused': async (ms) => {
          let calls = 0;
          queue.refuse = () => {
            calls += 1;
            return calls % 3 === 0 ? { status: 503, code: 'ServiceUnavailable' } : undefined;
          };
          await sleep(ms);
          queue.refuse = undefined;
        },
      },
      remove: () => queue.close(),
    };
  },
  nats: async () => {
    const server = await startNats(limited(64_000_000));
    const setter = await openNatsStore(server.port);
    await setter.setUp?.();
    await setter.close();
    const wire = await startWire(server.port);
    return {
      in: natsKeep(wire.port).in,
      env: {},
      troubles: {
        ...brokenServer(server, wire),
        'nobody listened': async (ms) => {
          wire.cut();
          await sleep(ms);
          wire.mend();
        },
        'the stream was full': async (ms) => {
          // A separate connection, because a shared one may be lost when a server is killed.
          const nc = await connect({ servers: `127.0.0.1:${server.port}`, maxReconnectAttempts: -1 });
          const owner = await jetstreamManager(nc);
          const fill = async (bytes: number): Promise<void> => {
            await owner.jetstream().publish('kept.filler', Buffer.alloc(bytes));
            return fill(bytes);
          };
          for (const bytes of [500_000, 5_000, 50]) await fill(bytes).catch(() => {});
          await sleep(ms);
          await owner.streams.purge('kept', { filter: 'kept.filler' });
          await nc.close();
        },
      },
      remove: async () => {
        await wire.close();
        await server.close();
      },
    };
  },
  // A plug-in's store, as an outside author would write it.
  redis: async () => {
    const server = await startRedis();
    const wire = await startWire(server.port);
    const [type] = redisPlugin(sharedKit()).stores ?? [];
    return {
      in: { name: `redis://127.0.0.1:${wire.port}/kept`, type },
      env: { RELAY_PLUGINS: fileURLToPath(new URL('../../examples/plugins/redis.mjs', import.meta.url)) },
      troubles: {
        ...brokenServer(server, wire),
      },
      remove: async () => {
        await wire.close();
        await server.close();
      },
    };
  },
};
