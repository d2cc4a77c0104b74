/** Parts of several workers, each under whatever may come: what is shared stays as much as one process has. */
import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { autoWorkers } from '../../packages/relay/src/runtimes/workers/auto_workers.ts';
import { type Channel, createChannel } from '../../packages/relay/src/runtimes/workers/channel.ts';
import { createCounting, createLogOnce } from '../../packages/relay/src/runtimes/workers/shared_counts.ts';
import {
  createLeasedThrottle,
  leaseOf,
  ThrottleLeases,
} from '../../packages/relay/src/runtimes/workers/throttle_leases.ts';
import { createWholeLines, nextWait } from '../../packages/relay/src/runtimes/workers/worker_process.ts';
import { runs } from '../support/fuzz.ts';

test('whatever stands in the files of control groups, there is at least one worker, and no more than cores', () => {
  const number = fc.oneof(
    fc.nat(1_000_000).map(String),
    fc.constantFrom('max', '-1', '', '0', '9e999', '1e5', 'NaN', '0x10'),
  );
  const text = fc.oneof(
    fc.string(),
    fc.tuple(number, number).map((two) => two.join(' ')),
    number,
  );
  const group = fc.oneof(
    fc.string(),
    fc
      .array(
        fc.tuple(
          fc.nat(12),
          fc.constantFrom('', 'cpu', 'cpu,cpuacct', 'memory'),
          fc.constantFrom('/', '/a/b', '/../..', '', '/a:b'),
        ),
        { maxLength: 4 },
      )
      .map((lines) => lines.map((line) => line.join(':')).join('\n')),
  );
  fc.assert(
    fc.property(
      group,
      fc.array(text, { minLength: 1 }),
      fc.integer({ min: 1, max: 256 }),
      (own, texts, cores) => {
        let asked = 0;
        const read = (path: string) => {
          if (path === '/proc/self/cgroup') return own;
          expect(path).toMatch(/^\/sys\/fs\/cgroup\/(?!.*\/\.\.(\/|$))/);
          asked += 1;
          return texts[asked % texts.length];
        };
        const count = autoWorkers({ cores, memoryBytes: 2 ** 40, platform: 'linux', read });
        expect(Number.isInteger(count) && count >= 1 && count <= cores).toBe(true);
      },
    ),
    runs(500),
  );
});

test('the lines of a process come out whole, in order, with nothing lost and nothing added', () => {
  const piece = fc.string({ unit: fc.constantFrom('a', 'ü', '\n', '\r', '{'), maxLength: 9 });
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const added: string[] = [];
      const lines = createWholeLines((text) => added.push(text));
      for (const one of pieces) lines.write(one);
      const before = added.join('');
      lines.end();
      lines.end();
      const all = pieces.join('');
      expect(added.join('')).toBe(all === '' || all.endsWith('\n') ? all : `${all}\n`);
      // What is whole does not wait for the end.
      expect(before).toBe(all.slice(0, all.lastIndexOf('\n') + 1));
      for (const text of added) expect(text.endsWith('\n')).toBe(true);
    }),
    runs(500),
  );
});

test('a line without an end is ended before it takes the memory of the process', () => {
  const added: string[] = [];
  const lines = createWholeLines((text) => added.push(text));
  for (let count = 0; count < 80; count += 1) lines.write('a'.repeat(65_536));
  expect(added.length).toBeGreaterThanOrEqual(4);
  for (const text of added) expect(text.length).toBeLessThan(1_200_000);
  lines.end();
  expect(added.join('').replaceAll('\n', '')).toHaveLength(80 * 65_536);
});

const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ worker: fc.nat(3), requests: fc.integer({ min: 1, max: 6 }) }) },
  { weight: 2, arbitrary: fc.record({ afterMs: fc.nat(400) }) },
  { weight: 1, arbitrary: fc.record({ dies: fc.nat(3) }) },
);

test('the throttles of several workers let through what one would, whoever asks when, and whoever dies', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const world = fc.record({
    rate: fc.integer({ min: 1, max: 100 }),
    burst: fc.integer({ min: 1, max: 60 }),
    processes: fc.integer({ min: 2, max: 4 }),
    steps: fc.array(step, { maxLength: 40 }),
  });
  await fc.assert(
    fc.asyncProperty(world, async ({ rate, burst, processes, steps }) => {
      const startedAt = Date.now();
      const now = () => Date.now() - startedAt;
      let passed = 0;
      const leases = new ThrottleLeases(
        { rate, burst, processes },
        now,
        async (id) => byId.get(id)?.recall() ?? 0,
      );
      const make = (id: number): ReturnType<typeof createLeasedThrottle> =>
        createLeasedThrottle({
          lease: leaseOf(burst, processes),
          request: async (unused, waiting) => {
            if (!byId.has(id)) throw new Error('it is dead');
            return leases.request(id, unused, waiting);
          },
          own: () => 1,
          now,
        });
      let ids = 0;
      const byId = new Map<number, ReturnType<typeof make>>();
      const start = () => {
        ids += 1;
        byId.set(ids, make(ids));
      };
      for (let count = 0; count < processes; count += 1) start();
      const at = (index: number) => [...byId][index % processes] as [number, ReturnType<typeof make>];
      const ask = async (index: number, requests: number) => {
        const [, throttle] = at(index);
        const answers = await Promise.all(Array.from({ length: requests }, () => throttle()));
        const passes = answers.filter((seconds) => seconds === undefined).length;
        for (const seconds of answers) if (seconds !== undefined) expect(seconds).toBeGreaterThanOrEqual(1);
        passed += passes;
        return passes;
      };
      for (const one of steps) {
        if ('afterMs' in one) await vi.advanceTimersByTimeAsync(one.afterMs);
        else if ('dies' in one) {
          const [id] = at(one.dies);
          byId.delete(id);
          leases.gone(id);
          start();
        } else await ask(one.worker, one.requests);
        expect(passed).toBeLessThanOrEqual(burst + (rate * now()) / 1_000 + 1e-6);
      }
      // Once all of it is there again, any of them has the whole burst.
      await vi.advanceTimersByTimeAsync((burst / rate) * 1_000 + 2_000);
      let last = 0;
      for (let count = 0; count < burst; count += 1) last += await ask(steps.length, 1);
      expect(last).toBe(burst);
    }),
    runs(300, 0.2),
  );
});

