/** Checks for every store, whatever it stores its data in. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { ClientError } from '@form-relay/base/client_error';
import { timeLimit } from '@form-relay/stores/open_store';
import type { DeadLetterReason, Lease, Leases, Listed, Queued, Versioned } from '@form-relay/stores/store';
import { type CheckOptions, countMs, increase, Tools, type TriedPlace } from './store_tools.ts';
import type { Check } from './try_relay.ts';

const dayMs = 86_400_000;

/** @param create Creates an empty place. Called once for each check. */
export function storeChecks(
  name: string,
  create: () => Promise<TriedPlace>,
  options: CheckOptions = {},
): readonly Check[] {
  return Object.entries({ ...leaseChecks, ...countChecks }).map(([promise, work]) => ({
    name: `${name} ${promise}`,
    run: async () => {
      const place = await create();
      const tools = new Tools(place, options);
      try {
        await tools.open();
        await work(tools);
      } finally {
        // An open store keeps the process alive, even if a check failed.
        await tools.close();
        await place.remove();
      }
    },
  }));
}

type Work = (tools: Tools) => Promise<void>;

const leaseChecks: Readonly<Record<string, Work>> = {
  'returns an entry as it was, to the byte': async (tools) => {
    const bytes = Buffer.from(Array.from({ length: 512 }, (_, at) => at % 256));
    const kept = [
      tools.entry({ content: bytes, tries: 7 }),
      tools.entry({ content: new Uint8Array(), why: undefined, tries: 0 }),
      tools.entry({ keptAt: tools.now() - 0.6, receivedAt: tools.now() - 20.4 }),
    ];
    await tools.keep(kept);
    const leases = await tools.lease(3);
    assert.deepEqual(leases.map(({ kept }) => plain(kept)).toSorted(byId), kept.map(plain).toSorted(byId));
    assert.ok(leases.every(({ isDamaged }) => !isDamaged));
    await done(leases);
    await tools.nothingIsLeft();
  },
  'takes a large entry': async (tools) => {
    const kept = tools.entry({ content: Buffer.alloc(6_000_000, 'file') });
    await tools.keep([kept]);
    const [first] = await tools.lease(1);
    assert.equal(Buffer.compare(first.kept.content, kept.content), 0);
    await first.reschedule(tools.now(), { ...first.kept, tries: 2 });
    const [again] = await tools.lease(1);
    assert.equal(again.kept.tries, 2);
    assert.equal(Buffer.compare(again.kept.content, kept.content), 0);
    await again.done();
    await tools.nothingIsLeft();
  },
  'separates forms, whatever their names': async (tools) => {
    await tools.keep(forms.map((form) => tools.entry({ form })));
    if (!tools.options.countsTogether) {
      const { forms: counted } = await tools.leases.count();
      assert.deepEqual([...counted.keys()].toSorted(), forms.toSorted());
      assert.ok([...counted.values()].every(({ due, deadLetters }) => due === 1 && deadLetters === 0));
    }
    const leases = await tools.lease(forms.length);
    assert.deepEqual(leases.map(({ kept }) => kept.form).toSorted(), forms.toSorted());
    await done(leases);
    await tools.nothingIsLeft();
  },
  'keeps its entries over a restart': async (tools) => {
    const kept = [tools.entry(), tools.entry(), tools.entry({ form: 'jobs' })];
    await tools.keep(kept);
    await tools.restart();
    assert.deepEqual(idsOf(await tools.listed()), idsOf(kept.map((kept) => ({ kept }))));
    await done(await tools.lease(3));
  },
  'leases each entry to one process, although many keep and lease at once': async (tools) => {
    const kept = Array.from({ length: 300 }, () => tools.entry());
    const other = await tools.another();
    const seen: string[] = [];
    const drain = async (from: Leases) => {
      for (const until = Date.now() + tools.patienceMs; seen.length < kept.length && Date.now() < until; )
        for (const lease of await from.lease(20, 100)) {
          seen.push(lease.kept.id);
          await lease.done();
        }
    };
    await Promise.all([
      ...kept.map((one) => tools.keep([one])),
      drain(tools.leases),
      drain(other),
      drain(other),
    ]);
    assert.deepEqual(seen.toSorted(), kept.map(({ id }) => id).toSorted());
    await tools.nothingIsDue();
  },
  'leases only entries that are due': async (tools) => {
    await tools.keep([tools.entry(), tools.entry(), tools.entry()]);
    await tools.keep([tools.entry(), tools.entry()], tools.later());
    const two = await tools.leases.lease(2, 1_000);
    assert.ok(two.length <= 2, `${two.length} where 2 were asked for`);
    await done([...two, ...(await tools.lease(3 - two.length))]);
    await tools.nothingIsDue();
    await tools.waitForLater();
    await done(await tools.lease(2));
    await tools.nothingIsLeft();
  },
  'obeys the limit of bytes': async (tools) => {
    await tools.keep(Array.from({ length: 4 }, () => tools.entry({ content: Buffer.alloc(100_000) })));
    for (let left = 4; left > 0; ) {
      const leases = await tools.leases.lease(10, 1_000, 250_000);
      assert.ok(leases.length <= 2, `${leases.length} of 100 KB in 250 KB`);
      await done(leases);
      left -= leases.length;
    }
    await tools.keep([tools.entry({ content: Buffer.alloc(100_000) })]);
    await done(await tools.lease(1, undefined, 50_000));
  },
  'waits for the next entry': async (tools) => {
    const asked = tools.lease(1);
    await tools.keep([tools.entry()]);
    await done(await asked);
  },
  'stores the latest state when it reschedules': async (tools) => {
    const kept = tools.entry();
    await tools.keep([kept]);
    const [first] = await tools.lease(1);
    const why = { code: 'http_status', words: 'the server answered 503' };
    await first.reschedule(tools.later(), { ...first.kept, tries: 2, why });
    await tools.nothingIsDue();
    await tools.waitForLater();
    const [again] = await tools.lease(1);
    assert.deepEqual(plain(again.kept), plain({ ...kept, tries: 2, why }));
    await again.done();
    await tools.nothingIsLeft();
  },
  'keeps a dead letter until its owner retries it': async (tools) => {
    for (const reason of ['refused', 'expired', 'unreadable'] satisfies DeadLetterReason[]) {
      await tools.keep([tools.entry()]);
      const [lease] = await tools.lease(1);
      await lease.deadLetter(reason, { ...lease.kept, tries: 3 });
      await tools.waitForLater();
      await tools.nothingIsDue();
      assert.deepEqual(
        (await tools.listed()).map((one) => [one.deadLetter, one.kept.tries]),
        [[reason, 3]],
      );
      for await (const one of tools.leases.leaseMatching(() => true))
        await one.reschedule(tools.now(), one.kept);
      await done(await tools.lease(1));
    }
  },
  'keeps for the process that keeps, or for all at once': async (tools) => {
    const other = await tools.another();
    const kept = [tools.entry(), tools.entry(), tools.entry()];
    const mine = await tools.leases.keep(kept, {
      isMine: true,
      dueAt: tools.now(),
      timeoutMs: tools.patienceMs,
    });
    if (mine.length > 0) {
      assert.deepEqual(
        mine.map((one) => plain(one.kept)),
        kept.map(plain),
      );
      await tools.nothingIsDue(other);
    }
    const [one, two, three] = mine.length > 0 ? mine : await tools.lease(3, other);
    await one?.done();
    await two?.reschedule(tools.now(), { ...two.kept, tries: 2 });
    await three?.deadLetter('refused', three.kept);
    const [again] = await tools.lease(1, other);
    assert.deepEqual([again.kept.id, again.kept.tries], [two?.kept.id, 2]);
    await again.done();
    assert.deepEqual(
      (await tools.listed()).map(({ kept, deadLetter }) => [kept.id, deadLetter]),
      [[three?.kept.id, 'refused']],
    );
  },
  'changes no entry that it lists': async (tools) => {
    const kept = [tools.entry(), tools.entry({ form: 'jobs' })];
    await tools.keep(kept);
    for (let times = 0; times < 2; times += 1) {
      const found = (await tools.listed()).map((one) => ({ ...plain(one.kept), deadLetter: one.deadLetter }));
      const expected = kept.map((one) => ({ ...plain(one), deadLetter: undefined }));
      assert.deepEqual(found.toSorted(byId), expected.toSorted(byId));
    }
    for await (const _ of tools.leases.list()) break;
    await done(await tools.lease(2));
  },
  'leases only the entries that the owner names': async (tools) => {
    const [wanted, other] = [tools.entry({ form: 'jobs' }), tools.entry()];
    const dueAt = tools.options.hidesWaiting ? tools.now() : tools.later();
    await tools.keep([wanted], dueAt);
    await tools.keep([other], dueAt);
    for await (const one of tools.leases.leaseMatching(({ kept }) => kept.form === 'jobs')) {
      assert.equal(one.kept.id, wanted.id);
      await one.reschedule(tools.now(), one.kept);
    }
    if (!tools.options.hidesWaiting) {
      await done(await tools.lease(1));
      await tools.nothingIsDue();
      await tools.waitForLater();
      await done(await tools.lease(1));
    } else await done(await tools.lease(2));
    await tools.nothingIsLeft();
  },
  'continues while the owner still settles leases, and may stop': async (tools) => {
    const kept = Array.from({ length: 20 }, () => tools.entry());
    await tools.keep(kept);
    const settling: Promise<void>[] = [];
    for await (const one of tools.leases.leaseMatching(() => true))
      settling.push(one.deadLetter('refused', one.kept));
    await Promise.all(settling);
    assert.deepEqual(
      (await tools.listed()).map(({ deadLetter }) => deadLetter),
      kept.map(() => 'refused'),
    );
    for await (const one of tools.leases.leaseMatching(() => true)) {
      await one.done();
      break;
    }
    assert.equal((await tools.listed()).length, 19);
  },
  'leases nothing to its owner that a relay holds': async (tools) => {
    const other = await tools.another();
    // The entries are kept one by one, since entries kept together may be leased together.
    await tools.keep([tools.entry()]);
    await tools.keep([tools.entry()]);
    const [held] = await tools.lease(1, other);
    const taken: string[] = [];
    for await (const one of tools.leases.leaseMatching(() => true)) {
      taken.push(one.kept.id);
      await one.done();
    }
    assert.equal(taken.length, 1);
    assert.ok(!taken.includes(held.kept.id), 'the owner got what another process has');
    await held.done();
  },
  'counts due entries and dead letters, with their age': async (tools) => {
    const old = tools.entry({ keptAt: tools.now() - dayMs });
    await tools.keep([tools.entry(), old, tools.entry({ form: 'jobs' })]);
    for (const lease of await tools.lease(3))
      await (lease.kept.form === 'jobs'
        ? lease.deadLetter('expired', lease.kept)
        : lease.reschedule(tools.now(), lease.kept));
    const { forms } = await tools.leases.count();
    if (tools.options.countsTogether)
      assert.deepEqual([forms.get('')?.due, forms.get('')?.deadLetters], [2, 1]);
    else {
      const { due, deadLetters, oldestKeptAt } = forms.get('contact') ?? {};
      assert.deepEqual([due, deadLetters, oldestKeptAt], [2, 0, old.keptAt]);
      assert.deepEqual([forms.get('jobs')?.due, forms.get('jobs')?.deadLetters], [0, 1]);
    }
  },
  'keeps entries that a closed store had leased': async (tools) => {
    await tools.keep([tools.entry(), tools.entry(), tools.entry()]);
    const [one] = await tools.lease(2);
    await one.done();
    await tools.restart();
    await done(await tools.lease(2));
    await tools.nothingIsLeft();
  },
  'releases the leases of a killed process': async (tools) => {
    const kept = [tools.entry(), tools.entry(), tools.entry()];
    await tools.keep(kept);
    const dying = await tools.place.another();
    const ids = await dying.lease(3);
    assert.deepEqual(ids.toSorted(), kept.map(({ id }) => id).toSorted());
    await dying.kill();
    await tools.place.pass(tools.leases.leaseMs + 1_000);
    await done(await tools.lease(3));
    await tools.nothingIsDue();
  },
  'renews the leases of a live process': async (tools) => {
    const { place, leases } = tools;
    if (!place.renews) return;
    await tools.keep([tools.entry()]);
    const [held] = await tools.lease(1);
    await place.pass(0.6 * leases.leaseMs);
    await place.renews();
    await place.pass(0.6 * leases.leaseMs);
    const other = await tools.another();
    assert.equal(
      (await other.lease(1, 500)).length,
      0,
      'another process leased it: `renew` set no later time',
    );
    await held.done();
  },
  'ends a lease once, also when the clock is set': async (tools) => {
    for (const byMs of [dayMs, -dayMs]) {
      await tools.keep([tools.entry()]);
      const [first] = await tools.lease(1);
      const other = await tools.another();
      await (tools.place.set ? tools.place.set(byMs) : tools.place.pass(1_000));
      // A store may leave the lease with a process that is alive, or give it to another one, which is then its only holder.
      let isTaken = false;
      for (const from of [other, tools.leases])
        for (const again of await from.lease(1, 500)) {
          isTaken = true;
          await assert.rejects(async () => first.done(), { code: 'claim_lost' });
          await again.done();
        }
      if (!isTaken) await first.done();
      await tools.nothingIsLeft();
      tools.place.set?.(-byMs);
    }
  },
  'loses nothing when the clock is set back': async (tools) => {
    if (!tools.place.set) return;
    await tools.keep([tools.entry()]);
    tools.place.set(-2 * 3_600_000);
    await tools.leases.lease(0, 50);
    if (!tools.options.hidesWaiting) assert.equal((await tools.listed()).length, 1);
    await tools.place.pass(3 * 3_600_000);
    await done(await tools.lease(1));
  },
  'names one first caller among all processes': async (tools) => {
    const { leases } = tools;
    if (!leases.isFirst) return;
    const other = await tools.another();
    const key = 'began contact 2026-01-02 / .. * >';
    const asked = await Promise.all([leases, other, leases, other].map((one) => one.isFirst?.(key)));
    assert.equal(asked.filter(Boolean).length, 1);
    assert.equal(await other.isFirst?.(`${key}!`), true);
    assert.equal(await leases.isFirst(`${key}!`), false);
  },
  'fails in time while the server is down, and recovers afterwards': async (tools) => {
    const { place, leases } = tools;
    if (!place.fail) return;
    const kept = [tools.entry(), tools.entry(), tools.entry()];
    for (const one of kept) await tools.keep([one]);
    const [held] = await tools.lease(1);
    const back = await place.fail();
    const startedAt = performance.now();
    const keeping = { isMine: false, dueAt: tools.now(), timeoutMs: 2_000 };
    await assertRejects(() => leases.keep([tools.entry()], keeping));
    assert.ok(performance.now() - startedAt < 15_000);
    await assertRejects(() => leases.lease(1, 0));
    const reschedule = () => held.reschedule(tools.now(), { ...held.kept, tries: 2 });
    await assertRejects(reschedule);
    await back();
    // The holder retries, unless another process has the entry by then.
    await until(tools, () => reschedule().then(yes, (error: ClientError) => error.code === 'claim_lost'));
    const more = tools.entry();
    await until(tools, () => tools.keep([more]).then(yes, () => false));
    const missing = new Set([...kept, more].map(({ id }) => id));
    await until(tools, async () => {
      for (const one of await leases.lease(10, 500)) {
        missing.delete(one.kept.id);
        await one.done();
      }
      return missing.size === 0;
    });
  },
  'reports damaged entries, and continues': async (tools) => {
    if (!tools.place.damage) return;
    const kept = tools.entry();
    await tools.keep([kept]);
    await tools.place.damage();
    const [lease] = await tools.lease(1);
    assert.ok(lease.isDamaged || Buffer.compare(lease.kept.content, kept.content) !== 0);
    await lease.deadLetter('unreadable', lease.kept);
    assert.deepEqual(
      (await tools.listed()).map(({ deadLetter }) => deadLetter),
      ['unreadable'],
    );
    const whole = tools.entry();
    await tools.keep([whole]);
    const [next] = await tools.lease(1);
    assert.equal(next.kept.id, whole.id);
    await next.done();
  },
  'leaves the entries of a newer relay as they are, says so, and delivers the rest': async (tools) => {
    const { keepAs } = tools.place;
    if (!keepAs) return;
    await keepAs(tools.entry(), 1_000);
    const whole = tools.entry();
    await tools.keep([whole]);
    const told = new Set<string>();
    await until(tools, async () => {
      try {
        for (const one of await tools.leases.lease(10, 100)) {
          assert.equal(one.kept.id, whole.id);
          await one.done();
        }
      } catch (error) {
        told.add((error as ClientError).code ?? '');
      }
      return told.size > 0 && (await tools.listed()).length === 1;
    });
    assert.deepEqual([...told], ['store_newer']);
    await assert.rejects(async () => {
      for await (const one of tools.leases.leaseMatching(() => true)) assert.fail(one.kept.id);
    });
    const reasons = (await tools.listed()).map(({ kept }) => kept.why?.code);
    assert.deepEqual(reasons, ['store_newer']);
  },
  'reports whether it works': async (tools) => {
    assert.notEqual((await tools.store.probe(timeLimit(10_000))).length, 0);
    await tools.nothingIsLeft();
  },
};

