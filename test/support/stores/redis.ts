import { createClient } from '@redis/client';
// @ts-expect-error The file has no types, which plug-ins need not have.
import redisPlugin from '../../../examples/plugins/redis.mjs';
import { sharedKit } from '../../../packages/plugin-host/src/kit.ts';
import { openLeases } from '../../../packages/stores/src/open_store.ts';
import { encodeAs } from '../../../packages/testing/src/store_tools.ts';
import { hasRedis, startRedis } from '../redis.ts';
import type { Subject } from './place.ts';

/** The store in examples/plugins, as a relay opens it. */
export const redis: Subject = {
  laterMs: 60_000,
  isHere: hasRedis,
  create: async () => {
    const server = await startRedis();
    const name = `redis://127.0.0.1:${server.port}/kept`;
    const [type] = redisPlugin(sharedKit()).stores ?? [];
    let aheadMs = 0;
    const now = () => Date.now() + aheadMs;
    const context = { now, env: () => undefined, binding: () => undefined, aws: () => Promise.reject() };
    return {
      now,
      pass: async (ms) => {
        aheadMs += ms;
      },
      open: () => openLeases({ name, type }, context),
      keepAs: async (kept, format) => {
        const store = await openLeases({ name, type }, { ...context, encode: encodeAs(format) });
        await store.leases.keep([kept], { isMine: false, dueAt: now(), timeoutMs: 10_000 });
        await store.close();
      },
      crash: async () => {},
      fail: async () => {
        await server.kill();
        return server.start;
      },
      damage: async () => {
        const client = await createClient({ url: `redis://127.0.0.1:${server.port}` }).connect();
        const [id = ''] = await client.hKeys('kept:entry');
        await client.hSet('kept:entry', id, 'no entry');
        await client.close();
      },
      remove: server.close,
    };
  },
};
