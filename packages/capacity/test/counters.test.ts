/** All stores of counts give the same guarantees. */

import { startDynamo } from '../../../test/support/aws/dynamodb.ts';
import { account } from '../../../test/support/aws/signature.ts';
import { tempFolder, untilEnd } from '../../../test/support/index.ts';
import { hasNats } from '../../../test/support/nats.ts';
import { natsAddress } from '../../../test/support/stores/addresses.ts';
import { countsAt } from '../../../test/support/stores/place.ts';
import { ownAws } from '../../clients/src/aws/account.ts';
import { type CountsStub, openObjects } from '../../stores/src/cloudflare/durable_object.ts';
import type { Counts, Store } from '../../stores/src/store.ts';
import { Counter, createMemoryCounts } from '../src/counters/counter.ts';
import { persist } from '../src/counters/registration.ts';
import type { Reservation } from '../src/counters/tally.ts';
import { usedOf } from '../src/counters/tally.ts';

type OpenedCounts = Counts & Pick<Store, 'close'>;

interface Subject {
  /** Opens the store as another process would. */
  readonly open: () => Promise<OpenedCounts>;
  /** Makes requests fail until the returned function is called. */
  readonly fail?: () => Promise<() => Promise<void>>;
}

const world = (env: Readonly<Record<string, string>> = {}) => ({
  env: (name: string) => env[name],
  aws: async () => ownAws((name) => env[name], Date.now),
  now: Date.now,
});

const subjects: Readonly<Record<string, () => Promise<Subject>>> = {
  memory: async () => {
    const store = { ...createMemoryCounts(), close: async () => {} };
    return { open: async () => store };
  },
  folder: async () => {
    const path = tempFolder();
    return { open: () => countsAt(path, world()) };
  },
  dynamodb: async () => {
    const dynamo = await untilEnd(startDynamo());
    const env = { ...account, AWS_ENDPOINT_URL_DYNAMODB: dynamo.origin };
    return {
      open: () => countsAt('dynamodb://places', world(env)),
      fail: async () => {
        dynamo.refuse = () => ({ status: 500, code: 'InternalServerError' });
        return async () => {
          dynamo.refuse = undefined;
        };
      },
    };
  },
  ...(hasNats && {
    nats: async () => {
      const { server, address } = await natsAddress();
      return {
        open: () => countsAt(address, world()),
        fail: async () => {
          await server.kill();
          return () => server.start();
        },
      };
    },
  }),
};

const one = (id: string, limit: number, more: Partial<Reservation> = {}): Reservation => ({
  id,
  claims: [{ key: '', limit }],
  isRemembered: false,
  ...more,
});

describe.each(Object.keys(subjects))('%s', (name) => {
  const open = async () => {
    const subject = await (subjects[name] as () => Promise<Subject>)();
    const counter = async () => {
      const store = await untilEnd(subject.open());
      return new Counter(store, Date.now);
    };
    return { ...subject, counter, store: subject.open };
  };

  test.each([
    ['another program', '', 'counts_damaged'],
    ['a newer relay', 'counts 2\n', 'counts_newer'],
  ])('leaves what %s wrote unchanged, and reports it', async (_, head, code) => {
    const { counter, store: openStore } = await open();
    const store = await untilEnd(openStore());
    const text = `${head}{"taken":{"_":[2,1,""]},"open":[]}`;
    expect(await store.write('places/a', text, await store.read('places/a', 5_000), 5_000)).toBe(true);
    const one = await counter();
    await expect(one.read('places/a')).rejects.toMatchObject({ code });
    await expect(one.correct('places/a', '', 3)).rejects.toMatchObject({ code });
    expect((await store.read('places/a', 5_000)).text).toBe(text);
  });

  test('overwrites only the text that was read, and returns the current one', async () => {
    const { store: openStore } = await open();
    const store = await untilEnd(openStore());
    const write = async (text: string, read = store.read('places/a', 5_000)) =>
      store.write('places/a', text, await read, 5_000);
    const absent = await store.read('places/a', 5_000);
    expect(absent.text).toBeUndefined();
    // A store may need a second attempt for its first write.
    while (!(await write('one'))) expect((await store.read('places/a', 5_000)).text).toBeUndefined();
    const first = store.read('places/a', 5_000);
    expect((await first).text).toBe('one');
    await first;
    expect(await write('two', first)).toBe(true);
    expect(await write('three', first)).toBe(false);
    expect(await write('three', Promise.resolve(absent))).toBe(false);
    expect((await store.read('places/a', 5_000)).text).toBe('two');
    for (let number = 0; number < 20; number += 1) expect(await write(`${number}`)).toBe(true);
    expect(await write('late', first)).toBe(false);
    expect(await write('late', Promise.resolve(absent))).toBe(false);
    expect((await store.read('places/a', 5_000)).text).toBe('19');
    expect((await store.read('places/b', 5_000)).text).toBeUndefined();
  });

  test('removes every trace of a text, so that the next one starts from scratch', async () => {
    const { store: openStore } = await open();
    const store = await untilEnd(openStore());
    const write = async (key: string) => {
      for (let text = 0; text < 5; text += 1) {
        while (!(await store.write(key, `${text}`, await store.read(key, 5_000), 5_000)));
      }
    };
    await store.remove('doctor', 5_000);
    await write('doctor');
    await write('places/a');
    await store.remove('doctor', 5_000);
    expect((await store.read('doctor', 5_000)).text).toBeUndefined();
    await write('doctor');
    expect((await store.read('doctor', 5_000)).text).toBe('4');
    expect((await store.read('places/a', 5_000)).text).toBe('4');
  });

  test('two processes together take every place, and never more', async () => {
    const { counter } = await open();
    const counters = await Promise.all([counter(), counter(), counter()]);
    const visitors = Array.from({ length: 150 }, async (_, index) => {
      const mine = counters[index % 3] as Counter;
      const { full } = await mine.reserve('places/x', one(`id ${index}`, 20));
      if (full.length > 0) return 'full';
      await (index % 5 === 0
        ? mine.release('places/x', `id ${index}`)
        : mine.settle('places/x', `id ${index}`));
      return index % 5 === 0 ? 'released' : 'settled';
    });
    const endings = await Promise.all(visitors);
    const tally = await (await counter()).read('places/x');
    expect(usedOf(tally, '')).toBe(endings.filter((ending) => ending === 'settled').length);
    expect(usedOf(tally, '')).toBeLessThanOrEqual(20);
    expect(tally.open.size).toBe(0);
  });

  test('an id takes a place only once, even after settling if ids are remembered', async () => {
    const { counter } = await open();
    const mine = await counter();
    const remembered = one('a', 2, { isRemembered: true });
    expect((await mine.reserve('places/x', remembered)).full).toEqual([]);
    expect((await mine.reserve('places/x', remembered)).full).toEqual([]);
    await mine.settle('places/x', 'a');
    await mine.settle('places/x', 'a');
    expect((await (await counter()).reserve('places/x', remembered)).full).toEqual([]);
    expect(usedOf(await mine.read('places/x'), '')).toBe(1);
    expect((await mine.reserve('places/x', one('b', 2))).full).toEqual([]);
    expect((await mine.reserve('places/x', one('c', 2))).full).toEqual(['']);
    // A settled reservation cannot be released by mistake.
    expect(await mine.release('places/x', 'a')).toBe(false);
    expect(usedOf(await mine.correct('places/x', '', 0), '')).toBe(1);
  });

  test('a store that is down takes nothing, and continues when it is back', async () => {
    const { counter, fail } = await open();
    if (!fail) return;
    const mine = await counter();
    await mine.reserve('places/x', one('a', 2));
    const mend = await fail();
    await expect(mine.reserve('places/x', one('b', 2))).rejects.toThrow();
    await mend();
    await mine.settle('places/x', 'a');
    await mine.release('places/x', 'b');
    expect((await mine.reserve('places/x', one('c', 2))).full).toEqual([]);
    expect((await mine.reserve('places/x', one('d', 2))).full).toEqual(['']);
  });
});

