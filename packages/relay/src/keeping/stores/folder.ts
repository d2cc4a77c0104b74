/** Deliveries that wait in a folder, which the processes of a machine may share (D101). */
import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { failed } from '../../base/client_error.ts';
import { inTime } from '../../base/in_time.ts';
import type { Aside, Claim, Keep, KeepOptions, Kept, Listed, Store, Waiting } from '../../base/kept.ts';
import { folderFailure, tryFolder } from '../../transports/folder/store_file.ts';
import { usualMostKept } from './content.ts';
import { type Claimed, createClaims } from './folder/claims.ts';
import { createCommits } from './folder/commits.ts';
import { codeOf, type Disk, systemDisk } from './folder/disk.ts';
import { createFiles } from './folder/files.ts';
import { createFolders } from './folder/folders.ts';
import { waiting } from './folder/hand.ts';
import { createMarks } from './folder/marks.ts';
import { decodeForm, type FileName } from './folder/names.ts';
import { beatMs, createOwner } from './folder/owner.ts';
import type { Entry } from './folder/records.ts';

export async function openFolder(
  keep: Keep,
  { now, mostKept = usualMostKept }: Pick<FolderWorld, 'now'> & { readonly mostKept?: number },
): Promise<Store> {
  if (keep.in.kind !== 'folder') throw new Error('this is no folder');
  const uptime = () => performance.now();
  return createFolderStore(keep.in.path, { now, uptime, disk: systemDisk(), every, mostKept });
}

function every(ms: number, work: () => Promise<void>): () => void {
  const timer = setInterval(() => void work(), ms).unref();
  return () => clearInterval(timer);
}

export interface FolderWorld {
  readonly now: () => number;
  /** A clock that never jumps. */
  readonly uptime: () => number;
  readonly disk: Disk;
  /** The largest submission that relays keep here, in bytes. */
  readonly mostKept?: number;
  /** Calls again and again; gives what ends it. */
  readonly every: typeof every;
}

