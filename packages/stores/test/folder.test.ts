/** The states of a folder and its dangers, beyond the promises of every store (test/contract). */
import { execFileSync } from 'node:child_process';
import {
  appendFile,
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type Intercept, intercepted } from '../../../test/support/stores/model_disk.ts';
import { keptOf } from '../../../test/support/stores/place.ts';
import { type Disk, systemDisk } from '../src/folder/disk.ts';
import { write } from '../src/folder/file_format.ts';
import { FolderLeases } from '../src/folder/folder_leases.ts';
import { folder } from '../src/folder/index.ts';
import { openLeases } from '../src/open_store.ts';
import type { Lease, Listed, Queued } from '../src/store.ts';

const minute = 60_000;
const patienceMs = 30_000;

let above: string;
let path: string;
let aheadMs: number;
let uptimeAheadMs: number;
const opened = new Map<FolderLeases, () => Promise<void>>();

beforeEach(async () => {
  above = await mkdtemp(join(tmpdir(), 'kept-'));
  path = join(above, 'store');
  await mkdir(path);
  [aheadMs, uptimeAheadMs] = [0, 0];
});
afterEach(async () => {
  for (const store of opened.keys()) await store.close().catch(() => {});
  opened.clear();
  await rm(above, { recursive: true, force: true });
});

const now = () => Date.now() + aheadMs;

function open(disk: Disk = systemDisk(), at = path): FolderLeases {
  let tick = async () => {};
  const store = new FolderLeases(at, {
    now,
    uptime: () => performance.now() + uptimeAheadMs,
    disk,
    every: (_, work) => {
      tick = work;
      return () => {
        tick = async () => {};
      };
    },
  });
  opened.set(store, () => tick());
  return store;
}

/** Lets so much time pass that processes without a beat are taken for dead. */
async function beats(...alive: readonly FolderLeases[]): Promise<void> {
  for (let beat = 0; beat < 8; beat += 1) {
    uptimeAheadMs += 5_000;
    for (const store of alive) await opened.get(store)?.();
  }
}

const entry = (more: Partial<Queued> = {}) => keptOf(now(), more);
const keep = (
  store: FolderLeases,
  kept: readonly Queued[],
  more: { isMine?: boolean; dueAt?: number } = {},
) => store.keep(kept, { isMine: false, dueAt: now(), timeoutMs: patienceMs, ...more });

async function lease(store: FolderLeases, count: number): Promise<readonly Lease[]> {
  const leases: Lease[] = [];
  const until = Date.now() + patienceMs;
  while (leases.length < count && Date.now() < until)
    leases.push(...(await store.lease(count - leases.length, 500)));
  expect(leases).toHaveLength(count);
  return leases;
}
const idsOf = (leases: readonly Lease[]) => leases.map((one) => one.kept.id).toSorted();
const leaseOne = async (store: FolderLeases) => (await lease(store, 1))[0] as Lease;

async function list(store: FolderLeases): Promise<Listed[]> {
  const all: Listed[] = [];
  for await (const one of store.list()) all.push(one);
  return all;
}

/** The paths of all files in the store, except for the beats of processes. */
async function files(): Promise<string[]> {
  const all = await readdir(path, { recursive: true, withFileTypes: true });
  return all
    .filter((one) => one.isFile() && one.name !== 'beat')
    .map((one) => join(one.parentPath, one.name));
}
const onlyFile = async () => {
  const [file = '', ...others] = await files();
  expect(others).toEqual([]);
  return file;
};

/** Writes a file as the relay does for entries that arrive at the same time. */
async function writeShared(entries: readonly Queued[], mark = 'feedfeedfeedfeedfeedfeed'): Promise<string> {
  const folder = join(path, 'due', '20200101T0000');
  await mkdir(folder, { recursive: true });
  const file = join(folder, `0.1.${entries.length}-${entries.length}.${mark}.contact`);
  await writeFile(
    file,
    Buffer.concat(
      write(
        mark,
        entries.map((kept) => ({ kept, isDamaged: false })),
      ),
    ),
  );
  return file;
}

