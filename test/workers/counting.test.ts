/** What the primary counts for its workers, and what a worker does where the primary says nothing, each by itself. */
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Channel, createChannel } from '../../packages/relay/src/runtimes/workers/channel.ts';
import { createCounting, isLoggedOnce } from '../../packages/relay/src/runtimes/workers/shared_counts.ts';
import {
  createLeasedThrottle,
  type Grant,
  leaseOf,
  ThrottleLeases,
} from '../../packages/relay/src/runtimes/workers/throttle_leases.ts';
import { sketchOf } from '../../packages/relay/src/schema/lists/sketch.ts';

describe('the primary', () => {
  const counting = () => {
    let at = 0;
    const goOn = (ms: number) => {
      at += ms;
    };
    const own = createCounting({ now: () => at, uuid: () => 'secret' });
    return { of: own.for, gone: own.gone, goOn };
  };

  test('counts a client of all workers, and takes back what one of them gives back', () => {
    const { of, goOn } = counting();
    const limit = { most: 2, withinMs: 1_000 };
    expect(of(1).take('a', limit)).toEqual({ at: 0 });
    goOn(10);
    expect(of(2).take('a', limit)).toEqual({ at: 10 });
    expect(of(3).take('a', limit)).toEqual({ waitMs: 990 });
    expect(of(3).take('b', limit)).toEqual({ at: 10 });
    of(1).giveBack('a', 10);
    expect(of(3).take('a', limit)).toEqual({ at: 10 });
  });

  test('lets a proof count once, or again where it is given back', () => {
    const { of } = counting();
    expect([of(1).useProof('a'), of(2).useProof('a'), of(2).useProof('b')]).toEqual([true, false, true]);
    of(2).giveProofBack('a');
    expect([of(3).useProof('a'), of(1).useProof('a')]).toEqual([true, false]);
  });

  test('knows a text of one worker in another, until it is taken back', () => {
    const { of } = counting();
    // Numbers are one word to it, so letters make these differ.
    const text = Array.from(
      { length: 40 },
      (_, index) => `wor${'abcdefg'[index % 7]}${'hijklm'[index % 6]}`,
    ).join(' ');
    const sketch = sketchOf(text) ?? [];
    const note = (worker: number, client: string) =>
      of(worker).noteText({ at: 5, id: `of ${client}`, form: 'contact', client, sketch });
    const first = note(1, 'one');
    expect(first).toEqual({ number: expect.any(Number), against: 0 });
    const second = note(2, 'two');
    expect(second).toMatchObject({ against: 1, similar: { count: 1, since: 5, ids: ['of one'] } });
    of(1).forgetText(first.number);
    of(1).forgetText(second.number);
    expect(note(3, 'three').against).toBe(0);
  });

  test('sends an address one mail of all workers, and says once that a form has no more', () => {
    const { of } = counting();
    const mail = (address: string) =>
      ({ key: 'confirmation_mail', formId: 'contact', perHour: 2, address }) as const;
    expect(of(1).takeMail(mail('a@x.test'))).toEqual({ limit: undefined, reached: undefined });
    expect(of(2).takeMail(mail('a@x.test')).limit).toBe('address_had_one');
    of(1).giveMailBack(mail('a@x.test'));
    expect(of(2).takeMail(mail('a@x.test')).limit).toBe(undefined);
    const beyond = of(1).takeMail(mail('b@x.test'));
    expect(beyond).toMatchObject({
      limit: 'per_hour_reached',
      reached: { form: 'contact', limit: 2, times: 1 },
    });
    expect(of(2).takeMail(mail('c@x.test'))).toEqual({ limit: 'per_hour_reached', reached: undefined });
  });

  test('remembers as many links as one process does, the latest', () => {
    const { of } = counting();
    const delivered = { kind: 'delivered' } as const;
    for (let link = 0; link < 10_000; link += 1) {
      of(1).beginConfirmed(`${link}`);
      of(1).endConfirmed(`${link}`, delivered);
    }
    expect(of(2).beginConfirmed('0')).toEqual({ outcome: delivered });
    of(2).beginConfirmed('another');
    expect(of(2).beginConfirmed('1')).toEqual({ outcome: delivered });
    expect(of(2).beginConfirmed('0')).toEqual({ isFirst: true });
  });

  test('has a link delivered again that nobody took, and by another where its worker died', () => {
    const { of, gone } = counting();
    expect(of(1).beginConfirmed('a')).toEqual({ isFirst: true });
    expect(of(2).beginConfirmed('a')).toEqual({});
    of(1).endConfirmed('a', { kind: 'delivered', byNobody: true });
    expect(of(2).beginConfirmed('a')).toEqual({ isFirst: true });
    of(1).beginConfirmed('b');
    gone(1);
    expect(of(2).beginConfirmed('a')).toEqual({ isFirst: true });
    expect(of(1).beginConfirmed('a')).toEqual({});
    expect(of(2).beginConfirmed('b')).toEqual({ isFirst: true });
  });
});