export function createFolderStore(
  path: string,
  { now, uptime, disk, every, mostKept = usualMostKept }: FolderWorld,
): Store {
  const root = resolve(path);
  const folders = createFolders(root, disk);
  const files = createFiles(root, disk, mostKept);
  const inHand = createMarks();
  const owner = createOwner({ root, disk, folders, now, uptime }, (mark) => inHand.has(mark));
  const commits = createCommits(disk, folders, owner, now, inHand);
  const claims = createClaims({ root, disk, folders, files, owner, commits, inHand, now, uptime });
  let claiming: Promise<unknown> = Promise.resolve();
  let counted: { readonly waiting: Promise<Waiting>; readonly until: number } | undefined;
  let ticking: Promise<void> | undefined;
  let stopTicking: (() => void) | undefined;
  let isClosed = false;

  return {
    keep: (entries, options) => inWords(() => keep(entries, options)),
    claim: (most, waitMs, mostBytes = Number.POSITIVE_INFINITY, stop) => {
      begin();
      // One after the other: two would claim more than was asked for.
      const due = claiming.then(() => inWords(() => claims.due({ most, mostBytes }, waitMs, stop)));
      claiming = due.catch(() => {});
      return due;
    },
    count: () => inWords(count),
    list: () => eachInWords(list()),
    take: (wanted) => eachInWords(take(wanted)),
    isFirst: (key) => inWords(() => isFirst(key)),
    look: (timeoutMs) => inWords(() => inTime(timeoutMs, look(), () => timedOut(timeoutMs))),
    close: () => inWords(close),
  };

  /** The clock ticks from the first use on. */
  function begin(): void {
    if (stopTicking || isClosed) return;
    const tick = () => {
      // What fails here fails for whoever keeps and claims, too, who tells it.
      ticking ??= owner
        .tick()
        .catch(() => {})
        .finally(() => {
          ticking = undefined;
        });
      return ticking;
    };
    stopTicking = every(beatMs, tick);
    void tick();
  }

  async function keep(
    entries: readonly Kept[],
    { isMine, dueAt, timeoutMs }: KeepOptions,
  ): Promise<readonly Claim[]> {
    begin();
    const rejects: ((error: unknown) => void)[] = [];
    const keepOne = async (kept: Kept): Promise<Claimed | undefined> => {
      const entry = { kept, isDamaged: false };
      const how = { status: waiting(dueAt, kept), isMine };
      const { name, number, file } = await commits.write(entry, how, (reject) => rejects.push(reject));
      if (!file) return undefined;
      return { hand: claims.hand(name, Array(name.total).keys(), file), number, entry };
    };
    const kept = entries.map(keepOne);
    try {
      const mine = await inTime(timeoutMs, Promise.all(kept), () => timedOut(timeoutMs));
      if (!isMine && dueAt <= now()) claims.wake();
      return mine.flatMap((one) => (one ? [one.hand.claim(one.number, one.entry)] : []));
    } catch (error) {
      for (const reject of rejects) reject(error);
      // Nobody waits for the others any more: they are delivered when their time comes.
      for (const one of kept) one.then((mine) => mine?.hand.release(mine.number)).catch(() => {});
      throw error;
    }
  }

  /** Where it is work, it is not done again and again. */
  async function count(): Promise<Waiting> {
    const startedAt = uptime();
    if (counted && startedAt < counted.until) return counted.waiting;
    const waiting = countAll();
    counted = { waiting, until: Number.POSITIVE_INFINITY };
    try {
      await waiting;
      const tookMs = uptime() - startedAt;
      counted = tookMs < 50 ? undefined : { waiting, until: uptime() + 20 * tookMs };
    } catch {
      counted = undefined;
    }
    return waiting;
  }

  async function countAll(): Promise<Waiting> {
    await folders.check();
    const forms = new Map<string, { due: number; aside: number; oldestKeptAt: number }>();
    for await (const place of files.all()) {
      const { name } = place;
      const form = decodeForm(name.form) ?? (await files.read(place))[0]?.kept.form;
      // The file is gone.
      if (form === undefined) continue;
      const sum = forms.get(form) ?? { due: 0, aside: 0, oldestKeptAt: name.keptAt };
      forms.set(form, sum);
      sum[asideOf(name) === undefined ? 'due' : 'aside'] += claims.left(name.mark) ?? name.left;
      sum.oldestKeptAt = Math.min(sum.oldestKeptAt, name.keptAt);
    }
    return { forms };
  }

  async function* list(): AsyncGenerator<Listed> {
    await folders.check();
    for await (const place of files.all())
      for (const { kept } of await files.read(place)) yield listed(place.name, kept);
  }

  async function* take(wanted: (one: Listed) => boolean): ReturnType<Store['take']> {
    begin();
    await folders.check();
    const last = commits.written();
    const givenBack = new Set<string>();
    for await (const place of files.waiting()) {
      // What this pass puts off or gives back is not met again.
      if (commits.isLater(place.name, last) || givenBack.has(place.name.mark)) continue;
      const isWanted = ({ kept }: Entry) => wanted(listed(place.name, kept));
      const entries = await files.read(place);
      const first = entries.findIndex(isWanted);
      if (first < 0) continue;
      // Nobody is asked again about those before it.
      const unwanted = new Set(entries.slice(0, first).map(({ kept }) => kept.id));
      const claimed = await claims.file(place);
      try {
        for (const { hand, number, entry } of claimed)
          if (!unwanted.has(entry.kept.id) && isWanted(entry))
            yield { ...hand.claim(number, entry), listed: listed(place.name, entry.kept) };
      } finally {
        if (claimed.some(({ hand }) => hand.left() > 0)) givenBack.add(place.name.mark);
        await claimed[0]?.hand.giveBack();
      }
    }
  }

  async function isFirst(key: string): Promise<boolean> {
    const told = await folders.made('told');
    const name = createHash('sha256').update(key).digest('hex').slice(0, 32);
    try {
      await (await disk.create(join(told, name))).close();
      return true;
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false;
      throw error;
    }
  }

  async function look(): Promise<readonly string[]> {
    await tryFolder(root, { writes: false });
    return ['is there, and this user may write into it; nothing was written'];
  }

  async function close(): Promise<void> {
    if (isClosed) return;
    isClosed = true;
    stopTicking?.();
    claims.end();
    await Promise.all([claiming, ticking]);
    await commits.close();
    await claims.giveBack();
    await owner.close();
  }

  async function inWords<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw folderFailure(error, root);
    }
  }

  async function* eachInWords<T>(all: AsyncIterable<T>): AsyncGenerator<T> {
    try {
      yield* all;
    } catch (error) {
      throw folderFailure(error, root);
    }
  }
}

function timedOut(timeoutMs: number): never {
  throw failed('timed_out', { timeoutMs }, { retryAfterMs: 0 });
}

const asideOf = ({ status }: FileName): Aside | undefined =>
  typeof status === 'number' || status === 'sealed' ? undefined : status;

const listed = (name: FileName, kept: Kept): Listed => ({
  kept,
  aside: asideOf(name),
  isSealed: name.status === 'sealed',
  dueAt: typeof name.status === 'number' ? name.status : undefined,
});
