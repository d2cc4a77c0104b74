/** Interrupts the folder store at every single step: acknowledged entries are never lost. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createModelDisk, type Intercept, intercepted } from '../../../test/support/stores/model_disk.ts';
import { keptOf } from '../../../test/support/stores/place.ts';
import { type Disk, systemDisk } from '../src/folder/disk.ts';
import { FolderLeases } from '../src/folder/folder_leases.ts';
import type { Lease, Queued } from '../src/store.ts';

const start = Date.UTC(2026, 10, 21, 8);
const minute = 60_000;

/** The calls to the store, and those that it has acknowledged. */
interface Ledger {
  readonly kept: Set<string>;
  /** Delivered entries, which the store may forget from now on. */
  readonly ended: Set<string>;
  /** Entries that the store has confirmed to have forgotten. */
  readonly forgotten: Set<string>;
}

/** Several processes, their clocks, and the results that they got. */
class Machine {
  time = start;
  uptime = 0;
  readonly ledger: Ledger = { kept: new Set(), ended: new Set(), forgotten: new Set() };

  constructor(readonly path: string) {}

  open(disk: Disk): { readonly store: FolderLeases; readonly tick: () => Promise<void> } {
    let tick = async () => {};
    const store = new FolderLeases(this.path, {
      now: () => this.time,
      uptime: () => this.uptime,
      disk,
      every: (_, work) => {
        tick = work;
        return () => {};
      },
    });
    return {
      store,
      tick: () => tick(),
    };
  }

  async keep(
    store: FolderLeases,
    kept: readonly Queued[],
    isMine = false,
    dueAt = this.time,
  ): Promise<readonly Lease[]> {
    const leases = await store.keep(kept, { isMine, dueAt, timeoutMs: 60_000 });
    for (const { id } of kept) this.ledger.kept.add(id);
    return leases;
  }

  async done(lease: Lease | undefined): Promise<void> {
    if (!lease) return;
    if (lease.isDamaged) return lease.deadLetter('unreadable', lease.kept);
    this.ledger.ended.add(lease.kept.id);
    await lease.done();
    this.ledger.forgotten.add(lease.kept.id);
  }
}

const entry = (more: Partial<Queued> = {}) => keptOf(start, more);
const why = { code: 'http_status', words: 'answered 503' };

/**
 * Everything that a process does with a store: keeps, leases, settles in each way, takes entries of others,
 * returns them, closes.
 */
async function work(
  machine: Machine,
  store: FolderLeases,
  others: () => Promise<void> = async () => {},
): Promise<void> {
  await Promise.all([
    machine.keep(store, [entry(), entry()]),
    machine.keep(store, [entry()]),
    machine.keep(store, [entry({ form: 'jobs' })]),
  ]);
  const mine = (await Promise.all([1, 2, 3, 4].map(() => machine.keep(store, [entry()], true)))).flat();
  await machine.keep(store, [entry()], false, machine.time + 5 * minute);
  await Promise.all([
    machine.done(mine[0]),
    mine[1]?.reschedule(machine.time + minute, { ...mine[1].kept, tries: 2, why }),
    mine[2]?.deadLetter('refused', { ...mine[2].kept, tries: 2, why }),
  ]);
  await others();
  const leases = await store.lease(2, 0);
  await Promise.all([
    machine.done(leases[0]),
    leases[1]?.reschedule(machine.time + 2 * minute, { ...leases[1].kept, tries: 2, why }),
  ]);
  for await (const lease of store.leaseMatching(({ deadLetter }) => deadLetter === 'refused'))
    await lease.reschedule(machine.time, lease.kept);
  machine.time += 4 * minute;
  for (const lease of await store.lease(10, 0)) {
    if (lease.kept.form === 'jobs') await lease.deadLetter('expired', lease.kept);
    else await machine.done(lease);
  }
  for await (const lease of store.leaseMatching(({ deadLetter }) => deadLetter === 'expired'))
    await machine.done(lease);
  await machine.keep(store, [entry(), entry({ form: 'jobs' })], true);
  await store.close();
}

/**
 * The entries that another process gets from the store, after dead processes are known to be dead and all
 * entries have long been due.
 */
async function drain(machine: Machine, disk: Disk): Promise<Map<string, number>> {
  const { store, tick } = machine.open(disk);
  await store.lease(0, 0);
  await tick();
  for (let beat = 0; beat < 8; beat += 1) {
    machine.uptime += 5_000;
    await tick();
  }
  machine.time += 60 * minute;
  const got = new Map<string, number>();
  const note = ({ kept }: Lease) => got.set(kept.id, (got.get(kept.id) ?? 0) + 1);
  for (;;) {
    const leases = await store.lease(100, 0);
    if (leases.length === 0) break;
    for (const lease of leases) {
      expect(lease.isDamaged).toBeUndefined();
      expect(Buffer.from(lease.kept.content).toString('latin1')).toMatch(/^content \d+ \0\r\n\x80\xff$/);
      note(lease);
      await lease.done();
    }
  }
  for await (const lease of store.leaseMatching(() => true)) {
    note(lease);
    await lease.done();
  }
  await store.close();
  return got;
}

const deaths = ['dies before', 'dies after', 'dies in the middle'] as const;