/** Checks for stores that count. */
const countChecks: Readonly<Record<string, Work>> = {
  'replaces a count only if nobody changed it': async ({ counts }) => {
    if (!counts) return;
    const write = async (text: string, read = counts.read('places/a', countMs)) =>
      counts.write('places/a', text, await read, countMs);
    const absent = await counts.read('places/a', countMs);
    assert.equal(absent.text, undefined);
    assert.equal(await write('first ü'), true);
    const first = await counts.read('places/a', countMs);
    assert.equal(first.text, 'first ü');
    assert.equal(await write('late', Promise.resolve(absent)), false);
    assert.equal(await write('second', Promise.resolve(first)), true);
    assert.equal(await write('late', Promise.resolve(first)), false);
    assert.equal((await counts.read('places/a', countMs)).text, 'second');
    assert.equal((await counts.read('places/b', countMs)).text, undefined);
  },
  'starts again after a count was removed': async ({ counts }) => {
    if (!counts) return;
    for (let times = 0; times < 2; times += 1) {
      const read: Versioned = await counts.read('places/a', countMs);
      assert.equal(read.text, undefined);
      assert.equal(await counts.write('places/a', 'x', read, countMs), true);
      await counts.remove('places/a', countMs);
    }
  },
  'counts exactly from several processes at once': async ({ counts, place }) => {
    if (!counts) return;
    const [one, two] = await Promise.all([place.another(), place.another()]);
    const own = (async () => {
      for (let times = 0; times < 20; times += 1) await increase(counts, 'places/a');
    })();
    await Promise.all([own, one.count('places/a', 20), two.count('places/a', 20)]);
    assert.equal((await counts.read('places/a', countMs)).text, '60');
    await Promise.all([one.kill(), two.kill()]);
  },
};

/** Names of forms that a store must not treat as paths, patterns or the like. */
const forms =
  `a/b .. . ../../etc a.b * > 日本 %2e%2e - Contact {"a":1} __proto__ a\\b con o'brien ~ ${'x'.repeat(200)} ${'ż'.repeat(200)}`
    .split(' ')
    .concat('a b', '\u2028');

const done = async (leases: readonly Lease[]) => void (await Promise.all(leases.map((one) => one.done())));
const idsOf = (all: readonly Pick<Listed, 'kept'>[]) => all.map(({ kept }) => kept.id).toSorted();
const byId = (one: { readonly id: string }, other: { readonly id: string }) => (one.id < other.id ? -1 : 1);
const yes = () => true;

const assertRejects = (work: () => unknown) =>
  assert.rejects(
    async () => work(),
    (error) => error instanceof ClientError,
  );

async function until({ patienceMs }: Tools, isSo: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + patienceMs; Date.now() < end; await sleep(50)) if (await isSo()) return;
  assert.fail('the entry did not come back');
}

/** Compares bytes by their values, in whatever type a store holds them. */
const plain = (kept: Queued) => ({ ...kept, content: Buffer.from(kept.content).toString('base64') });