test('where the primary says nothing, a worker counts for itself; what it gives back it has no more', async () => {
  const silent = createLeasedThrottle({
    lease: 4,
    request: () => Promise.reject(new Error('no answer')),
    own: () => 7,
    now: () => 0,
  });
  expect(await silent()).toBe(7);
  const granted = createLeasedThrottle({
    lease: 4,
    request: async () => ({ requests: 4 }),
    own: () => undefined,
    now: () => 0,
  });
  expect(await granted()).toBe(undefined);
  expect(granted()).toBe(undefined);
  expect(granted.recall()).toBeGreaterThan(0);
  expect(granted.recall()).toBe(0);
});

test('what workers say of the config is in the log as often as the one that says it most', () => {
  const event = fc.constantFrom('config_loaded', 'config_invalid', 'weak_token_secret');
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(3), event)), (said) => {
      const logged: string[] = [];
      const tell = createLogOnce((_, name) => logged.push(name));
      for (const [worker, name] of said) tell(worker, 'info', name, {});
      for (const name of ['config_loaded', 'config_invalid', 'weak_token_secret']) {
        const times = [0, 1, 2, 3].map(
          (worker) => said.filter(([who, what]) => who === worker && what === name).length,
        );
        expect(logged.filter((one) => one === name)).toHaveLength(Math.max(...times));
      }
    }),
    runs(500),
  );
});

test('whatever workers say, only what was said last is remembered', () => {
  let logged = 0;
  const tell = createLogOnce(() => {
    logged += 1;
  });
  for (let count = 0; count < 300; count += 1) tell(1, 'info', 'config_loaded', { count });
  for (let count = 299; count >= 100; count -= 1) tell(2, 'info', 'config_loaded', { count });
  expect(logged).toBe(300);
  tell(2, 'info', 'config_loaded', { count: 0 });
  expect(logged).toBe(301);
});

test('the wait before a worker is replaced grows twofold to half a minute, and begins anew after a good run', () => {
  const waits: number[] = [];
  for (let deaths = 0, count = 0; count < 12; count += 1) {
    const wait = nextWait(deaths, 29_999);
    deaths = wait.deaths;
    waits.push(wait.ms);
  }
  expect(waits).toEqual([100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000, 30_000]);
  expect(nextWait(12, 30_000)).toEqual({ deaths: 1, ms: 100 });
});

test('of a link that several workers have, one delivers: again after a failure, or when that one has died', () => {
  const action = fc.tuple(fc.constantFrom('begins', 'fails', 'delivers', 'dies'), fc.nat(2));
  fc.assert(
    fc.property(fc.array(action), (actions) => {
      const counting = createCounting({ now: () => 0, uuid: () => '' });
      let delivering: number | undefined;
      let isDelivered = false;
      for (const [what, worker] of actions) {
        const calls = counting.for(worker);
        if (what === 'begins') {
          const begun = calls.beginConfirmed('link');
          if (isDelivered) expect(begun.outcome?.kind).toBe('delivered');
          else if (delivering === undefined || delivering === worker) {
            expect(begun).toEqual({ isFirst: true });
            delivering = worker;
          } else expect(begun).toEqual({});
        } else if (what === 'dies') {
          counting.gone(worker);
          if (delivering === worker) delivering = undefined;
        } else if (delivering === worker) {
          calls.endConfirmed('link', what === 'fails' ? undefined : { kind: 'delivered' });
          isDelivered = what === 'delivers';
          delivering = undefined;
        }
      }
    }),
    runs(500),
  );
});

test('questions and answers cross as they are; what is neither is let be, and whoever gets no answer knows it', async () => {
  type Calls = { readonly twice: (value: unknown) => unknown; readonly tells: (value: unknown) => void };
  await fc.assert(
    fc.asyncProperty(fc.array(fc.jsonValue(), { maxLength: 5 }), fc.anything(), async (values, other) => {
      const told: unknown[] = [];
      const send = (to: () => { hear(message: unknown): void }) => (message: object) => {
        to().hear(other);
        to().hear(JSON.parse(JSON.stringify(message)));
      };
      const own: Calls = { twice: (value) => [value, value], tells: (value) => void told.push(value) };
      const one: Channel<Calls> = createChannel<Calls>(
        send(() => two),
        {},
      );
      const two: Channel<Record<string, never>> = createChannel<Record<string, never>>(
        send(() => one),
        own,
      );
      const answers = await Promise.all(values.map((value) => one.ask('twice', [value])));
      expect(JSON.stringify(answers)).toBe(JSON.stringify(values.map((value) => [value, value])));
      for (const value of values) one.tell('tells', value);
      expect(JSON.stringify(told)).toBe(JSON.stringify(values));
    }),
    runs(300, 0.2),
  );
  const gone = createChannel<Calls>(() => {
    throw new Error('the channel is closed');
  }, {});
  await expect(gone.ask('twice', [1], 5)).rejects.toThrow('no answer');
  // Nobody asks again at once.
  await expect(gone.ask('twice', [1], 1e6)).rejects.toThrow('no answer');
});
