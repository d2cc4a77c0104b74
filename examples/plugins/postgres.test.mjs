/** Needs its own server, such as `postgres://localhost:5432/test` in POSTGRES_URL. Each check uses a separate schema. */
import { test } from 'node:test';
import { storeContract } from 'form-relay/testing';

const { POSTGRES_URL, PGUSER = 'postgres', PGPASSWORD = '' } = process.env;
const promises = storeContract({
  module: new URL('./postgres.mjs', import.meta.url),
  address: () => `${POSTGRES_URL}/${crypto.randomUUID()}`,
  env: { PGUSER, PGPASSWORD },
});
for (const { name, run } of promises) test(name, { skip: !POSTGRES_URL }, run);