/** Makes a process die at its n-th call that changes something. */
function dieAt(
  step: number,
  how: (typeof deaths)[number],
): { readonly decide: Intercept; readonly steps: () => number } {
  let steps = 0;
  return {
    decide: () => {
      steps += 1;
      return steps === step ? how : 'goes on';
    },
    steps: () => steps,
  };
}

/** Runs a scenario until it ends, or until the process dies (`false`). */
async function runs(scenario: (died: () => void) => Promise<void>): Promise<boolean> {
  return new Promise((resolve, reject) => {
    scenario(() => resolve(false)).then(() => resolve(true), reject);
  });
}

function expectNothingLost({ kept, ended }: Ledger, got: ReadonlyMap<string, number>, step: string): void {
  expect(
    [...kept].filter((id) => !ended.has(id) && !got.has(id)),
    step,
  ).toEqual([]);
}

/** Pseudo-random numbers, the same in each run. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const root = '/store';

describe('a process that ends at any step', () => {
  test.each(deaths)(
    'which %s: nothing acknowledged is missing, and nothing settled is delivered again',
    async (how) => {
      for (let step = 1; ; step += 1) {
        const machine = new Machine(root);
        const { disk } = createModelDisk(root);
        const { decide } = dieAt(step, how);
        const isOver = await runs((died) =>
          work(machine, machine.open(intercepted(disk, decide, died)).store),
        );
        const got = await drain(machine, disk);
        expectNothingLost(machine.ledger, got, `step ${step}`);
        expect(
          [...machine.ledger.forgotten].filter((id) => got.has(id)),
          `step ${step}`,
        ).toEqual([]);
        if (isOver) {
          expect(step).toBeGreaterThan(100);
          break;
        }
      }
    },
  );

  test.each([0, 0.5, 1])(
    'in a power failure with this share of unsynced data surviving: %d',
    async (survives) => {
      for (let step = 1; ; step += 1) {
        const machine = new Machine(root);
        const model = createModelDisk(root);
        const { decide } = dieAt(step, 'dies in the middle');
        const isOver = await runs((died) =>
          work(machine, machine.open(intercepted(model.disk, decide, died)).store),
        );
        const chance = random(step);
        model.fail({ keeps: () => chance() < survives });
        expectNothingLost(machine.ledger, await drain(machine, model.disk), `step ${step}`);
        if (isOver) break;
      }
    },
  );

  test('while it takes over another process’s leases', async () => {
    for (let step = 1; ; step += 1) {
      const machine = new Machine(root);
      const model = createModelDisk(root);
      const dead = machine.open(
        intercepted(
          model.disk,
          () => 'goes on',
          () => {},
        ),
      );
      await machine.keep(dead.store, [entry(), entry(), entry({ form: 'jobs' })]);
      const mine = await machine.keep(dead.store, [entry(), entry()], true);
      await machine.done(mine[0]);
      await dead.store.lease(2, 0);
      const { decide } = dieAt(step, 'dies after');
      const isOver = await runs(async (died) => {
        const { store, tick } = machine.open(intercepted(model.disk, decide, died));
        await store.lease(0, 0);
        for (let beat = 0; beat < 8; beat += 1) {
          machine.uptime += 5_000;
          await tick();
        }
        await store.close();
      });
      const chance = random(step);
      if (step % 2 === 0) model.fail({ keeps: () => chance() < 0.5 });
      const got = await drain(machine, model.disk);
      expectNothingLost(machine.ledger, got, `step ${step}`);
      if (isOver) {
        expect(step).toBeGreaterThan(20);
        break;
      }
    }
  });

  test('on a real disk', async () => {
    const above = await mkdtemp(join(tmpdir(), 'kept-'));
    // On a busy disk, all steps would take too long.
    for (let step = 1; ; step += 4) {
      const path = await mkdtemp(join(above, 'store-'));
      const machine = new Machine(path);
      const { decide } = dieAt(step, 'dies in the middle');
      const isOver = await runs((died) =>
        work(machine, machine.open(intercepted(systemDisk(), decide, died)).store),
      );
      const got = await drain(machine, systemDisk());
      expectNothingLost(machine.ledger, got, `step ${step}`);
      expect(
        [...machine.ledger.forgotten].filter((id) => got.has(id)),
        `step ${step}`,
      ).toEqual([]);
      expect(await readdir(join(path, 'claimed')).catch(() => [])).toEqual([]);
      if (isOver) break;
    }
    await rm(above, { recursive: true });
  }, 300_000);
});

test.each(['ENOSPC', 'EIO', 'EMFILE', 'EROFS'])('%s at any step loses nothing acknowledged', async (code) => {
  for (let step = 1; ; step += 1) {
    const machine = new Machine(root);
    const { disk } = createModelDisk(root);
    let steps = 0;
    const decide: Intercept = () => {
      steps += 1;
      return steps === step ? Object.assign(new Error(code), { code }) : 'goes on';
    };
    const { store } = machine.open(intercepted(disk, decide, () => {}));
    await work(machine, store).catch(async (error) => {
      expect(error.name, `step ${step}: ${error.stack}`).toBe('ClientError');
      await store.close().catch(() => {});
    });
    expectNothingLost(machine.ledger, await drain(machine, disk), `step ${step}`);
    if (steps < step) break;
  }
});