describe('files', () => {
  test('cannot be read by others, nor can their folders', async () => {
    const before = process.umask(0);
    try {
      const store = open();
      await keep(store, [entry()]);
      await keep(store, [entry()], { isMine: true });
      await (await leaseOne(store)).deadLetter('refused', entry());
    } finally {
      process.umask(before);
    }
    for (const one of await readdir(path, { recursive: true, withFileTypes: true })) {
      const { mode } = await stat(join(one.parentPath, one.name));
      expect((mode & 0o777).toString(8), one.name).toBe(one.isDirectory() ? '700' : '600');
    }
  });

  test('for alerts forget sent alerts after a month', async () => {
    const aws = () => Promise.reject(new Error('there is no AWS in this test'));
    const context = { now, aws, env: () => undefined };
    const { leases, close } = await openLeases({ name: path, type: folder }, context);
    expect([await leases.isFirst?.('a'), await leases.isFirst?.('a')]).toEqual([true, false]);
    aheadMs += 31 * 86_400_000;
    expect([await leases.isFirst?.('b'), await leases.isFirst?.('a')]).toEqual([true, true]);
    await close();
  });

  test('and folders of others stay untouched', async () => {
    const store = open();
    await keep(store, [entry()]);
    const own = await onlyFile();
    const minuteFolder = join(own, '..');
    const name = own.slice(minuteFolder.length + 1);
    await writeFile(join(path, 'README'), 'mine');
    await writeFile(join(path, 'due', '20200101T0000'), 'mine');
    await mkdir(join(path, 'due', 'other'));
    await writeFile(join(path, 'due', 'other', name), 'mine');
    await writeFile(join(minuteFolder, 'notes.txt'), 'mine');
    await mkdir(join(path, 'aside'));
    await mkdir(join(path, 'aside', name.replace('contact', 'folder')));
    await symlink(own, join(path, 'aside', name.replace('contact', 'link')));
    await mkdir(join(path, 'claimed', 'backup'));
    expect(await list(store)).toHaveLength(1);
    expect([...(await store.count()).forms.keys()]).toEqual(['contact']);
    await (await leaseOne(store)).done();
    aheadMs += 10 * minute;
    expect(await store.lease(10, 0)).toEqual([]);
    await beats(store);
    await store.close();
    expect((await files()).toSorted()).toEqual(
      [
        join(path, 'README'),
        join(path, 'due', '20200101T0000'),
        join(path, 'due', 'other', name),
        join(minuteFolder, 'notes.txt'),
      ].toSorted(),
    );
  });

  test('with several entries hand out each waiting one', async () => {
    const kept = [entry(), entry(), entry(), entry()];
    const file = await writeShared(kept);
    const settled = (await readFile(file)).toString('latin1').replace('\n....\n', '\nx...\n');
    await writeFile(file, settled, 'latin1');
    const store = open();
    expect(await list(store)).toHaveLength(3);
    for await (const one of store.leaseMatching(({ kept: { id } }) => id === kept[1]?.id))
      await one.deadLetter('refused', one.kept);
    expect((await store.count()).forms.get('contact')).toMatchObject({ due: 2, deadLetters: 1 });
    const leases = await lease(store, 2);
    expect(idsOf(leases)).toEqual(kept.slice(2).map(({ id }) => id));
    for (const one of leases) await one.done();
    expect(await onlyFile()).toContain('aside/refused.');
  });

  test('from newer relays remain intact and in place, even if their process dies', async () => {
    const store = open();
    const file = await writeShared([entry(), entry()]);
    const other = (await readFile(file)).toString('latin1').replace('kept 1', 'kept 2');
    const dead = join(path, 'claimed', '0123456789abcdef');
    await mkdir(dead, { recursive: true });
    await writeFile(join(dead, basename(file).replace('.2-2.', '.1-2.')), other, 'latin1');
    await rm(file);
    await expect(store.lease(9, 0)).resolves.toEqual([]);
    await beats(store);
    await expect(store.lease(9, 0)).rejects.toMatchObject({ code: 'store_newer' });
    expect(await list(store)).toMatchObject([{ kept: { why: { code: 'store_newer' } } }]);
    expect(await onlyFile()).toContain('/due/');
    expect(await readFile(await onlyFile(), 'latin1')).toBe(other);
  });

  test('that were truncated report all their entries', async () => {
    const store = open();
    const kept = [entry(), entry(), entry()];
    const file = await writeShared(kept);
    await truncate(file, (await stat(file)).size - 400);
    const leases = await lease(store, 3);
    expect(leases.filter(({ isDamaged }) => !isDamaged).map((one) => one.kept.id)).toEqual([kept[0]?.id]);
    for (const one of leases) await one.deadLetter('unreadable', one.kept);
    expect(await list(store)).toHaveLength(3);
    expect((await store.count()).forms.get('contact')).toMatchObject({ due: 0, deadLetters: 3 });
    // The entry is still damaged when the owner has it retried.
    for await (const one of store.leaseMatching(({ kept: { id } }) => id.startsWith('unread')))
      await one.reschedule(now(), one.kept);
    for (const one of await lease(store, 2)) {
      expect(one.isDamaged).toBe(true);
      await one.done();
    }
  });

  test('that are empty or have grown', async () => {
    const store = open();
    await keep(store, [entry()]);
    await truncate(await onlyFile(), 0);
    const one = await leaseOne(store);
    expect(one).toMatchObject({ isDamaged: true, kept: { form: 'contact' } });
    await one.done();
    await keep(store, [entry()]);
    await appendFile(await onlyFile(), 'more');
    const two = await leaseOne(store);
    expect(two.isDamaged).toBeUndefined();
    await two.done();
    expect(await files()).toEqual([]);
  });

  test.skipIf(process.getuid?.() === 0)('that cannot be read become dead letters unchanged', async () => {
    const store = open();
    await keep(store, [entry()]);
    await chmod(await onlyFile(), 0);
    await expectDeadLetter(store);
  });

  test('on a defective part of the disk become dead letters unchanged', async () => {
    const kept = [entry()];
    let isWorn = true;
    const worn: Intercept = (call) =>
      call === 'open' && isWorn ? Object.assign(new Error('EIO'), { code: 'EIO' }) : 'goes on';
    const other = open();
    await keep(other, kept);
    const store = open(intercepted(systemDisk(), worn, () => {}));
    await expectDeadLetter(store);
    isWorn = false;
    expect((await list(store)).map((one) => one.kept.id).toSorted()).toEqual(
      kept.map(({ id }) => id).toSorted(),
    );
  });

  test('that could not be put back are put back with the next beat', async () => {
    let isBusy = false;
    const busy: Intercept = (call) =>
      call === 'rename' && isBusy ? Object.assign(new Error('EMFILE'), { code: 'EMFILE' }) : 'goes on';
    const store = open(intercepted(systemDisk(), busy, () => {}));
    await keep(store, [entry()]);
    const take = async () => {
      for await (const _ of store.leaseMatching(() => true)) isBusy = true;
    };
    await take();
    isBusy = false;
    await beats(store);
    await (await leaseOne(store)).done();
  });

  test('with names that may not be durable are written again, and delivered once', async () => {
    let fails = false;
    const worn: Intercept = (call) => {
      if (call !== 'syncFolder' || !fails) return 'goes on';
      fails = false;
      return Object.assign(new Error('EIO'), { code: 'EIO' });
    };
    const store = open(intercepted(systemDisk(), worn, () => {}));
    await keep(store, [entry()]);
    const one = await leaseOne(store);
    fails = true;
    await expect(one.reschedule(now(), one.kept)).rejects.toMatchObject({ code: 'folder_failed' });
    await one.reschedule(now(), one.kept);
    expect(await list(store)).toHaveLength(1);
  });

  async function expectDeadLetter(store: FolderLeases): Promise<void> {
    const one = await leaseOne(store);
    expect(one.isDamaged).toBe(true);
    await one.deadLetter('unreadable', one.kept);
    expect((await list(store)).every(({ deadLetter }) => deadLetter === 'unreadable')).toBe(true);
    expect(await onlyFile()).toContain('aside/unreadable.');
  }
});

