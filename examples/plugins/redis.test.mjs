/** Needs its own server: `redis-server --port 6390 --appendonly yes`, with its address in REDIS_URL. */
import { test } from 'node:test';
import { storeContract } from 'form-relay/testing';

const { REDIS_URL } = process.env;
const promises = storeContract({
  module: new URL('./redis.mjs', import.meta.url),
  address: () => `${REDIS_URL}/${crypto.randomUUID()}`,
});
for (const { name, run } of promises) test(name, { skip: !REDIS_URL }, run);
