/** Deliveries that wait in a folder, which the processes of a machine may share (D101). */
import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { failed } from '../client_error.ts';
import { inTime } from '../in_time.ts';
import type {
  Aside,
  Claim,
  Keep,
  KeepOptions,
  Kept,
  Listed,
  Store,
  Waiting,
  WaitingOfForm,
} from '../kept.ts';
import { folderFailure } from '../transports/folder/folder_failure.ts';
import { tryFolder } from '../transports/folder/try_folder.ts';
import { type Commits, createCommits, type HowKept } from './folder/commits.ts';
import { codeOf, type Disk, type DiskFile, systemDisk } from './folder/disk.ts';
import { createFolders } from './folder/folders.ts';
import { createHand, type Hand, waiting } from './folder/hand.ts';
import { decodeForm, type FileName, isOver, nameOf, readName, startOf } from './folder/names.ts';
import { beatMs, createOwner, listIfThere, removeFolder } from './folder/owner.ts';
import { damaged, type Entry, read } from './folder/records.ts';

export async function openFolder(keep: Keep, { now }: Pick<FolderWorld, 'now'>): Promise<Store> {
  if (keep.in.kind !== 'folder') throw new Error('this is no folder');
  return createFolderStore(keep.in.path, { now, uptime: () => performance.now(), disk: systemDisk(), every });
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
  /** Calls again and again; gives what ends it. */
  readonly every: typeof every;
}

/** While nothing is due, it is looked for as often. */
const lookMs = 1_000;

/** What a file has beyond those that were asked for goes back when nobody asks for them for so long. */
const heldMs = 2_000;

interface Wanted {
  readonly most: number;
  readonly mostBytes: number;
}

interface Held {
  readonly hand: Hand;
  readonly number: number;
  readonly entry: Entry;
}

interface Place {
  readonly path: string;
  readonly name: FileName;
}

