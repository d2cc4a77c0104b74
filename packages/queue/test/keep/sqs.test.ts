/** How Amazon SQS treats a message and how the store reacts, tested against a stub with the rules of SQS. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Bucket, startBucket } from '../../../../test/support/aws/s3.ts';
import { startSqs } from '../../../../test/support/aws/sqs.ts';
import { ClientError, untilEnd } from '../../../../test/support/index.ts';
import { keptOf } from '../../../../test/support/stores/place.ts';
import { makeQueues, openQueue } from '../../../../test/support/stores/sqs.ts';
import { timeLimit } from '../../../stores/src/open_store.ts';
import type { Lease, Listed, Queued } from '../../../stores/src/store.ts';

const day = 86_400_000;
const hour = 3_600_000;

interface Options {
  /** The attributes of the queue. */
  readonly queue?: Readonly<Record<string, string>>;
  readonly hasBucket?: boolean;
}

async function stage({ queue = {}, hasBucket = false }: Options = {}) {
  let aheadMs = 0;
  const now = () => Date.now() + aheadMs;
  const sqs = await untilEnd(startSqs(now));
  makeQueues(sqs, queue);
  let bucket: Bucket | undefined;
  if (hasBucket) {
    bucket = await startBucket(now);
    onTestFinished(bucket.close);
  }
  const open = async () => {
    const store = await untilEnd(openQueue(sqs, now, bucket?.origin));
    return store;
  };
  const store = await open();
  return {
    sqs,
    bucket,
    now,
    open,
    store,
    /** The body of each message in a queue. */
    bodies: (name = 'kept') => [...(sqs.queues.get(name)?.messages ?? [])].map(({ body }) => body),
    pass: (ms: number) => {
      aheadMs += ms;
    },
    entry: (more: Partial<Queued> = {}) => keptOf(now(), more),
    keep: (kept: Queued, dueAt = now()) => store.keep([kept], { isMine: false, dueAt, timeoutMs: 20_000 }),
    leaseOne: async (): Promise<Lease> => {
      const [lease] = await store.lease(1, 5_000);
      if (!lease) throw new Error('nothing is due');
      return lease;
    },
    list: async () => {
      const all: Listed[] = [];
      for await (const one of store.list()) all.push(one);
      return all;
    },
  };
}

test('a delivery that waits longer than SQS can hide it is hidden again, and never tried early', async () => {
  const { keep, entry, store, pass, now, leaseOne } = await stage();
  const kept = entry();
  await keep(kept, now() + 26 * hour);
  // A delay of 15 minutes, then twice 12 hours.
  for (const ms of [0.25 * hour, 12 * hour, 12 * hour]) {
    pass(ms);
    expect(await store.lease(10, 200)).toEqual([]);
  }
  pass(2 * hour);
  const lease = await leaseOne();
  expect(lease.kept.id).toBe(kept.id);
  await lease.done();
});

test('a delivery retried for weeks never reaches the age limit of SQS nor the receive count of a poison message', async () => {
  const { keep, entry, pass, now, leaseOne, store, bodies } = await stage({
    queue: { MessageRetentionPeriod: '345600' },
  });
  await keep(entry());
  for (let tries = 2; tries < 40; tries += 1) {
    const lease = await leaseOne();
    await lease.reschedule(now() + day, { ...lease.kept, tries });
    for (const ms of [0.25 * hour, 12 * hour]) {
      pass(ms);
      expect(await store.lease(10, 0)).toEqual([]);
    }
    pass(11.75 * hour);
  }
  expect(await leaseOne()).toMatchObject({ kept: { tries: 39 } });
  expect(bodies('kept-aside')).toEqual([]);
}, 60_000);

test('a delivery received over and over but never settled becomes a dead letter, which its owner can retry', async () => {
  const { keep, entry, pass, open, bodies, list, store, leaseOne, now } = await stage();
  const kept = entry();
  await keep(kept);
  for (let times = 0; times < 20; times += 1) {
    // Each process dies while it has the delivery.
    const dying = await open();
    expect(await dying.lease(1, 1_000)).toHaveLength(1);
    pass(121_000);
  }
  expect(await store.lease(1, 0)).toEqual([]);
  expect(bodies()).toEqual([]);
  expect(await list()).toMatchObject([{ kept: { id: kept.id, form: kept.form }, deadLetter: 'refused' }]);
  for await (const one of store.leaseMatching(() => true)) await one.reschedule(now(), one.kept);
  await (await leaseOne()).done();
  expect([bodies(), bodies('kept-aside')]).toEqual([[], []]);
});

