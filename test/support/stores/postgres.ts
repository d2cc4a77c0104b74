import { execFileSync } from 'node:child_process';
// @ts-expect-error The file has no types, which plug-ins need not have.
import postgresPlugin from '../../../examples/plugins/postgres.mjs';
import { sharedKit } from '../../../packages/plugin-host/src/kit.ts';
import { openLeases } from '../../../packages/stores/src/open_store.ts';
import type { Store } from '../../../packages/stores/src/store.ts';
import { hasPostgres, startPostgres } from '../postgres.ts';
import type { Subject } from './place.ts';

/** The store in examples/plugins, as a relay opens it. The database's clock cannot be advanced. */
export const postgres: Subject = {
  isHere: hasPostgres,
  create: async () => {
    const server = await startPostgres();
    const [type] = postgresPlugin(sharedKit()).stores ?? [];
    const psql = (sql: string) => void execFileSync('psql', [`${server.url}?user=relay`, '-qc', sql]);
    const users = new Map<Store, string>();
    let opened = 0;
    let aheadMs = 0;
    const now = () => Date.now() + aheadMs;
    return {
      now,
      pass: async (ms) => {
        aheadMs += ms;
      },
      // Each process has its own user.
      open: async () => {
        opened += 1;
        const user = `relay${opened}`;
        psql(`create role ${user} superuser login`);
        const env = (name: string) => (name === 'PGUSER' ? user : undefined);
        const context = { now, env, binding: () => undefined, aws: () => Promise.reject() };
        const store = await openLeases({ name: `${server.url}/kept`, type }, context);
        users.set(store, user);
        return store;
      },
      // The process can no longer reach the server, so it renews nothing.
      crash: async (store) => {
        psql(`alter role ${users.get(store)} nologin`);
        psql(`select pg_terminate_backend(pid) from pg_stat_activity where usename = '${users.get(store)}'`);
      },
      fail: async () => {
        await server.kill();
        return server.start;
      },
      damage: async () => psql(`update kept.entries set entry = 'no entry'`),
      remove: server.close,
    };
  },
};
