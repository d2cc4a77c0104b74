import assert from 'node:assert/strict';
import { type MakePlugin, sharedKit } from '@form-relay/plugin-host/kit';
import { openPluginStore } from '@form-relay/stores/open_store';
import type { Lease, Listed, Queued, Store } from '@form-relay/stores/store';
import type { Check, Tested } from './check.ts';

export interface StoreContract extends Tested {
  /** The address of the store in the plug-in. */
  readonly plugin: MakePlugin;
  /** A new and empty place, each time. */
  readonly address: () => string;
}

/** A place where stores of one kind keep. */
export interface StorePlace {
  /** The clock of its stores, in milliseconds since the epoch. */
  readonly now: () => number;
  /** Moves the clock on, or waits. */
  pass(ms: number): Promise<void>;
  /** As one more process does. */
  open(): Promise<Store>;
  remove(): Promise<void>;
}

/** The promises of every store (`Store`). */
export function storeContract({ plugin, address, env = {} }: StoreContract): readonly Check[] {
  const { name, stores: [type] = [] } = plugin(sharedKit(), {});
  const create = async (): Promise<StorePlace> => {
    const place = { kind: 'plugin', name: address(), ...(type && { type }) } as const;
    const problem = type?.problem?.(place.name);
    assert.equal(problem, undefined);
    let aheadMs = 0;
    const now = () => Date.now() + aheadMs;
    const aws = () => Promise.reject(new Error('there is no AWS in this test'));
    return {
      now,
      pass: async (ms) => {
        aheadMs += ms;
      },
      open: () => openPluginStore(place, { now, env: (name) => env[name], aws, binding: () => undefined }),
      remove: async () => undefined,
    };
  };
  return [...storeChecks(name, create), check(name, create, 'ends a lease once', endsOnce)];
}

/** A store may leave a lease with a process that lives, or give it to another, which then is the only one with it. */
const endsOnce: Work = async ({ entry, keep, leaseSome, left }, store, place) => {
  await keep([entry()]);
  const [first] = await leaseSome(1);
  const other = await place.open();
  await place.pass(dayMs);
  for (const from of [other, store])
    for (const again of await from.lease(1, 500)) {
      await assert.rejects(async () => first?.done(), { code: 'claim_lost' });
      await again.reschedule(place.now(), again.kept);
    }
  assert.equal((await left()).length, 1);
};

const dayMs = 86_400_000;

let number = 0;