test('a slow delivery stays leased by its process, for a quarter of an hour', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { keep, entry, pass, open, leaseOne, now, sqs } = await stage();
  await keep(entry());
  const lease = await leaseOne();
  const other = await open();
  const renewals = () => sqs.calls.filter((action) => action === 'ChangeMessageVisibility').length;
  /** Advances the timers, and waits until SQS has received all renewals that are then due. */
  const advance = async (ms: number) => {
    let heard = renewals();
    vi.advanceTimersByTime(ms);
    while (renewals() === heard) await sleep(5);
    while (renewals() > heard) {
      heard = renewals();
      await sleep(100);
    }
  };
  for (let minutes = 0; minutes < 10; minutes += 1) {
    await advance(60_000);
    pass(60_000);
    expect(await other.lease(1, 0)).toEqual([]);
  }
  // The process sleeps, and wakes after its lease has ended.
  await advance(10 * 60_000);
  pass(10 * 60_000);
  const [again] = await other.lease(1, 1_000);
  await expect(lease.reschedule(now(), lease.kept)).rejects.toMatchObject({ code: 'claim_lost' });
  await again?.done();
});

test('a submission that SQS accepts only in part is complete in the end', async () => {
  const { store, sqs, entry, now } = await stage();
  let refusals = 0;
  sqs.refuse = () => {
    if (sqs.calls.length % 3 !== 1 || refusals >= 4) return undefined;
    refusals += 1;
    return { status: 500, code: 'InternalError' };
  };
  const kept = Array.from({ length: 25 }, () => entry());
  await store.keep(kept, { isMine: false, dueAt: now(), timeoutMs: 20_000 });
  const leases: Lease[] = [];
  while (leases.length < 25) leases.push(...(await store.lease(25, 1_000)));
  refusals = 0;
  await Promise.all(leases.map((lease) => lease.done()));
  expect(sqs.queues.get('kept')?.messages.size).toBe(0);
  expect(new Set(leases.map(({ kept }) => kept.id)).size).toBe(25);
});

test('a rescheduled delivery is never missing, however SQS fails on the way', async () => {
  const { keep, entry, sqs, leaseOne, now, bodies, pass } = await stage();
  await keep(entry());
  const lease = await leaseOne();
  sqs.refuse = (action) => (action === 'SendMessage' ? { status: 400, code: 'KmsDisabled' } : undefined);
  await expect(lease.reschedule(now(), { ...lease.kept, tries: 2 })).rejects.toThrow('(KmsDisabled)');
  expect(bodies()).toHaveLength(1);
  sqs.refuse = (action) => (action === 'DeleteMessage' ? { status: 400, code: 'Other' } : undefined);
  await expect(lease.reschedule(now(), { ...lease.kept, tries: 2 })).rejects.toThrow('(Other)');
  expect(bodies()).toHaveLength(2);
  sqs.refuse = undefined;
  // A second request does not send the message again.
  await lease.reschedule(now(), { ...lease.kept, tries: 2 });
  pass(1_000);
  expect(bodies()).toHaveLength(1);
  expect((await leaseOne()).kept.tries).toBe(2);
});

test('a delivery too large for a message stays in the bucket until it is delivered', async () => {
  const { keep, entry, leaseOne, bucket, bodies, now, list, store } = await stage({ hasBucket: true });
  const kept = entry({ content: Buffer.alloc(300_000, 'file') });
  await keep(kept);
  expect([...(bucket?.objects.keys() ?? [])]).toEqual([`/files/kept/kept-${kept.id}`]);
  expect(bodies()[0]?.length).toBeLessThan(1_000);
  const [listed] = await list();
  expect(listed?.kept.content).toHaveLength(0);
  expect(Buffer.compare((await listed?.content?.()) ?? Buffer.of(), kept.content)).toBe(0);
  const lease = await leaseOne();
  await lease.reschedule(now(), { ...lease.kept, tries: 2 });
  const again = await leaseOne();
  expect(Buffer.compare(again.kept.content, kept.content)).toBe(0);
  await again.deadLetter('refused', again.kept);
  expect(bucket?.objects.size).toBe(1);
  for await (const one of store.leaseMatching(() => true)) await one.done();
  expect(bucket?.objects.size).toBe(0);
});