export function createFolderStore(path: string, { now, uptime, disk, every }: FolderWorld): Store {
  const root = resolve(path);
  const folders = createFolders(root, disk);
  /** The marks of files in the own folder that are in somebody's hands, and the hands. */
  const inHand = new Set<string>();
  const hands = new Map<string, Hand>();
  const owner = createOwner({ root, disk, folders, now, uptime }, (mark) => inHand.has(mark));
  const commits = createCommits(disk, folders, owner, now, inHand);
  /** Claimed together with others, and not yet asked for. */
  let held: Held[] = [];
  let looking: AsyncGenerator<Place> | undefined;
  let counted: { readonly waiting: Promise<Waiting>; readonly until: number } | undefined;
  let claiming: Promise<unknown> = Promise.resolve();
  let wake: () => void = () => {};
  let isClosed = false;
  let stop: (() => void) | undefined;
  let ticking: Promise<void> | undefined;
  let stopHolding: (() => void) | undefined;

  return {
    keep: (entries, options) => inWords(() => keep(entries, options)),
    claim: (most, waitMs, mostBytes = Number.POSITIVE_INFINITY, stop) => {
      // One after the other: two would claim more than was asked for.
      const claims = claiming.then(() => inWords(() => claim({ most, mostBytes }, waitMs, stop)));
      claiming = claims.catch(() => {});
      return claims;
    },
    count: () => inWords(count),
    list: () => eachInWords(list()),
    take: (wanted) => eachInWords(take(wanted)),
    isFirst: (key) => inWords(() => isFirst(key)),
    look: (timeoutMs) => inWords(() => look(timeoutMs)),
    close: () => inWords(close),
  };

  /** The clock ticks from the first use on. */
  function begin(): void {
    if (stop || isClosed) return;
    const tick = () => {
      // What fails here fails for whoever keeps and claims, who tells it.
      ticking ??= owner
        .tick()
        .catch(() => {})
        .finally(() => {
          ticking = undefined;
        });
      return ticking;
    };
    stop = every(beatMs, tick);
    void tick();
  }

  async function keep(
    entries: readonly Kept[],
    { isMine, dueAt, timeoutMs }: KeepOptions,
  ): Promise<readonly Claim[]> {
    begin();
    const rejects: ((error: unknown) => void)[] = [];
    const late = () => {
      const error = failed('timed_out', { timeoutMs }, { retryAfterMs: 0 });
      for (const reject of rejects) reject(error);
      throw error;
    };
    const kept = entries.map((one) =>
      keepOne(one, { status: waiting(dueAt, one), isMine }, (reject) => rejects.push(reject)),
    );
    try {
      const mine = await inTime(timeoutMs, Promise.all(kept), late);
      if (!isMine && dueAt <= now()) wake();
      return mine.flatMap((one) => (one ? [one.hand.claim(one.number, one.entry)] : []));
    } catch (error) {
      // Nobody waits for the others any more: they are delivered when their time comes.
      for (const one of kept) one.then((mine) => mine?.hand.release(mine.number)).catch(() => {});
      throw error;
    }
  }

  /** `undefined`: it is nobody's. */
  async function keepOne(
    kept: Kept,
    how: HowKept,
    late: Parameters<Commits['write']>[2],
  ): Promise<Held | undefined> {
    const entry = { kept, isDamaged: false };
    const { name, number, file } = await commits.write(entry, how, late);
    if (!file) return undefined;
    return { hand: await handOf(name, Array.from({ length: name.total }).keys(), file), number, entry };
  }

  async function handOf(
    name: FileName,
    numbers: Iterable<number>,
    file: DiskFile | undefined,
  ): Promise<Hand> {
    const folder = await owner.folder();
    const { mark } = name;
    const gone = () => {
      hands.delete(mark);
      inHand.delete(mark);
    };
    const hand =
      hands.get(mark) ?? createHand(name, numbers, folder, file, { root, disk, owner, commits, gone });
    hands.set(mark, hand);
    return hand;
  }

  async function claim(wanted: Wanted, waitMs: number, stop?: AbortSignal): Promise<readonly Claim[]> {
    begin();
    stopHolding?.();
    const until = uptime() + waitMs;
    for (;;) {
      if (isClosed || stop?.aborted) return [];
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      stop?.addEventListener('abort', wake, { once: true });
      await claimFiles(wanted);
      const claims = held
        .splice(0, howMany(wanted))
        .map(({ hand, number, entry }) => hand.claim(number, entry));
      const leftMs = until - uptime();
      if (claims.length > 0 || leftMs <= 0) {
        if (held.length > 0) stopHolding = after(heldMs, () => void letGo());
        return claims;
      }
      await inTime(Math.min(leftMs, lookMs), woken, () => {});
      stop?.removeEventListener('abort', wake);
    }
  }

  /** How many of those that are held. */
  function howMany({ most, mostBytes }: Wanted): number {
    let bytes = 0;
    const over = held.findIndex(({ entry }, at) => {
      bytes += entry.kept.content.length;
      return at === most || (at > 0 && bytes > mostBytes);
    });
    return over < 0 ? held.length : over;
  }

  /** Until enough are held, or no more are due. Where it stopped, it goes on. */
  async function claimFiles(wanted: Wanted): Promise<void> {
    let isFromStart = false;
    let problem: unknown;
    while (howMany(wanted) === held.length && held.length < wanted.most && !isClosed) {
      if (!looking) {
        if (isFromStart) break;
        isFromStart = true;
        await folders.check();
        looking = dueFiles();
      }
      const file = await nextDue(looking);
      if (!file) {
        looking = undefined;
        continue;
      }
      try {
        held.push(...(await claimFile(file)));
      } catch (error) {
        // It may be this file alone.
        problem ??= error;
      }
    }
    if (problem && held.length === 0) throw problem;
  }

  async function nextDue(files: AsyncGenerator<Place>): Promise<Place | undefined> {
    try {
      const next = await files.next();
      return next.done ? undefined : next.value;
    } catch (error) {
      looking = undefined;
      throw error;
    }
  }

  /** Those that are due, minute by minute. */
  async function* dueFiles(): AsyncGenerator<Place> {
    for (const { folder, start } of await dueFolders()) {
      if (start > now()) return;
      let isEmpty = true;
      for await (const file of filesIn(folder)) {
        const isDue = typeof file.name.status === 'number' && file.name.status <= now();
        if (isDue) yield file;
        else isEmpty = false;
      }
      if (isEmpty && isOver(start, now())) await tidyUp(folder);
    }
  }

  async function dueFolders() {
    const found: { folder: string; start: number }[] = [];
    for await (const { name, isFolder } of listIfThere(disk, join(root, 'due'))) {
      const start = isFolder ? startOf(name) : undefined;
      if (start !== undefined) found.push({ folder: join('due', name), start });
    }
    return found.sort((a, b) => a.start - b.start);
  }

  async function tidyUp(folder: string): Promise<void> {
    // Not where somebody has put something into it meanwhile.
    const isGone = await removeFolder(disk, join(root, folder)).then(
      () => true,
      () => false,
    );
    if (isGone) folders.forget();
  }

  /** What is not the relay's own is left alone. */
  async function* filesIn(folder: string): AsyncGenerator<Place> {
    for await (const { name, isFile } of listIfThere(disk, join(root, folder))) {
      const about = isFile ? readName(name) : undefined;
      if (about) yield { path: join(root, folder, name), name: about };
    }
  }

  /** None where somebody else has it. */
  async function claimFile({ path, name }: Place): Promise<readonly Held[]> {
    const own = join(await owner.folder(), nameOf(name));
    inHand.add(name.mark);
    try {
      await disk.rename(path, own);
    } catch (error) {
      inHand.delete(name.mark);
      if (codeOf(error) !== 'ENOENT') throw error;
      if (await disk.isThere(path)) folders.forget();
      return [];
    }
    try {
      return await readClaimed(own, name);
    } catch (error) {
      // It goes back with the next beat.
      inHand.delete(name.mark);
      throw error;
    }
  }

  async function readClaimed(own: string, name: FileName): Promise<readonly Held[]> {
    const opened = await openAndRead(own, name, true);
    if (!opened) return [];
    const { entries, file } = opened;
    const hand = await handOf(name, entries.keys(), file);
    // All is settled: a process died before it could remove it.
    if (entries.size === 0) await hand.giveBack();
    return [...entries].map(([number, entry]) => ({ hand, number, entry }));
  }

  /** One that nobody may read is one damaged entry; `undefined`: it is gone. */
  async function openAndRead(path: string, name: FileName, mayWrite: boolean) {
    let file: DiskFile | undefined;
    try {
      file = await disk.open(path, mayWrite);
      return { file, entries: read(await file.read(), name) };
    } catch (error) {
      await file?.close().catch(() => {});
      if (codeOf(error) === 'ENOENT') return undefined;
      if (!unreadable.includes(codeOf(error))) throw error;
      return { file: undefined, entries: new Map([[0, damaged(name, 0, new Uint8Array())]]) };
    }
  }

  function after(ms: number, work: () => void): () => void {
    const timer = setTimeout(work, ms).unref();
    return () => clearTimeout(timer);
  }

  /** Nobody has asked for them for a while: another process may. */
  async function letGo(): Promise<void> {
    const free = held;
    held = [];
    const some = new Set(free.map(({ hand }) => hand));
    // What fails is put back when the process ends.
    const letGo = (hand: Hand) => hand.letGo(free.filter((one) => one.hand === hand)).catch(() => {});
    await Promise.all([...some].map(letGo));
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
    const forms = new Map<string, WaitingOfForm>();
    for await (const { path, name } of allFiles()) {
      const form = await formIn(path, name);
      if (form === undefined) continue;
      const left = hands.get(name.mark)?.left() ?? name.left;
      const { due, aside, oldestKeptAt } = forms.get(form) ?? { due: 0, aside: 0, oldestKeptAt: name.keptAt };
      const isAside = asideOf(name) !== undefined;
      forms.set(form, {
        due: due + (isAside ? 0 : left),
        aside: aside + (isAside ? left : 0),
        oldestKeptAt: Math.min(oldestKeptAt ?? name.keptAt, name.keptAt),
      });
    }
    return { forms };
  }

  /** `undefined`: the file is gone. */
  async function formIn(path: string, name: FileName): Promise<string | undefined> {
    const form = decodeForm(name.form);
    if (form !== undefined) return form;
    const opened = await openAndRead(path, name, false);
    await opened?.file?.close();
    return [...(opened?.entries.values() ?? [])][0]?.kept.form;
  }

  async function* allFiles(): AsyncGenerator<Place> {
    yield* waitingFiles();
    for await (const { name, isFolder } of listIfThere(disk, join(root, 'claimed')))
      if (isFolder) yield* filesIn(join('claimed', name));
  }

  async function* waitingFiles(): AsyncGenerator<Place> {
    for (const { folder } of await dueFolders()) yield* filesIn(folder);
    yield* filesIn('sealed');
    yield* filesIn('aside');
  }

  async function* list(): AsyncGenerator<Listed> {
    await folders.check();
    for await (const { path, name } of allFiles()) {
      const opened = await openAndRead(path, name, false);
      await opened?.file?.close();
      for (const { kept } of opened?.entries.values() ?? []) yield listed(name, kept);
    }
  }

  async function* take(wanted: (one: Listed) => boolean): ReturnType<Store['take']> {
    begin();
    await folders.check();
    const last = commits.written();
    const givenBack = new Set<string>();
    for await (const file of waitingFiles()) {
      // What this pass puts off or gives back is not met again.
      if (commits.isLater(file.name, last) || givenBack.has(file.name.mark)) continue;
      const opened = await openAndRead(file.path, file.name, false);
      await opened?.file?.close();
      const isWanted = ({ kept }: Entry) => wanted(listed(file.name, kept));
      if (![...(opened?.entries.values() ?? [])].some(isWanted)) continue;
      const claimed = await claimFile(file);
      try {
        for (const { hand, number, entry } of claimed)
          if (isWanted(entry)) yield { ...hand.claim(number, entry), listed: listed(file.name, entry.kept) };
      } finally {
        if (claimed[0] && claimed[0].hand.left() > 0) givenBack.add(file.name.mark);
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

  async function look(timeoutMs: number): Promise<readonly string[]> {
    return inTime(timeoutMs, looked(), () => {
      throw failed('timed_out', { timeoutMs }, { retryAfterMs: 0 });
    });
  }

  async function looked(): Promise<readonly string[]> {
    await tryFolder(root, { writes: false });
    const { forms } = await count();
    const all = [...forms.values()];
    const sum = (of: (one: WaitingOfForm) => number) => all.reduce((before, one) => before + of(one), 0);
    return [
      'is there, and this user may write into it; nothing was written',
      `${sum(({ due }) => due)} wait in it, and ${sum(({ aside }) => aside)} are set aside`,
    ];
  }

  async function close(): Promise<void> {
    if (isClosed) return;
    isClosed = true;
    stop?.();
    stopHolding?.();
    wake();
    await Promise.all([claiming, ticking]);
    await commits.close();
    held = [];
    await looking?.return(undefined);
    await Promise.all([...hands.values()].map((hand) => hand.giveBack()));
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

/** This file cannot be read, whatever becomes of others. */
const unreadable = ['EACCES', 'EPERM', 'EIO', 'EISDIR', 'ELOOP'];

const asideOf = ({ status }: FileName): Aside | undefined =>
  typeof status === 'number' || status === 'sealed' ? undefined : status;

const listed = (name: FileName, kept: Kept): Listed => ({
  kept,
  aside: asideOf(name),
  dueAt: typeof name.status === 'number' ? name.status : undefined,
});