describe('the throttle’s leases', () => {
  test.each([
    [1, 2, 1],
    [100, 4, 3],
    [1_000_000, 2, 1_000],
  ])('of a burst of %i, each of %i workers holds %i', (burst, processes, lease) => {
    expect(leaseOf(burst, processes)).toBe(lease);
  });

  const leasesOf = ({ rate = 10, burst = 40, processes = 2 } = {}) => {
    let at = 0;
    const goOn = (ms: number) => {
      at += ms;
    };
    const recalled: number[] = [];
    const leases = new ThrottleLeases(
      { rate, burst, processes },
      () => at,
      async (worker) => {
        recalled.push(worker);
        return 1;
      },
    );
    return { leases, recalled, goOn };
  };

  test('are given for those who wait first, then ahead, and never all that is left', async () => {
    const { leases } = leasesOf();
    expect(await leases.request(1, 0, 5)).toEqual({ requests: 7 });
    expect(await leases.request(2, 1, 0)).toEqual({ requests: 1 });
    expect(await leases.request(2, 2, 0)).toEqual({ requests: 0 });
    expect(await leases.request(1, 0, 32)).toEqual({ requests: 32 });
  });

  test('say how long there is nothing, and what visitors are told of it', async () => {
    const { leases, goOn } = leasesOf({ rate: 0.1, burst: 1 });
    expect(await leases.request(1, 0, 1)).toEqual({ requests: 1 });
    expect(await leases.request(1, 0, 1)).toEqual({ requests: 0, waitMs: 1_000, retryAfterSeconds: 10 });
    goOn(9_500);
    expect(await leases.request(1, 0, 1)).toEqual({
      requests: 0,
      waitMs: expect.closeTo(500, 3),
      retryAfterSeconds: 1,
    });
    goOn(499);
    expect(await leases.request(1, 0, 1)).toMatchObject({ requests: 0, waitMs: 20 });
    goOn(1);
    expect(await leases.request(1, 0, 1)).toEqual({ requests: 1 });
    // With nobody who waits there is nothing to say.
    expect(await leases.request(1, 0, 0)).toEqual({ requests: 0 });
  });

  test('come back from the others where there is nothing left, once for all who wait', async () => {
    const { leases, recalled } = leasesOf({ burst: 40, processes: 4 });
    for (const worker of [1, 2, 3]) await leases.request(worker, 0, 0);
    await leases.request(4, 0, 37);
    const [one, two] = await Promise.all([leases.request(4, 0, 1), leases.request(4, 0, 1)]);
    expect(recalled.toSorted()).toEqual([1, 2, 3]);
    expect([one.requests, two.requests]).toEqual([1, 1]);
    // Nobody holds any more.
    await leases.request(4, 0, 1);
    await leases.request(4, 0, 1);
    expect(recalled).toHaveLength(3);
  });

  test('are not asked back where the worker still has one for whoever waits, nor of one that ended', async () => {
    const { leases, recalled } = leasesOf({ burst: 8, processes: 4, rate: 0.001 });
    await leases.request(1, 0, 0);
    await leases.request(2, 0, 7);
    await leases.request(2, 1, 1);
    expect(recalled).toEqual([]);
    leases.gone(1);
    await leases.request(2, 0, 1);
    expect(recalled).toEqual([]);
  });
});

test('what workers hold is not filled up a second time, however long nobody came', async () => {
  let at = 0;
  const leases = new ThrottleLeases(
    { rate: 10, burst: 40, processes: 2 },
    () => at,
    async () => 2,
  );
  expect(await leases.request(1, 0, 0)).toEqual({ requests: 2 });
  at += 1e9;
  expect(await leases.request(2, 0, 100)).toEqual({ requests: 38 });
  expect(await leases.request(2, 0, 100)).toEqual({ requests: 2 });
});