test('a lost response of DynamoDB counts once', async () => {
  const dynamo = await untilEnd(startDynamo());
  const env = { ...account, AWS_ENDPOINT_URL_DYNAMODB: dynamo.origin };
  const counter = new Counter(await countsAt('dynamodb://places', world(env)), Date.now);
  dynamo.refuse = (action) => (action === 'PutItem' ? 'after' : undefined);
  await expect(counter.reserve('places/x', one('a', 1))).rejects.toThrow();
  dynamo.refuse = undefined;
  expect((await counter.reserve('places/x', one('b', 1))).full).toEqual(['']);
  expect(await counter.release('places/x', 'a')).toBe(true);
  expect((await counter.reserve('places/x', one('b', 1))).full).toEqual([]);
});

test('a Durable Object that fails or does not respond is reported', async () => {
  const found: string[] = [];
  let stub: Partial<CountsStub> = {};
  const namespace = {
    idFromName: (name: string) => name,
    get: (name: string) => {
      found.push(name);
      return stub;
    },
  };
  const store = openObjects('COUNTS', () => namespace).counts as Counts;
  stub = { remove: async () => {} };
  await store.remove('places/x', 5_000);
  stub = { read: () => Promise.reject(new Error('gone')) };
  await expect(store.read('places/x', 5_000)).rejects.toMatchObject({
    code: 'durable_object_failed',
    message: expect.stringContaining('COUNTS'),
    retryAfterMs: 0,
  });
  stub = { read: () => new Promise(() => {}) };
  await expect(store.read('places/x', 5)).rejects.toMatchObject({
    code: 'timed_out',
    message: expect.stringContaining('5 ms'),
  });
  expect(found).toEqual(['count/places/x', 'count/places/x', 'count/places/x']);
});

test('DynamoDB without the table, or without permission, is reported', async () => {
  const dynamo = await untilEnd(startDynamo([]));
  const open = async (env: Readonly<Record<string, string>>) =>
    new Counter(
      await countsAt(
        'dynamodb://places',
        world({ ...account, AWS_ENDPOINT_URL_DYNAMODB: dynamo.origin, ...env }),
      ),
      Date.now,
    );
  await expect((await open({})).read('places/x')).rejects.toThrow('there is no table "places"');
  await expect((await open({ AWS_SECRET_ACCESS_KEY: 'wrong' })).read('places/x')).rejects.toThrow(
    'InvalidSignatureException',
  );
  dynamo.refuse = () => ({ status: 400, code: 'AccessDeniedException' });
  await expect((await open({})).read('places/x')).rejects.toThrow('dynamodb:GetItem');
});

test('a bug while settling places is logged, and not retried', async () => {
  const logged: unknown[] = [];
  const services = { sleep: async () => {}, log: (...line: unknown[]) => void logged.push(line) };
  const bug = () => Promise.reject(new TypeError('a bug'));
  expect(await persist(bug, [1, 1], services)).toBe('internal error');
  expect(logged).toEqual([['error', 'internal_error', { stack: expect.arrayContaining(['TypeError']) }]]);
});
