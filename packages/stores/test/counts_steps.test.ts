/** Interrupts counting in a folder at every single step: acknowledged counts are never lost. */
import { createModelDisk, type Intercept, intercepted } from '../../../test/support/stores/model_disk.ts';
import { Counter } from '../../capacity/src/counters/counter.ts';
import { usedOf } from '../../capacity/src/counters/tally.ts';
import { FolderCounts } from '../src/folder/counts.ts';
import type { Disk } from '../src/folder/disk.ts';

const root = '/store';
const limit = 3;
const key = 'places/course';

/** The results that a process has received. */
type Results = ReturnType<typeof none>;

/** Opened so that logs are continued in new files after a few changes. */
const opened = (disk: Disk) => new Counter(new FolderCounts(root, disk, 1), () => 1_000_000);

async function work(disk: Disk, results: Results): Promise<void> {
  const counter = opened(disk);
  const reserve = async (id: string) => {
    const { full } = await counter.reserve(key, { id, claims: [{ key: '', limit }], isRemembered: true });
    if (full.length === 0) results.reserved.add(id);
    return full.length === 0;
  };
  for (const id of ['a', 'b', 'c', 'd']) {
    if (!(await reserve(id))) continue;
    if (id === 'b') {
      results.released.add(id);
      await counter.release(key, id);
    } else {
      await counter.settle(key, id);
      results.settled.add(id);
    }
  }
}

const none = () => ({ reserved: new Set<string>(), settled: new Set<string>(), released: new Set<string>() });

async function run(decide: Intercept, keeps: (() => boolean) | undefined) {
  const model = createModelDisk(root);
  const results = none();
  let isDead = false;
  await new Promise<void>((resolve) => {
    const died = () => {
      isDead = true;
      resolve();
    };
    work(intercepted(model.disk, decide, died), results).then(
      () => resolve(),
      () => resolve(),
    );
  });
  if (keeps && isDead) model.fail({ keeps });
  const counter = opened(model.disk);
  const tally = await counter.read(key);
  // Everything that was acknowledged, and not released, still has its place.
  const holding = [...results.reserved].filter((id) => !results.released.has(id));
  expect(usedOf(tally, '')).toBeGreaterThanOrEqual(holding.length);
  expect(usedOf(tally, '')).toBeLessThanOrEqual(limit);
  for (const id of results.settled) expect(tally.open.has(id)).toBe(false);
  // A reservation interrupted by a crash is known by its id.
  const taken = tally.taken.get('')?.count ?? 0;
  expect(tally.open.size).toBe(usedOf(tally, '') - taken);
  // Other processes continue with exactly what is left.
  let more = 0;
  for (let index = 0; index <= limit; index += 1) {
    const reservation = { id: `later ${index}`, claims: [{ key: '', limit }], isRemembered: false };
    if ((await counter.reserve(key, reservation)).full.length === 0) more += 1;
  }
  expect(usedOf(tally, '') + more).toBe(limit);
  expect(model.files().length).toBeLessThan(10);
  return isDead;
}

const ends = ['dies before', 'dies after', 'dies in the middle'] as const;

describe('in an empty folder', () => {
  test.each(ends)('a process that %s at each call', async (end) => {
    for (const keeps of [undefined, () => false, () => true]) {
      for (let step = 0; ; step += 1) {
        let calls = 0;
        const decide = () => {
          calls += 1;
          return calls - 1 === step ? end : 'goes on';
        };
        const isDead = await run(decide, keeps);
        if (!isDead && calls <= step) break;
      }
    }
  });

  test('a disk that fails at each call', async () => {
    for (let step = 0; ; step += 1) {
      let calls = 0;
      const decide = () => {
        calls += 1;
        return calls - 1 === step ? Object.assign(new Error('EIO'), { code: 'EIO' }) : 'goes on';
      };
      await run(decide, undefined);
      if (calls <= step) break;
    }
  });
});

test('a change appends once, whatever is counted, and a damaged record is reported', async () => {
  const model = createModelDisk(root);
  const calls: string[] = [];
  const disk = intercepted(
    model.disk,
    (call) => {
      calls.push(call);
      return 'goes on';
    },
    () => {},
  );
  const counter = new Counter(new FolderCounts(root, disk), () => 1_000_000);
  const once = (id: string) => ({ id, claims: [{ key: id, limit: 1 }], isRemembered: true });
  for (let index = 0; index < 1_000; index += 1) {
    await counter.reserve(key, once(`id ${index}`));
    calls.length = 0;
    await counter.settle(key, `id ${index}`);
  }
  expect(calls).toEqual(['append']);
  const [path = ''] = model
    .files()
    .filter((one) => /[0-9a-f]{16}$/.test(one))
    .slice(-1);
  const file = await model.disk.open(`${root}${path}`, true);
  const bytes = await model.disk.readFrom(`${root}${path}`, 0);
  await file.write([Buffer.from('#')], bytes.lastIndexOf('\n') - 5);
  await counter.reserve(key, once('more')).catch(() => {});
  await expect(opened(model.disk).read(key)).rejects.toMatchObject({ code: 'counts_damaged' });
});

test('a process that was paused before each call, while others wrote many versions', async () => {
  for (let step = 0; ; step += 1) {
    const model = createModelDisk(root);
    const others = opened(model.disk);
    let calls = 0;
    let goOn = () => {};
    const stood = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    let hasStopped = () => {};
    const stopping = new Promise<void>((resolve) => {
      hasStopped = resolve;
    });
    const slow = new Proxy(model.disk, {
      get: (disk, name: keyof Disk) => {
        const call = disk[name] as (...args: unknown[]) => unknown;
        if (name === 'list') return call;
        return async (...args: unknown[]) => {
          calls += 1;
          if (calls - 1 === step) {
            hasStopped();
            await stood;
          }
          return call(...args);
        };
      },
    });
    const late = opened(slow);
    const reservation = { id: 'late', claims: [{ key: '', limit: 50 }], isRemembered: false };
    const ending = late.reserve(key, reservation);
    const isStanding = await Promise.race([stopping.then(() => true), ending.then(() => false)]);
    for (let index = 0; index < 50; index += 1) {
      const { full } = await others.reserve(key, { ...reservation, id: `other ${index}` });
      if (full.length === 0) await others.settle(key, `other ${index}`);
    }
    goOn();
    const isFull = (await ending).full.length > 0;
    const tally = await others.read(key);
    expect(usedOf(tally, '')).toBe(50);
    expect(tally.open.has('late')).toBe(!isFull);
    if (!isStanding) break;
  }
});

test('caches 20 MB of counts, and reads only what was added', async () => {
  const { disk } = createModelDisk(root);
  const offsets: number[] = [];
  const counts = new FolderCounts(root, {
    ...disk,
    readFrom: (path, from) => {
      offsets.push(from);
      return disk.readFrom(path, from);
    },
  });
  const keys = Array.from({ length: 16 }, (_, index) => `keys/order/${index.toString(16)}0`);
  for (const key of keys)
    await counts.write(key, 'x'.repeat(1_250_000), await counts.read(key, 9_000), 9_000);
  offsets.length = 0;
  for (const key of keys) expect((await counts.read(key, 9_000)).text).toHaveLength(1_250_000);
  expect(Math.min(...offsets)).toBeGreaterThan(1_250_000);
});