test('a bucket that is down delays no other delivery, and its own are delivered later', async () => {
  const { keep, entry, store, bucket, pass, leaseOne } = await stage({ hasBucket: true });
  const large = entry({ content: Buffer.alloc(300_000) });
  await keep(large);
  const small = entry();
  await keep(small);
  if (bucket) bucket.refuses = true;
  const leases: Lease[] = [];
  for (let times = 0; times < 3; times += 1) leases.push(...(await store.lease(5, 0).catch(() => [])));
  expect(leases.map(({ kept }) => kept.id)).toEqual([small.id]);
  if (bucket) bucket.refuses = false;
  pass(61_000);
  expect((await leaseOne()).kept.id).toBe(large.id);
});

test('an unreadable object in the bucket does not delay other deliveries, and is finally reported', async () => {
  const { keep, entry, store, bucket, list, pass } = await stage({ hasBucket: true });
  const large = entry({ content: Buffer.alloc(300_000) });
  await keep(large);
  const small = [entry(), entry()];
  for (const one of small) await keep(one);
  if (bucket) bucket.refuses = true;
  const taken: string[] = [];
  const takeAll = async () => {
    for await (const lease of store.leaseMatching(() => true)) {
      taken.push(lease.kept.id);
      await lease.done();
    }
  };
  await expect(takeAll()).rejects.toThrow(ClientError);
  expect(taken.toSorted()).toEqual(small.map(({ id }) => id).toSorted());
  pass(61_000);
  expect(await list()).toMatchObject([{ kept: { id: large.id } }]);
});

test('a message cannot name an object that the relay did not store', async () => {
  const { keep, entry, leaseOne, bucket, sqs } = await stage({ hasBucket: true });
  await keep(entry({ content: Buffer.alloc(300_000) }));
  bucket?.objects.set('/files/payroll.csv', Buffer.from('secret'));
  const [message] = sqs.queues.get('kept')?.messages ?? [];
  if (message) message.body = message.body.replace(/"key":"[^"]*"/, '"key":"payroll.csv"');
  const lease = await leaseOne();
  expect(lease.isDamaged).toBe(true);
  await lease.done();
  expect(bucket?.objects.has('/files/payroll.csv')).toBe(true);
});

test.each([
  ['the usual limit', {}, 700_000, undefined],
  ['the usual limit, and too much', {}, 800_000, '1045 KB'],
  ['an older queue', { MaximumMessageSize: '262144' }, 150_000, undefined],
  ['an older queue, and too much', { MaximumMessageSize: '262144' }, 200_000, '262 KB'],
  ['a small queue', { MaximumMessageSize: '16384' }, 5_000, undefined],
  ['a small queue, and too much', { MaximumMessageSize: '16384' }, 20_000, '`files_in`'],
])('without a bucket, the queue limits the size of a message: %s', async (_, queue, bytes, refused) => {
  const { keep, entry, leaseOne, now } = await stage({ queue });
  const kept = entry({ content: Buffer.alloc(bytes, 'x') });
  if (refused !== undefined) {
    await expect(keep(kept)).rejects.toMatchObject({ code: 'sqs_too_large' });
    return;
  }
  await keep(kept);
  // A longer reason must not make the message larger than the limit.
  const lease = await leaseOne();
  const why = { code: 'http_status', words: 'ü'.repeat(2_000) };
  await lease.reschedule(now(), { ...lease.kept, tries: 2, why });
  expect((await leaseOne()).kept).toMatchObject({ tries: 2, why: { words: expect.stringMatching(/^ü+$/) } });
});