describe('a worker’s throttle', () => {
  const throttleOf = (grants: readonly (Grant | undefined)[]) => {
    let at = 0;
    const goOn = (ms: number) => {
      at += ms;
    };
    const asked: (readonly [unused: number, waiting: number])[] = [];
    const throttle = createLeasedThrottle({
      lease: 4,
      request: async (unused, waiting) => {
        asked.push([unused, waiting]);
        const grant = grants[asked.length - 1];
        if (!grant) throw new Error('no answer');
        return grant;
      },
      own: () => 7,
      now: () => at,
    });
    return { throttle, asked, goOn };
  };

  test('asks ahead when half of what it holds is used, and lets pass without asking before', async () => {
    const { throttle, asked } = throttleOf([{ requests: 5 }, { requests: 3 }, { requests: 0 }]);
    await throttle();
    expect([throttle(), throttle()]).toEqual([undefined, undefined]);
    expect(asked).toEqual([[0, 1]]);
    expect(throttle()).toBe(undefined);
    expect(asked).toEqual([
      [0, 1],
      [1, 0],
    ]);
  });

  test('where there is nothing, refuses at once for as long as it is told', async () => {
    const { throttle, asked, goOn } = throttleOf([
      { requests: 0, waitMs: 50, retryAfterSeconds: 3 },
      { requests: 0, waitMs: 50 },
    ]);
    expect(await throttle()).toBe(3);
    goOn(49);
    expect(throttle()).toBe(3);
    expect(asked).toHaveLength(1);
    goOn(1);
    expect(await throttle()).toBe(1);
    expect(asked).toHaveLength(2);
  });

  test('does not ask ahead again for a while where there was nothing ahead', async () => {
    const { throttle, asked, goOn } = throttleOf([{ requests: 3 }, { requests: 0 }, { requests: 0 }]);
    await throttle();
    expect(throttle()).toBe(undefined);
    await Promise.resolve();
    await Promise.resolve();
    expect(throttle()).toBe(undefined);
    expect(asked).toHaveLength(2);
    goOn(101);
    void throttle();
    expect(asked.length).toBeGreaterThan(2);
  });

  test('asks on while some wait, and counts for itself where nobody answers', async () => {
    const { throttle, asked } = throttleOf([{ requests: 1 }, { requests: 1 }, undefined]);
    expect(await Promise.all([throttle(), throttle(), throttle()])).toEqual([undefined, undefined, 7]);
    expect(asked).toEqual([
      [0, 1],
      [0, 2],
      [0, 1],
    ]);
  });
});

test('a moment after requests passed, the primary hears once what the worker still holds', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const asked: (readonly [unused: number, waiting: number])[] = [];
  const throttle = createLeasedThrottle({
    lease: 6,
    request: async (unused, waiting) => {
      asked.push([unused, waiting]);
      return { requests: waiting > 0 ? 7 : 6 - unused };
    },
    own: () => 1,
    now: () => Date.now(),
  });
  await throttle();
  for (const _ of [1, 2]) {
    expect([throttle(), throttle()]).toEqual([undefined, undefined]);
    await vi.advanceTimersByTimeAsync(99);
    const before = asked.length;
    await vi.advanceTimersByTimeAsync(1);
    expect(asked.slice(before)).toEqual([[4, 0]]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(asked).toHaveLength(before + 1);
  }
});

test('what every worker finds in the config is told once; all else is each one’s own', () => {
  for (const event of [
    'config_loaded',
    'weak_token_secret',
    'variables_missing',
    'origins_unreadable',
    'key_unusable',
    'keep_sealed',
  ] as const)
    expect([event, isLoggedOnce(event)]).toEqual([event, true]);
  for (const event of ['submission', 'delivery_failed', 'keep_available', 'refused'] as const)
    expect([event, isLoggedOnce(event)]).toEqual([event, false]);
});

test('an answer to nothing, a call that nobody knows and a word in between change nothing; the first sign ends a silence', async () => {
  type Calls = { readonly twice: (value: number) => number };
  const sent: object[] = [];
  const line: Channel<Calls> = createChannel<Calls>((message) => void sent.push(message), {
    twice: (n: number) => 2 * n,
  });
  for (const message of [
    null,
    undefined,
    'ask',
    5,
    {},
    { answerTo: 99, value: 1 },
    { ask: 'unknown', given: [] },
  ])
    line.hear(message);
  line.hear({ ask: 'twice', given: [4] });
  line.hear({ ask: 'twice', given: [5], id: 3 });
  await expect.poll(() => sent).toEqual([{ answerTo: 3, value: 10 }]);
  await expect(line.ask('twice', [1], 1)).rejects.toThrow('no answer');
  await expect(line.ask('twice', [1])).rejects.toThrow('no answer');
  expect(sent).toHaveLength(2);
  line.hear({});
  const asked = line.ask('twice', [1], 10_000);
  line.hear({ answerTo: (sent.at(-1) as { id: number }).id, value: 2 });
  expect(await asked).toBe(2);
});
