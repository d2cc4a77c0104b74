/** The promises of `Store` (packages/stores/src/store.ts), which every place where deliveries wait must keep. */
import { readdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Lease, Listed, Queued, Store } from '../../packages/stores/src/store.ts';
import { ClientError } from '../support/failed.ts';
import { folder } from '../support/stores/folder.ts';
import { memory } from '../support/stores/memory.ts';
import { nats } from '../support/stores/nats.ts';
import { keptOf, type Place, type Subject } from '../support/stores/place.ts';
import { redis } from '../support/stores/redis.ts';
import { sqs } from '../support/stores/sqs.ts';

/**
 * Every kind of store. A new one is held to the promises when it stands here; it must. A queue of Cloudflare hands
 * entries only to a Worker: packages/runtimes/test/cloudflare.test.ts holds it to its promises there.
 */
const subjects: Readonly<Record<string, Subject>> = { folder, memory, nats, redis, sqs };

test('every store is held to these promises', () => {
  const stores = readdirSync('packages/stores/src', { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  expect(Object.keys(subjects)).toEqual(
    expect.arrayContaining(stores.filter((name) => !['cloudflare', 'dynamodb'].includes(name))),
  );
});

const patienceMs = 60_000;

const isHere = ([, subject]: readonly [string, Subject]) => subject.isHere ?? true;

const missing = Object.entries(subjects)
  .filter((one) => !isHere(one))
  .map(([name]) => name);
test.skipIf(true).each(missing)('%s: what it needs is not on this machine', () => {});

describe.each(Object.entries(subjects).filter(isHere))('%s', (_, subject) => {
  const { laterMs } = subject;
  let place: Place;
  let store: Store;
  beforeEach(async () => {
    place = await subject.create();
    store = await place.open();
  });
  afterEach(async () => {
    await store.close();
    await place.remove();
  });

  const entry = (more: Partial<Queued> = {}) => keptOf(place.now(), more);
  const entries = (count: number, more: Partial<Queued> = {}) =>
    Array.from({ length: count }, () => entry(more));
  const due = () => place.now();
  const later = () => place.now() + laterMs;
  const keep = (kept: readonly Queued[], dueAt = due()) =>
    store.keep(kept, { isMine: false, dueAt, timeoutMs: patienceMs });
  const keepMine = (kept: readonly Queued[]) =>
    store.keep(kept, { isMine: true, dueAt: due(), timeoutMs: patienceMs });

  /** Asks until there are so many. */
  async function lease(count: number, from = store): Promise<readonly Lease[]> {
    const leases: Lease[] = [];
    const until = Date.now() + patienceMs;
    while (leases.length < count && Date.now() < until)
      leases.push(...(await from.lease(count - leases.length, 1_000)));
    expect(leases).toHaveLength(count);
    return leases;
  }
  const leaseOne = async (from = store) => (await lease(1, from))[0] as Lease;
  /** Two calls in a row lease nothing. */
  async function expectNothingDue(from = store): Promise<void> {
    expect(await from.lease(10, 0)).toEqual([]);
    expect(await from.lease(10, 50)).toEqual([]);
  }
  async function listed(from = store): Promise<Listed[]> {
    const all: Listed[] = [];
    for await (const one of from.list()) all.push(one);
    return all;
  }
  async function take(wanted: (one: Listed) => boolean, settle: (lease: Lease) => Promise<void>) {
    const taken: Listed[] = [];
    for await (const one of store.leaseMatching(wanted)) {
      taken.push(one.listed);
      await settle(one);
    }
    return taken;
  }
  /** Numbers may be counted some seconds ago, where counting is work. */
  const expectCount = (form: string, wanted: Partial<Record<'due' | 'aside' | 'oldestKeptAt', number>>) =>
    expect
      .poll(async () => (await store.count()).forms.get(subject.countsTogether ? '' : form), {
        timeout: patienceMs,
      })
      .toMatchObject(subject.countsTogether ? { due: wanted.due ?? 0 } : wanted);

  describe('a kept entry', () => {
    test('comes as it was, to the byte', async () => {
      const all = Buffer.from(Array.from({ length: 256 }, (_, at) => at));
      const kept = entry({ content: Buffer.concat([all, all]), receivedAt: 1_700_000_000_123, tries: 7 });
      await keep([kept]);
      const leased = await leaseOne();
      expect(asData(leased.kept)).toEqual(asData(kept));
      expect(leased.isDamaged).toBeUndefined();
      await leased.done();
    });

    test('may have times with a fraction', async () => {
      const kept = entry({ keptAt: place.now() - 0.6, receivedAt: place.now() - 20.4 });
      await keep([kept], due() - 0.7);
      const leased = await leaseOne();
      expect(asData(leased.kept)).toEqual(asData(kept));
      expect(leased.isDamaged).toBeUndefined();
      await leased.reschedule(due() + 0.3, leased.kept);
      await place.pass(1_000);
      const again = await leaseOne();
      expect(asData(again.kept)).toEqual(asData(kept));
      await again.done();
    });

    test('may hold nothing, and may never have been tried', async () => {
      const kept = entry({ content: new Uint8Array(), why: undefined, tries: 0 });
      await keep([kept]);
      const leased = await leaseOne();
      expect(asData(leased.kept)).toEqual(asData(kept));
      await leased.done();
    });

    test('may be large', async () => {
      const kept = entry({ content: Buffer.alloc(6_000_000, 'files') });
      await keep([kept]);
      const leased = await leaseOne();
      expect(Buffer.compare(leased.kept.content, kept.content)).toBe(0);
      await leased.reschedule(due(), { ...leased.kept, tries: 2 });
      const again = await leaseOne();
      expect(again.kept.tries).toBe(2);
      expect(Buffer.compare(again.kept.content, kept.content)).toBe(0);
      await again.done();
      expect(await listed()).toEqual([]);
    });

    test.each([
      'a/b',
      '..',
      '.',
      '../../etc',
      'a.b',
      '*',
      '>',
      'a b',
      '日本',
      '%2e%2e',
      '-',
      'Contact',
      '{"a":1}',
      '__proto__',
      'x'.repeat(200),
      'ż'.repeat(200),
      'a\\b',
      'con',
      "o'brien",
      '~',
      '\u2028',
    ])('is told apart by form, whatever that is called: %s', async (form) => {
      const kept = entry({ form });
      const other = entry({ form: 'contact' });
      await keep([kept]);
      await keep([other]);
      await expectCount(form, { due: subject.countsTogether ? 2 : 1, aside: 0 });
      expect((await listed()).map((one) => one.kept.form).toSorted()).toEqual([form, 'contact'].toSorted());
      const leases = await lease(2);
      expect(leases.map((one) => one.kept.form).toSorted()).toEqual([form, 'contact'].toSorted());
      await Promise.all(leases.map((one) => one.done()));
      expect(await listed()).toEqual([]);
    });

    test('is there for whoever opens the place, also after a restart', async () => {
      const kept = [...entries(3), ...entries(2, { form: 'jobs' })];
      await keep(kept);
      await store.close();
      store = await place.open();
      expect(idsOf((await listed()).map((one) => one.kept))).toEqual(idsOf(kept));
      const leases = await lease(5);
      expect(idsOf(leases.map((one) => one.kept))).toEqual(idsOf(kept));
      await Promise.all(leases.map((one) => one.done()));
    });

    test('is there once for each, though a thousand are kept and leased at the same time', async () => {
      const kept = entries(1_000);
      const other = await place.open();
      const got: string[] = [];
      const drain = async (from: Store) => {
        const until = Date.now() + patienceMs;
        while (got.length < kept.length && Date.now() < until) {
          const leases = await from.lease(20, 100);
          await Promise.all(
            leases.map(async (one) => {
              got.push(one.kept.id);
              await one.done();
            }),
          );
        }
      };
      await Promise.all([...kept.map((one) => keep([one])), drain(store), drain(other), drain(other)]);
      expect(got.toSorted()).toEqual(idsOf(kept));
      await expectNothingDue();
      await other.close();
    });
  });

  describe('a claim', () => {
    test('is for what is due, and at most for so many', async () => {
      await keep(entries(3));
      await keep(entries(2), later());
      const two = await store.lease(2, 1_000);
      expect(two.length).toBeLessThanOrEqual(2);
      const rest = await lease(3 - two.length);
      await expectNothingDue();
      await place.pass(laterMs * 1.5);
      const late = await lease(2);
      await Promise.all([...two, ...rest, ...late].map((one) => one.done()));
      expect(await listed()).toEqual([]);
    });

    test('holds no more bytes than its limit, but for one that is larger', async () => {
      await keep(entries(6, { content: Buffer.alloc(100_000) }));
      const sizes: number[] = [];
      while (sizes.reduce((sum, size) => sum + size, 0) < 6) {
        const leases = await store.lease(10, 1_000, sizes.length === 0 ? 50_000 : 250_000);
        expect(leases.length).toBeLessThanOrEqual(sizes.length === 0 ? 1 : 2);
        sizes.push(leases.length);
        await Promise.all(leases.map((one) => one.done()));
      }
      expect(await listed()).toEqual([]);
    }, 120_000);

    test('waits for what may come', async () => {
      const kept = entry();
      const pending = leaseOne();
      await keep([kept]);
      const leased = await pending;
      expect(leased.kept.id).toBe(kept.id);
      await leased.done();
    });

    test('is nobody else’s', async () => {
      const other = await place.open();
      await keep(entries(2));
      const [one] = await store.lease(1, 1_000);
      const [two] = await lease(1, other);
      expect(one?.kept.id).not.toBe(two?.kept.id);
      await expectNothingDue(store);
      await expectNothingDue(other);
      await one?.done();
      await two?.done();
      await other.close();
    });

    test('that ended is forgotten', async () => {
      await keep(entries(3));
      const [first, ...others] = await lease(3);
      await first?.done();
      await Promise.all(others.map((one) => one.reschedule(due(), one.kept)));
      const again = await lease(2);
      expect(idsOf(again.map((one) => one.kept))).toEqual(idsOf(others.map((one) => one.kept)));
      await Promise.all(again.map((one) => one.done()));
      expect(await listed()).toEqual([]);
      await expectNothingDue();
    });

    test('that is put off is due at its time, with what is known by then', async () => {
      const kept = entry();
      await keep([kept]);
      const first = await leaseOne();
      const why = { code: 'http_status', words: 'answered 503' };
      await first.reschedule(later(), { ...first.kept, tries: 2, why });
      await expectNothingDue();
      await place.pass(laterMs * 1.5);
      const again = await leaseOne();
      expect(asData(again.kept)).toEqual(asData({ ...kept, tries: 2, why }));
      await again.reschedule(due(), { ...again.kept, tries: 3, why });
      const third = await leaseOne();
      expect(asData(third.kept)).toEqual(asData({ ...kept, tries: 3, why }));
      await third.done();
    });

    test.each(['refused', 'expired', 'unreadable'] as const)(
      'that becomes a dead letter (%s) waits for its owner',
      async (aside) => {
        const kept = entry();
        await keep([kept]);
        const first = await leaseOne();
        const why = { code: 'http_status', words: 'answered 404' };
        await first.setAside(aside, { ...first.kept, tries: 2, why });
        await place.pass(laterMs * 1.5);
        await expectNothingDue();
        expect(await listed()).toMatchObject([{ kept: { id: kept.id, tries: 2, why }, aside }]);
        await expectCount('contact', { due: 0, aside: 1 });
        const taken = await take(
          () => true,
          (one) => one.reschedule(due(), one.kept),
        );
        expect(taken).toMatchObject([{ kept: { id: kept.id }, aside }]);
        const again = await leaseOne();
        expect(asData(again.kept)).toEqual(asData({ ...kept, tries: 2, why }));
        await again.done();
        expect(await listed()).toEqual([]);
      },
    );

    test('comes back when the store is closed', async () => {
      await keep(entries(3));
      const leases = await lease(2);
      await leases[0]?.done();
      await store.close();
      store = await place.open();
      const again = await lease(2);
      expect(again.map((one) => one.kept.id)).not.toContain(leases[0]?.kept.id);
      await Promise.all(again.map((one) => one.done()));
      await expectNothingDue();
    });
  });

  describe('an entry kept to be delivered at once', () => {
    test('is its keeper’s, in the order kept; or due at once for everybody', async () => {
      const other = await place.open();
      const kept = entries(3);
      const mine = await keepMine(kept);
      if (mine.length > 0) {
        expect(mine.map((one) => asData(one.kept))).toEqual(kept.map(asData));
        await expectNothingDue();
        await expectNothingDue(other);
      }
      const leases = mine.length > 0 ? mine : await lease(3, other);
      await leases[0]?.done();
      await leases[1]?.reschedule(due(), { ...(leases[1] as Lease).kept, tries: 2 });
      await leases[2]?.setAside('refused', { ...(leases[2] as Lease).kept, tries: 2 });
      const again = await lease(1, other);
      expect(again[0]?.kept).toMatchObject({ id: leases[1]?.kept.id, tries: 2 });
      await again[0]?.done();
      expect(await listed()).toMatchObject([{ kept: { id: leases[2]?.kept.id }, aside: 'refused' }]);
      await other.close();
    });

    test('is kept with what others keep at the same time, and settled on its own', async () => {
      const kept = entries(60);
      const leases = (await Promise.all(kept.map((one) => keepMine([one])))).flat();
      if (leases.length === 0) leases.push(...(await lease(60)));
      expect(idsOf(leases.map((one) => one.kept))).toEqual(idsOf(kept));
      await Promise.all(
        leases.map((one, at) =>
          at % 3 === 0 ? one.reschedule(due(), { ...one.kept, tries: 2 }) : one.done(),
        ),
      );
      const left = await lease(20);
      expect(idsOf(left.map((one) => one.kept))).toEqual(
        idsOf(leases.filter((_, at) => at % 3 === 0).map((one) => one.kept)),
      );
      expect(left.every((one) => one.kept.tries === 2)).toBe(true);
      await Promise.all(left.map((one) => one.done()));
      await store.close();
      store = await place.open();
      expect(await listed()).toEqual([]);
      await expectNothingDue();
    });
  });

  describe('the owner', () => {
    test('sees what waits, and nothing of it changes', async () => {
      const kept = [...entries(2), ...entries(1, { form: 'jobs', content: Buffer.from('another') })];
      await keep(kept);
      const seen = await listed();
      expect(idsOf(seen.map((one) => one.kept))).toEqual(idsOf(kept));
      for (const { kept: one, aside } of seen) {
        expect(asData(one)).toEqual(asData(kept.find(({ id }) => id === one.id) as Queued));
        expect(aside).toBeUndefined();
      }
      expect(await listed()).toHaveLength(3);
      const leases = await lease(3);
      await Promise.all(leases.map((one) => one.done()));
    });

    test('sees how many wait, and since when', async () => {
      const old = entry({ keptAt: place.now() - 86_400_000 });
      await keep([...entries(2), old, ...entries(1, { form: 'jobs' })]);
      await expectCount('contact', {
        due: subject.countsTogether ? 4 : 3,
        aside: 0,
        ...(!subject.countsTogether && { oldestKeptAt: old.keptAt }),
      });
      if (!subject.countsTogether) await expectCount('jobs', { due: 1, aside: 0 });
    });

    test('takes what is wanted, and leaves the rest as it is', async () => {
      const [wanted, other] = [entry({ form: 'jobs' }), entry()];
      await keep([wanted, other]);
      const taken = await take(
        (one) => one.kept.form === 'jobs',
        (one) => one.done(),
      );
      expect(taken.map((one) => one.kept.id)).toEqual([wanted.id]);
      expect((await listed()).map((one) => one.kept.id)).toEqual([other.id]);
      const leased = await leaseOne();
      expect(asData(leased.kept)).toEqual(asData(other));
      await leased.done();
    });

    test.skipIf(subject.hidesWaiting)(
      'takes it before its time, and what is left keeps its time',
      async () => {
        const [wanted, other] = [entry(), entry()];
        await keep([wanted], later());
        await keep([other], later());
        expect(await listed()).toHaveLength(2);
        const taken = await take(
          ({ kept }) => kept.id === wanted.id,
          (one) => one.reschedule(due(), one.kept),
        );
        expect(taken).toHaveLength(1);
        const leased = await leaseOne();
        expect(leased.kept.id).toBe(wanted.id);
        await expectNothingDue();
        await leased.done();
        await place.pass(laterMs * 1.5);
        const late = await leaseOne();
        expect(late.kept.id).toBe(other.id);
        await late.done();
      },
    );

    test('gets nothing that a relay has claimed', async () => {
      const other = await place.open();
      // Keeps them one by one: entries kept together may be leased together.
      await keep(entries(1));
      await keep(entries(1));
      const held = await leaseOne(other);
      const taken = await take(
        () => true,
        (one) => one.done(),
      );
      expect(taken.map((one) => one.kept.id)).not.toContain(held.kept.id);
      expect(taken).toHaveLength(1);
      await held.reschedule(due(), held.kept);
      const again = await leaseOne(other);
      expect(again.kept.id).toBe(held.kept.id);
      await again.done();
      await other.close();
    });

    test('goes on while what it gave is still being settled', async () => {
      const all = [...entries(20), ...entries(20)];
      await keep(all.slice(0, 20), later());
      await keep(all.slice(20), later());
      const settling: Promise<void>[] = [];
      for await (const one of store.leaseMatching(() => true))
        settling.push(one.setAside('refused', one.kept));
      await Promise.all(settling);
      expect((await listed()).map((one) => one.aside)).toEqual(settling.map(() => 'refused'));
      if (!subject.hidesWaiting) expect(idsOf((await listed()).map((one) => one.kept))).toEqual(idsOf(all));
    });

    test('may stop in the middle', async () => {
      const kept = entries(5);
      await keep(kept);
      let first: string | undefined;
      for await (const one of store.leaseMatching(() => true)) {
        first = one.kept.id;
        await one.done();
        break;
      }
      for await (const _ of store.list()) break;
      const rest = await lease(4);
      expect(idsOf(rest.map((one) => one.kept))).toEqual(idsOf(kept.filter(({ id }) => id !== first)));
      await Promise.all(rest.map((one) => one.done()));
    });

    test('has it looked at', async () => {
      expect(await store.look(patienceMs)).not.toEqual([]);
      expect(await listed()).toEqual([]);
    });
  });

  test('a single one is first, of all that share it', async () => {
    if (!store.isFirst) return;
    const other = await place.open();
    const key = 'began contact 2026-01-02 / .. * >';
    const answers = await Promise.all([store, other, store, other].map((one) => one.isFirst?.(key)));
    expect(answers.filter(Boolean)).toHaveLength(1);
    expect(await other.isFirst?.(`${key}!`)).toBe(true);
    expect(await store.isFirst(`${key}!`)).toBe(false);
    await other.close();
  });

  test('a process that dies takes nothing with it', async () => {
    if (!place.crash) return;
    const dying = await place.open();
    const kept = entries(6);
    await keep(kept.slice(0, 3));
    await lease(3, dying);
    const mine = await dying.keep(kept.slice(3), { isMine: true, dueAt: due(), timeoutMs: patienceMs });
    await mine[0]?.done();
    await place.crash(dying);
    const left = mine.length > 0 ? kept.filter((_, at) => at !== 3) : kept;
    const again = await lease(left.length);
    expect(idsOf(again.map((one) => one.kept))).toEqual(idsOf(left));
    await Promise.all(again.map((one) => one.done()));
    await expectNothingDue();
    expect(await listed()).toEqual([]);
  });

  test('a place that is away is reported, and entries are there when it is back', async () => {
    if (!place.fail) return;
    const kept = entries(3);
    for (const one of kept) await keep([one]);
    const held = await leaseOne();
    const back = await place.fail();
    const startedAt = performance.now();
    const lost = store.keep(entries(1), { isMine: false, dueAt: due(), timeoutMs: 2_000 });
    await expect(lost).rejects.toBeInstanceOf(ClientError);
    expect(performance.now() - startedAt).toBeLessThan(15_000);
    await expect(store.lease(1, 0)).rejects.toBeInstanceOf(ClientError);
    const reschedule = () => held.reschedule(due(), { ...held.kept, tries: 2 });
    await expect(reschedule()).rejects.toBeInstanceOf(ClientError);
    await back();
    // The lease's holder tries again, unless another has it by now.
    const settled = () =>
      reschedule().then(
        () => true,
        (error) => error instanceof ClientError && error.code === 'claim_lost',
      );
    await expect.poll(settled, { timeout: patienceMs }).toBe(true);
    // An unacknowledged entry may be there or not.
    const more = entry();
    await expect
      .poll(
        () =>
          keep([more]).then(
            () => true,
            () => false,
          ),
        { timeout: patienceMs },
      )
      .toBe(true);
    const missing = new Set([...kept, more].map(({ id }) => id));
    const until = Date.now() + patienceMs;
    while (missing.size > 0 && Date.now() < until) {
      for (const one of await store.lease(10, 500)) {
        missing.delete(one.kept.id);
        await one.done();
      }
    }
    expect([...missing]).toEqual([]);
  });

  test('a damaged entry is reported, and does not pass for whole', async () => {
    if (!place.damage) return;
    const kept = entry();
    await keep([kept]);
    await place.damage();
    const leased = await leaseOne();
    expect(leased.isDamaged === true || Buffer.compare(leased.kept.content, kept.content) !== 0).toBe(true);
    await leased.setAside('unreadable', leased.kept);
    expect(await listed()).toMatchObject([{ aside: 'unreadable' }]);
    await expectNothingDue();
    // The damaged entry does not stop those after it.
    const whole = entry();
    await keep([whole]);
    const next = await leaseOne();
    expect(next.kept.id).toBe(whole.id);
    await next.done();
  });
});

const idsOf = (kept: readonly Queued[]) => kept.map(({ id }) => id).toSorted();

/** Bytes compare by what they are, however a store holds them. */
const asData = (kept: Queued) => ({ ...kept, content: Buffer.from(kept.content).toString('base64') });