test.each(['hello', '{}', 'null', '{"format":"form-relay kept 1","id":"../x"}\n'])(
  'a foreign message is reported and left unchanged: %s',
  async (body) => {
    const { sqs, leaseOne, list, bodies, store, now } = await stage();
    sqs.put('kept', body);
    const lease = await leaseOne();
    expect(lease.isDamaged).toBe(true);
    await lease.deadLetter('unreadable', lease.kept);
    expect([bodies(), bodies('kept-aside')]).toEqual([[], [body]]);
    expect(await list()).toMatchObject([{ deadLetter: 'unreadable', kept: { form: '' } }]);
    for await (const one of store.leaseMatching(() => true)) await one.reschedule(now(), one.kept);
    expect([bodies(), bodies('kept-aside')]).toEqual([[body], []]);
  },
);

test.each([
  ['AccessDenied', 403, 'the role needs sqs:SendMessage on the queue "kept"'],
  ['InvalidClientTokenId', 403, 'SQS does not accept the credentials (InvalidClientTokenId)'],
  ['ExpiredToken', 403, 'SQS does not accept the credentials (ExpiredToken)'],
  ['KmsAccessDenied', 400, 'SQS answered 400 (KmsAccessDenied)'],
  ['RequestThrottled', 400, 'SQS answered 400 (RequestThrottled)'],
  ['ServiceUnavailable', 503, 'SQS answered 503 (ServiceUnavailable)'],
])(
  'an error of SQS is reported in words, and its delivery does not count as queued: %s',
  async (code, status, words) => {
    const { keep, entry, sqs, bodies } = await stage();
    sqs.refuse = () => ({ status, code });
    await expect(keep(entry())).rejects.toThrow(words);
    expect(bodies()).toEqual([]);
  },
);

test('without a dead-letter queue, there are no dead letters, and nothing is lost', async () => {
  const { keep, entry, leaseOne, sqs, store, bodies } = await stage();
  const queue = sqs.queues.get('kept');
  delete queue?.attributes.RedrivePolicy;
  await keep(entry());
  const lease = await leaseOne();
  await expect(lease.deadLetter('refused', lease.kept)).rejects.toMatchObject({
    code: 'sqs_without_dead_letter_queue',
  });
  expect(bodies()).toHaveLength(1);
  await expect(store.probe(timeLimit(5_000))).rejects.toThrow('the queue "kept" has no dead-letter queue');
});

test('a stopping store stops waiting, and returns messages that arrive later', async () => {
  const { store, entry, open } = await stage();
  const stop = new AbortController();
  const leasing = store.lease(1, 20_000, Infinity, stop.signal);
  await new Promise((resolve) => setTimeout(resolve, 50));
  stop.abort();
  expect(await leasing).toEqual([]);
  await store.close();
  const other = await open();
  const kept = entry();
  await other.keep([kept], { isMine: false, dueAt: Date.now(), timeoutMs: 5_000 });
  let got: readonly Lease[] = [];
  await vi.waitFor(async () => {
    got = [...got, ...(await other.lease(1, 200))];
    expect(got).toHaveLength(1);
  });
});

test('messages that SQS hands over are tried, and those still in the queue are reported', async () => {
  const { store, sqs, entry, keep, now, bodies } = await stage();
  const [taken, early, failing, foreign] = [entry(), entry(), entry(), 'hello'];
  await keep(taken);
  await keep(early, now() + 20 * 60_000);
  await keep(failing);
  sqs.put('kept', foreign);
  const messages = sqs.hand('kept', 10, 60);
  const turns: string[] = [];
  const left = await store.handed?.(
    messages,
    async (lease) => {
      turns.push(lease.kept.id);
      if (lease.isDamaged) await lease.deadLetter('unreadable', lease.kept);
      if (lease.kept.id === taken.id) await lease.done();
    },
    () => true,
  );
  expect(turns).toEqual(expect.arrayContaining([taken.id, failing.id]));
  const idOf = (id: string) => messages.find(({ body }) => body.includes(id))?.id;
  expect(left?.toSorted()).toEqual([idOf(early.id), idOf(failing.id)].toSorted());
  expect(bodies('kept-aside')).toEqual([foreign]);
});