/** @param create Makes an empty place, once for each check. @param laterMs How much later is later: more than it rounds times to. */
export function storeChecks(
  name: string,
  create: () => Promise<StorePlace>,
  laterMs = 60_000,
): readonly Check[] {
  const promise = (text: string, work: Work) => check(name, create, text, work);
  return [
    promise('returns an entry as it was, to the byte', async ({ entry, keep, leaseSome, left }) => {
      const bytes = Buffer.from(Array.from({ length: 512 }, (_, at) => at % 256));
      const kept = entry({ content: bytes, tries: 7, form: "日本 {'a':1}" });
      await keep([kept]);
      const [lease] = await leaseSome(1);
      assert.deepEqual(plain(lease?.kept), plain(kept));
      await lease?.done();
      assert.equal((await left()).length, 0);
    }),
    promise('takes a large entry', async ({ entry, keep, leaseSome }) => {
      const kept = entry({ content: Buffer.alloc(6_000_000, 'file') });
      await keep([kept]);
      const [lease] = await leaseSome(1);
      assert.equal(Buffer.compare(lease?.kept.content ?? Buffer.of(), kept.content), 0);
      await lease?.done();
    }),
    promise(
      'hands out what is due, and nothing else',
      async ({ entry, keep, leaseSome, nothing }, _, place) => {
        await keep([entry()]);
        await keep([entry()], place.now() + laterMs);
        await (await leaseSome(1))[0]?.done();
        await nothing();
        await place.pass(1.5 * laterMs);
        await (await leaseSome(1))[0]?.done();
      },
    ),
    promise('gives each entry to one relay alone', async ({ entry, keep, nothing }, store, place) => {
      const other = await place.open();
      await keep(Array.from({ length: 200 }, () => entry()));
      const seen: string[] = [];
      const drain = async (from: Store) => {
        for (const until = Date.now() + 60_000; seen.length < 200 && Date.now() < until; )
          for (const lease of await from.lease(10, 100)) {
            seen.push(lease.kept.id);
            await lease.done();
          }
      };
      await Promise.all([drain(store), drain(other), drain(other)]);
      assert.equal(new Set(seen).size, 200);
      assert.equal(seen.length, 200);
      await nothing();
    }),
    promise('minds the limit of bytes', async ({ entry, keep, left }, store) => {
      await keep(Array.from({ length: 4 }, () => entry({ content: Buffer.alloc(100_000) })));
      const leases = await store.lease(10, 1_000, 250_000);
      assert.ok(leases.length <= 2, `${leases.length} of 100 KB in 250 KB`);
      for (const lease of leases) await lease.done();
      assert.equal((await left()).length, 4 - leases.length);
    }),
    promise(
      'reschedules with what is known by then',
      async ({ entry, keep, leaseSome, nothing }, _, place) => {
        await keep([entry()]);
        const [lease] = await leaseSome(1);
        const why = { code: 'http_status', words: 'the server answered 503' };
        await lease?.reschedule(place.now() + laterMs, { ...lease.kept, tries: 2, why });
        await nothing();
        await place.pass(1.5 * laterMs);
        const [again] = await leaseSome(1);
        assert.deepEqual([again?.kept.tries, again?.kept.why], [2, why]);
        await again?.done();
      },
    ),
    promise('sets aside for the owner, who takes it back', async (tools, store, place) => {
      const { entry, keep, leaseSome, nothing, left } = tools;
      await keep([entry()]);
      const [lease] = await leaseSome(1);
      await lease?.setAside('refused', { ...lease.kept, tries: 3 });
      await place.pass(1.5 * laterMs);
      await nothing();
      assert.deepEqual(
        (await left()).map(({ aside, kept }) => [aside, kept.tries]),
        [['refused', 3]],
      );
      for await (const one of store.leaseMatching(() => true)) await one.reschedule(place.now(), one.kept);
      await (await leaseSome(1))[0]?.done();
    }),
    promise('leaves what is listed as it is', async ({ entry, keep, leaseSome, left, nothing }, _, place) => {
      await keep([entry(), entry({ form: 'jobs' })], place.now() + laterMs);
      assert.equal((await left()).length, 2);
      await nothing();
      await place.pass(1.5 * laterMs);
      for (const lease of await leaseSome(2)) await lease.done();
    }),
    promise('gives its owner nothing that a relay has', async ({ entry, keep, leaseSome }, store, place) => {
      await keep([entry()]);
      const other = await place.open();
      const [lease] = await leaseSome(1, other);
      for await (const _ of store.leaseMatching(() => true)) assert.fail('it was leased');
      await lease?.done();
    }),
    promise('counts by form', async ({ entry, keep, leaseSome }, store) => {
      await keep([entry(), entry(), entry({ form: 'jobs' })]);
      const leases = await leaseSome(3);
      for (const lease of leases)
        await (lease.kept.form === 'jobs'
          ? lease.setAside('expired', lease.kept)
          : lease.reschedule(0, lease.kept));
      const { forms } = await store.count();
      assert.deepEqual([forms.get('contact')?.due, forms.get('jobs')?.aside], [2, 1]);
    }),
    promise('has what was leased by a store that closed', async ({ entry, keep, leaseSome }, _, place) => {
      const other = await place.open();
      await keep([entry(), entry()]);
      const [one] = await leaseSome(2, other);
      await one?.done();
      await other.close();
      await (await leaseSome(1))[0]?.done();
    }),
    promise('says whether it works', async (_, store) => {
      assert.notEqual((await store.look(10_000)).length, 0);
    }),
  ];
}

type Work = (tools: ReturnType<typeof toolsFor>, store: Store, place: StorePlace) => Promise<void>;

const check = (name: string, create: () => Promise<StorePlace>, promise: string, work: Work): Check => ({
  name: `${name} ${promise}`,
  run: async () => {
    const place = await create();
    const opened: Store[] = [];
    const open = async () => {
      const store = await place.open();
      opened.push(store);
      return store;
    };
    try {
      const store = await open();
      await work(toolsFor(store, place), store, { ...place, open });
    } finally {
      // Open stores keep a process from its end, also after a broken promise.
      await Promise.allSettled(opened.map((store) => store.close()));
      await place.remove();
    }
  },
});

const toolsFor = (store: Store, place: StorePlace) => ({
  entry: (more: Partial<Queued> = {}): Queued => {
    number += 1;
    return {
      id: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}-0`,
      form: 'contact',
      output: { place: 0, of: 2, type: 'http_post', fingerprint: '0123456789abcdef' },
      receivedAt: place.now() - 20,
      keptAt: place.now(),
      tries: 1,
      why: { code: 'connection_refused', words: 'nobody listens there' },
      content: Buffer.from(`content ${number}`),
      ...more,
    };
  },
  keep: (entries: readonly Queued[], dueAt = place.now()) =>
    store.keep(entries, { isMine: false, dueAt, timeoutMs: 30_000 }),
  /** Asks until there are so many. */
  leaseSome: async (count: number, from = store): Promise<readonly Lease[]> => {
    const leases: Lease[] = [];
    for (const until = Date.now() + 60_000; leases.length < count && Date.now() < until; )
      leases.push(...(await from.lease(count - leases.length, 500)));
    assert.equal(leases.length, count);
    return leases;
  },
  nothing: async () => assert.deepEqual(await store.lease(10, 50), []),
  left: async (): Promise<readonly Listed[]> => {
    const all: Listed[] = [];
    for await (const one of store.list()) all.push(one);
    return all;
  },
});

/** Bytes compare by what they are, however a store holds them. */
const plain = (kept: Queued | undefined) =>
  kept && { ...kept, content: Buffer.from(kept.content).toString('base64') };
