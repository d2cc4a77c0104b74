import { expect, test } from 'vitest';
import { failed } from '../../packages/relay/src/base/client_error.ts';
import { type Ending, HostQueues, type Visit } from '../../packages/relay/src/keeping/host_queues.ts';

const timedOut = failed('timed_out', { timeoutMs: 10_000 });
const away = failed('nobody_listens', { call: 'connect', codes: ['ECONNREFUSED'] });

function stage() {
  let at = 1_700_000_000_000;
  const hosts = new HostQueues({ now: () => at });
  const underWay: ((ending: Ending | undefined) => void)[] = [];
  /** Deliveries that end when they are told to. */
  const visit = (manner?: 'at_once') =>
    hosts.visit('a.example', () => new Promise((resolve) => underWay.push(resolve)), manner);
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return {
    hosts,
    visit,
    underWay: () => underWay.length,
    /** Visits that end so. */
    end: async (ending: Ending | undefined, count = Infinity) => {
      await settle();
      for (const resolve of underWay.splice(0, count)) resolve(ending);
      await settle();
    },
    pass: (ms: number) => {
      at += ms;
    },
    /** Whether one that comes now is asked; it is left under way. */
    isAsked: async () => {
      const before = underWay.length;
      void visit();
      await settle();
      return underWay.length > before;
    },
  };
}

test('failures of one outage make one pause; each that is found out makes the next twice as long, up to a minute', async () => {
  const { visit, end, pass, isAsked } = stage();
  const eight = Array.from({ length: 8 }, () => visit());
  await end(timedOut);
  await Promise.all(eight);
  for (const pause of [5_000, 10_000, 20_000, 40_000, 60_000, 60_000]) {
    pass(pause - 1);
    expect(await isAsked()).toBe(false);
    pass(1);
    expect(await isAsked()).toBe(true);
    // Nobody else, while one finds out.
    expect(await isAsked()).toBe(false);
    await end(away);
  }
});

test('a host that is back gets one more with each success, up to eight', async () => {
  const { visit, end, pass, underWay } = stage();
  void visit();
  await end(away);
  pass(5_000);
  void visit();
  await end('taken');
  for (let time = 0; time < 40; time += 1) void visit();
  await end(undefined, 0);
  const widths: number[] = [];
  while (underWay() > 0) {
    widths.push(underWay());
    await end('taken', 1);
  }
  expect(widths[0]).toBe(2);
  expect(Math.max(...widths)).toBe(8);
});

test('a clock that is set back does not keep a host down, and asks it no more than once at a time', async () => {
  const { visit, end, pass, isAsked } = stage();
  void visit();
  await end(away);
  pass(-1_000_000);
  expect(await isAsked()).toBe(true);
  expect(await isAsked()).toBe(false);
  await end(away);
  expect(await isAsked()).toBe(false);
});

test('what nobody was asked for says nothing of the host', async () => {
  const { visit, end, pass, isAsked } = stage();
  void visit();
  await end(away);
  pass(5_000);
  expect(await isAsked()).toBe(true);
  await end(undefined);
  expect(await isAsked()).toBe(true);
});

test('where room is scarce, lines that take long give way: each comes back in its turn', async () => {
  const { visit, hosts, end, pass, underWay } = stage();
  const visits = Array.from({ length: 100 }, () => visit());
  await end(undefined, 0);
  expect(underWay()).toBe(8);
  pass(6_000);
  hosts.relieve();
  const [, ...rest] = visits.slice(8);
  const away = (await Promise.all(rest.slice(-84))) as (Visit & { kind: 'crowded' })[];
  const dueAt = away.map((one) => one.dueAt);
  expect(away.every(({ kind }) => kind === 'crowded')).toBe(true);
  // Later than now, and one after the other.
  expect(dueAt).toEqual(dueAt.toSorted((a, b) => a - b));
  expect(new Set(dueAt).size).toBe(84);
  expect(await visit()).toMatchObject({ kind: 'crowded' });
  await end('taken');
  await end('taken');
  // Its line is through.
  void visit();
  await end(undefined, 0);
  expect(underWay()).toBe(1);
});

test('lines that are quick keep their places', async () => {
  const { visit, hosts, end, pass, underWay } = stage();
  for (let time = 0; time < 100; time += 1) void visit();
  await end(undefined, 0);
  pass(20);
  hosts.relieve();
  for (let done = 0; done < 100; done += 8) await end('taken', 8);
  expect(underWay()).toBe(0);
});

test('who breaks gives back its turn, also the one that was to find out whether a host is up again', async () => {
  const { hosts, visit, end, pass, isAsked } = stage();
  const breaking = () => hosts.visit('a.example', () => Promise.reject(new Error('a bug')));
  for (let time = 0; time < 20; time += 1) await expect(breaking()).rejects.toThrow('a bug');
  void visit();
  await end(away);
  pass(60_000);
  await expect(breaking()).rejects.toThrow('a bug');
  expect(await isAsked()).toBe(true);
});