describe('a folder', () => {
  test('may be a link, but its contents may not', async () => {
    await symlink(path, join(above, 'link'));
    const store = open(systemDisk(), join(above, 'link'));
    await keep(store, [entry()]);
    await (await leaseOne(store)).done();
    await store.close();
    await mkdir(join(above, 'elsewhere'));
    await rm(join(path, 'due'), { recursive: true });
    await symlink(join(above, 'elsewhere'), join(path, 'due'));
    const again = open();
    await expect(keep(again, [entry()])).rejects.toMatchObject({ code: 'folder_with_link' });
    expect(await readdir(join(above, 'elsewhere'))).toEqual([]);
  });

  test('from which empty folders were removed', async () => {
    const store = open();
    await keep(store, [entry()]);
    await (await leaseOne(store)).done();
    for (const name of await readdir(path)) await rm(join(path, name), { recursive: true });
    await keep(store, [entry()]);
    await keep(store, [entry()], { isMine: true });
    await beats(store);
    await (await leaseOne(store)).done();
    expect(await list(store)).toHaveLength(1);
  });

  test('that hangs delays callers only until their timeouts, and leaves other threads free', async () => {
    let hangs = true;
    const system = systemDisk();
    let free = () => {};
    const freed = new Promise<void>((resolve) => {
      free = resolve;
    });
    const disk: Disk = {
      ...system,
      create: async (name) => {
        if (hangs) await freed;
        return system.create(name);
      },
    };
    const store = open(disk);
    const kept = [entry(), entry(), entry()];
    for (const [at, one] of kept.entries())
      await expect(
        store.keep([one], { isMine: at === 1, dueAt: now(), timeoutMs: 50 }),
      ).rejects.toMatchObject({ code: at === 0 ? 'timed_out' : 'store_busy' });
    hangs = false;
    free();
    // An entry in progress may still be written, and is then delivered; one that had not started is not written any more.
    const more = entry();
    await keep(store, [more]);
    await beats(store);
    const got = new Set<string>();
    await expect
      .poll(async () => {
        for (const one of await store.lease(10, 0)) {
          got.add(one.kept.id);
          await one.done();
        }
        return got.has(more.id) && (await files()).length;
      })
      .toBe(0);
  });

  /** A disk that creates files, and syncs each one only when the test says so. */
  function slowDisk() {
    const system = systemDisk();
    const syncs: (() => void)[] = [];
    let created = 0;
    const disk: Disk = {
      ...system,
      create: async (name) => {
        const file = await system.create(name);
        if (name.endsWith('beat')) return file;
        created += 1;
        return { ...file, sync: () => new Promise<void>((resolve) => syncs.push(resolve)) };
      },
    };
    const begun = () => expect.poll(() => syncs.length, { interval: 1 }).toBeGreaterThan(0);
    return { disk, begun, created: () => created, sync: () => syncs.shift()?.() };
  }

  test.each([true, false])(
    'that is slow syncs once for all waiting entries, with isMine: %s',
    async (isMine) => {
      const { disk, begun, created, sync } = slowDisk();
      const store = open(disk);
      const first = keep(store, [entry()], { isMine });
      await begun();
      const others = Array.from({ length: isMine ? 250 : 30 }, () => keep(store, [entry()], { isMine }));
      sync();
      const leases = [...(await first)];
      await begun();
      expect(created()).toBe(2);
      sync();
      for (const one of await Promise.all(others)) leases.push(...one);
      if (!isMine) leases.push(...(await lease(store, 31)));
      // After a crash now, only the remaining entry is delivered.
      for (const one of leases.slice(1)) await one.done();
      expect((await list(store)).map((one) => one.kept.id)).toEqual(idsOf(leases.slice(0, 1)));
      await leases[0]?.done();
      expect(await files()).toEqual([]);
    },
  );

  test('that is too slow rejects entries at once that would be late, and writes the others', async () => {
    const { disk, begun, created, sync } = slowDisk();
    const store = open(disk);
    const keepOne = () => store.keep([entry()], { isMine: false, dueAt: now(), timeoutMs: 10_000 });
    const first = keepOne();
    await begun();
    const waiting = keepOne();
    // The round takes so long that another one of that length would end too late.
    uptimeAheadMs += 10_001;
    await expect(keepOne()).rejects.toMatchObject({ code: 'store_busy' });
    sync();
    await first;
    await begun();
    sync();
    await waiting;
    expect(created()).toBe(2);
    // With nothing in progress, a slow disk is tried again.
    const again = keepOne();
    await begun();
    sync();
    await again;
    expect(await list(store)).toHaveLength(3);
  });

  const isRoot = process.getuid?.() === 0;
  const canMount = () => {
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m,mode=0700', 'tmpfs', path], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  };
  test.skipIf(!isRoot)('that is full or read-only is reported, and loses nothing', async ({ skip }) => {
    if (!canMount()) skip();
    try {
      const store = open();
      const kept: Queued[] = [];
      const fill = async () => {
        for (;;) {
          const one = entry({ content: Buffer.alloc(40_000) });
          await keep(store, [one]);
          kept.push(one);
        }
      };
      await expect(fill()).rejects.toMatchObject({ code: 'folder_full' });
      // There is no room for even one more word.
      await writeFile(join(path, 'rest'), Buffer.alloc(1_000_000)).catch(() => {});
      expect(kept.length).toBeGreaterThan(3);
      expect((await list(store)).map((one) => one.kept.id).toSorted()).toEqual(
        kept.map(({ id }) => id).toSorted(),
      );
      const [first, second, third] = await lease(store, 3);
      await expect(second?.reschedule(now() + minute, { ...second.kept, tries: 2 })).rejects.toMatchObject({
        code: 'folder_full',
      });
      await third?.done();
      await rm(join(path, 'rest'), { force: true });
      // The lease remains.
      await second?.reschedule(now() + minute, { ...second.kept, tries: 2 });
      await first?.done();
      await store.close();

      execFileSync('mount', ['-o', 'remount,ro', path]);
      const shut = open();
      await expect(keep(shut, [entry()])).rejects.toMatchObject({ code: 'folder_read_only' });
      await expect(shut.lease(1, 0)).rejects.toMatchObject({ code: 'folder_read_only' });
      expect(await list(shut)).toHaveLength(kept.length - 2);
      execFileSync('mount', ['-o', 'remount,rw', path]);
      aheadMs += 3 * minute;
      for (const one of await lease(shut, kept.length - 2)) await one.done();
      expect(await files()).toEqual([]);
      await shut.close();
    } finally {
      execFileSync('umount', ['-l', path]);
    }
  });
});

describe('a process', () => {
  test('that ends right after a call to keep has stored the entry, and leaves nothing else', async () => {
    const store = open();
    const kept = [entry(), entry()];
    const keeping = kept.map((one, at) => keep(store, [one], { isMine: at === 0 }));
    await store.close();
    await Promise.all(keeping);
    expect(await readdir(join(path, 'claimed'))).toEqual([]);
    expect((await list(open())).map((one) => one.kept.id).toSorted()).toEqual(
      kept.map(({ id }) => id).toSorted(),
    );
  });

  test('that was paused for a long time does not settle entries that others have leased in the meantime', async () => {
    const [slow, quick] = [open(), open()];
    await keep(slow, [entry(), entry(), entry()]);
    const leases = await lease(slow, 3);
    await quick.lease(1, 0);
    await beats(quick);
    // Delivered just before the other process starts, so it is not delivered again.
    await leases[0]?.done();
    const again = await lease(quick, 2);
    expect(idsOf(again)).toEqual(idsOf(leases.slice(1)));
    await expect(leases[1]?.reschedule(now(), (leases[1] as Lease).kept)).rejects.toMatchObject({
      code: 'claim_lost',
    });
    await expect(leases[2]?.deadLetter('refused', (leases[2] as Lease).kept)).rejects.toMatchObject({
      code: 'claim_lost',
    });
    for (const one of again) await one.done();
    // The store continues as before.
    await keep(slow, [entry()], { isMine: true });
    await keep(slow, [entry()]);
    await beats(slow, quick);
    await (await leaseOne(slow)).done();
    expect(await list(quick)).toHaveLength(1);
  });

  test('that is alive keeps its leases, however its clock jumps', async () => {
    const [one, other] = [open(), open()];
    await keep(one, [entry()]);
    await leaseOne(one);
    for (const jump of [86_400_000, -2 * 86_400_000]) {
      aheadMs += jump;
      await beats(one, other);
      expect(await other.lease(1, 0)).toEqual([]);
    }
  });
});

describe('files that no relay writes', () => {
  const mark = 'feedfeedfeedfeedfeedfeed';
  const planted = async (name: string) => {
    const folder = join(path, 'due', '20200101T0000');
    await mkdir(folder, { recursive: true });
    return join(folder, `0.1.${name}.contact`);
  };
  /** Expects that the file becomes a dead letter unchanged, is reported once, and does not delay others. */
  const expectRejected = async (size: number) => {
    const store = open();
    await keep(store, [entry({ form: 'jobs' })]);
    const leases = await lease(store, 2);
    const damaged = leases.filter(({ isDamaged }) => isDamaged);
    expect(damaged.map(({ kept }) => [kept.form, kept.content.length])).toEqual([['contact', 0]]);
    for (const one of leases) await (one.isDamaged ? one.deadLetter('unreadable', one.kept) : one.done());
    expect(await store.lease(10, 0)).toEqual([]);
    expect(await list(store)).toMatchObject([{ deadLetter: 'unreadable' }]);
    expect((await stat(await onlyFile())).size).toBe(size);
    for await (const one of store.leaseMatching(() => true)) await one.done();
    expect(await files()).toEqual([]);
  };

  test.each([['1-1'], ['256-256'], ['999999-999999'], ['0-0'], [`${'9'.repeat(60)}-${'9'.repeat(60)}`]])(
    'a file that is longer than any of the relay, and claims %s entries',
    async (count) => {
      const file = await planted(`${count}.${mark}`);
      await writeFile(file, 'form-relay kept 1\n');
      await truncate(file, 1_500_000_000);
      await expectRejected(1_500_000_000);
    },
  );

  test.each(['999999-999999', '257-257', '0-0', '5-0'])(
    'a file that claims %s entries counts as one entry',
    async (count) => {
      await writeFile(await planted(`${count}.${mark}`), 'form-relay kept 1\n');
      const store = open();
      const one = await leaseOne(store);
      expect(one.isDamaged).toBe(true);
      await one.deadLetter('unreadable', one.kept);
      expect(await store.lease(10, 0)).toEqual([]);
      expect((await store.count()).forms.get('contact')).toMatchObject({ due: 0, deadLetters: 1 });
    },
  );

  test.each(['999999-999999', '1-1', '0-0', '2-3'])(
    'a file of the relay that is renamed to claim %s entries loses none',
    async (count) => {
      const store = open();
      const file = await writeShared([1, 2, 3, 4].map(() => entry({ content: Buffer.from('whole') })));
      await rename(file, file.replace('4-4', count));
      const leases = await store.lease(10, 0);
      expect(leases.every(({ isDamaged }) => isDamaged)).toBe(true);
      for (const one of leases) await one.deadLetter('unreadable', one.kept);
      const contents = (await list(store))
        .map(({ kept }) => Buffer.from(kept.content).toString('latin1'))
        .join('');
      expect(contents.match(/whole/g)).toHaveLength(4);
    },
  );

  test.skipIf(process.platform === 'win32')('a pipe does not delay other files', async () => {
    const dead = join(path, 'claimed', '0123456789abcdef');
    await mkdir(dead, { recursive: true });
    execFileSync('mkfifo', [join(dead, 'beat'), await planted(`1-1.${mark}`)]);
    const store = open();
    await keep(store, [entry()]);
    await (await leaseOne(store)).done();
    await beats(store);
    expect(await readdir(join(path, 'claimed'))).not.toContain('0123456789abcdef');
  });
});

describe('time', () => {
  test('that is set back makes due entries wait, and loses nothing', async () => {
    const store = open();
    await keep(store, [entry()], { dueAt: now() + minute });
    aheadMs -= 86_400_000;
    expect(await store.lease(1, 0)).toEqual([]);
    await keep(store, [entry()]);
    await (await leaseOne(store)).done();
    aheadMs += 86_400_000 + 2 * minute;
    await (await leaseOne(store)).done();
    expect(await files()).toEqual([]);
  });

  test('that was a year ahead when an entry was queued does not make the entry wait for a year', async () => {
    const store = open();
    aheadMs = 365 * 86_400_000;
    await keep(store, [entry()], { dueAt: now() + minute });
    expect(await store.lease(1, 0)).toEqual([]);
    aheadMs = 0;
    const one = await leaseOne(store);
    await one.reschedule(now() + minute, one.kept);
    expect(await store.lease(1, 0)).toEqual([]);
    aheadMs += 2 * minute;
    await (await leaseOne(store)).done();
    // An entry with a later due time is not leased.
    await keep(store, [entry()], { dueAt: now() + 10 * 86_400_000 });
    expect(await store.lease(1, 0)).toEqual([]);
  });

  test.each([0, 8.64e15])('may be anything: %d', async (dueAt) => {
    const store = open();
    await keep(store, [entry()], { dueAt });
    expect(await list(store)).toMatchObject([{ dueAt }]);
    if (dueAt === 0) await (await leaseOne(store)).done();
    else expect(await store.lease(1, 0)).toEqual([]);
  });
});

test('a dead letter that the owner retries is leased once', async () => {
  const store = open();
  await keep(
    store,
    Array.from({ length: 20 }, () => entry()),
  );
  await keep(store, [entry()], { dueAt: now() + minute });
  let met = 0;
  for await (const one of store.leaseMatching(() => true)) {
    met += 1;
    await one.reschedule(now(), one.kept);
  }
  expect(met).toBe(21);
  for (const one of await lease(store, 21)) await one.done();
});
