/** Every store keeps the promises in `storeContract`. */
import { readdirSync } from 'node:fs';
import { folder } from '../support/stores/folder.ts';
import { memory } from '../support/stores/memory.ts';
import { nats } from '../support/stores/nats.ts';
import { checksOf, type Subject } from '../support/stores/place.ts';
import { postgres } from '../support/stores/postgres.ts';
import { redis } from '../support/stores/redis.ts';
import { sqs } from '../support/stores/sqs.ts';

/**
 * A Cloudflare queue delivers entries only to a Worker, so packages/runtimes/test/cloudflare.test.ts tests
 * it. Tables and Durable Objects only count: see packages/capacity/test/counters.test.ts.
 */
const subjects: Readonly<Record<string, Subject>> = { folder, memory, nats, postgres, redis, sqs };

test('every store is tested against these promises', () => {
  const stores = readdirSync('packages/stores/src', { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  expect(Object.keys(subjects)).toEqual(
    expect.arrayContaining(stores.filter((name) => !['cloudflare', 'dynamodb'].includes(name))),
  );
});

describe.each(Object.entries(subjects))('%s', (name, subject) => {
  const { isHere = true } = subject;
  for (const { name: promise, run } of checksOf(name, subject))
    test.skipIf(!isHere)(promise, { timeout: 150_000 }, run);
});
