import { join } from 'node:path';
import { inTime } from '../../../base/in_time.ts';
import type { Claim } from '../../../base/kept.ts';
import type { Commits } from './commits.ts';
import { codeOf, type Disk, type DiskFile } from './disk.ts';
import type { Files, Place } from './files.ts';
import type { Folders } from './folders.ts';
import { createHand, type Hand } from './hand.ts';
import type { Marks } from './marks.ts';
import { type FileName, isOver, nameOf } from './names.ts';
import { type Owner, removeFolder } from './owner.ts';
import type { Entry } from './records.ts';

/** What this process has claimed. */
export interface Claims {
  /** Claims some that are due, as `Store.claim`. One call at a time. */
  due(wanted: Wanted, waitMs: number, stop?: AbortSignal): Promise<readonly Claim[]>;
  /** All of a file's entries; none where somebody else has it. */
  file(place: Place): Promise<readonly Claimed[]>;
  /** A file that is in this process's folder already. */
  hand(name: FileName, numbers: Iterable<number>, file: DiskFile | undefined): Hand;
  /** How many of a file's entries are not settled; `undefined`: it is none of this process's. */
  left(mark: string): number | undefined;
  /** Something is due that was not before. */
  wake(): void;
  /** Nobody claims any more. */
  end(): void;
  giveBack(): Promise<void>;
}

/** An entry of a file. */
export interface Claimed {
  readonly hand: Hand;
  readonly number: number;
  readonly entry: Entry;
}

export interface Wanted {
  readonly most: number;
  readonly mostBytes: number;
}

interface ClaimsWorld {
  readonly root: string;
  readonly disk: Disk;
  readonly folders: Folders;
  readonly files: Files;
  readonly owner: Owner;
  readonly commits: Commits;
  readonly inHand: Marks;
  readonly now: () => number;
  readonly uptime: () => number;
}

/** While nothing is due, it is looked for as often. */
const lookMs = 1_000;

/** Who is due later than that, and was kept more than a day from now, was kept by a clock that was wrong. */
const farMs = 2 * 86_400_000;

/** What a file has beyond those that were asked for goes back when nobody asks for them for so long. */
const heldMs = 2_000;

export function createClaims(world: ClaimsWorld): Claims {
  const { root, disk, folders, files, owner, inHand, now, uptime } = world;
  const hands = new Map<string, Hand>();
  /** Claimed together with others, and not yet asked for. */
  let held: Claimed[] = [];
  let looking: AsyncGenerator<Place> | undefined;
  let letGoLater: NodeJS.Timeout | undefined;
  let wake: () => void = () => {};
  let isEnding = false;

  return {
    due: async (wanted, waitMs, stop) => {
      const stopped = () => wake();
      stop?.addEventListener('abort', stopped);
      try {
        return await due(wanted, uptime() + waitMs, () => isEnding || stop?.aborted === true);
      } finally {
        stop?.removeEventListener('abort', stopped);
      }
    },
    file,
    hand,
    left: (mark) => hands.get(mark)?.left(),
    wake: () => wake(),
    end: () => {
      isEnding = true;
      clearTimeout(letGoLater);
      wake();
    },
    giveBack: async () => {
      held = [];
      await looking?.return(undefined);
      await Promise.all([...hands.values()].map((one) => one.giveBack()));
    },
  };

  async function due(wanted: Wanted, until: number, isOver: () => boolean): Promise<readonly Claim[]> {
    clearTimeout(letGoLater);
    while (!isOver()) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      await hold(wanted);
      const claims = held
        .splice(0, howMany(wanted))
        .map(({ hand, number, entry }) => hand.claim(number, entry));
      const leftMs = until - uptime();
      if (claims.length > 0 || leftMs <= 0) {
        if (held.length > 0) letGoLater = setTimeout(() => void letGo(), heldMs).unref();
        return claims;
      }
      await inTime(Math.min(leftMs, lookMs), woken, () => {});
    }
    return [];
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

  function heldBytes(): number {
    return held.reduce((bytes, { entry }) => bytes + entry.kept.content.length, 0);
  }

  /** Until enough are held, or no more are due. Where it stopped, it goes on. */
  async function hold(wanted: Wanted): Promise<void> {
    let isFromStart = false;
    let problem: unknown;
    while (held.length < wanted.most && heldBytes() < wanted.mostBytes && !isEnding) {
      if (!looking) {
        if (isFromStart) break;
        isFromStart = true;
        await folders.check();
        looking = dueFiles();
      }
      const place = await nextDue(looking);
      if (!place) {
        looking = undefined;
        continue;
      }
      try {
        held.push(...(await file(place)));
      } catch (error) {
        // It may be this file alone.
        problem ??= error;
      }
    }
    if (problem && held.length === 0) throw problem;
  }

  async function nextDue(places: AsyncGenerator<Place>): Promise<Place | undefined> {
    try {
      const next = await places.next();
      return next.done ? undefined : next.value;
    } catch (error) {
      looking = undefined;
      throw error;
    }
  }

  /** Minute by minute. */
  async function* dueFiles(): AsyncGenerator<Place> {
    for (const { folder, start } of await files.minutes()) {
      if (start > now() && start < now() + farMs) continue;
      let isEmpty = true;
      for await (const place of files.in(folder)) {
        if (isDue(place.name)) yield place;
        else isEmpty = false;
      }
      if (isEmpty && isOver(start, now())) await tidyUp(join(root, folder));
    }
  }

  /** What was kept while the clock was far ahead does not wait until then. */
  function isDue({ status, keptAt }: FileName): boolean {
    if (typeof status !== 'number') return false;
    return status <= now() || (status > now() + farMs && keptAt > now() + farMs / 2);
  }

  async function tidyUp(path: string): Promise<void> {
    try {
      await removeFolder(disk, path);
      folders.forget();
    } catch {
      // Somebody has put something into it, or has removed it.
    }
  }

  async function file({ path, name }: Place): Promise<readonly Claimed[]> {
    const own = { name, path: join(await owner.folder(), nameOf(name)) };
    inHand.add(name.mark);
    try {
      await disk.rename(path, own.path);
    } catch (error) {
      inHand.remove(name.mark);
      if (codeOf(error) !== 'ENOENT') throw error;
      // Then it is the own folder that is gone.
      if (await disk.isThere(path)) folders.forget();
      return [];
    }
    try {
      return await readClaimed(own);
    } catch (error) {
      // It goes back with the next beat.
      inHand.remove(name.mark);
      throw error;
    }
  }

  async function readClaimed(own: Place): Promise<readonly Claimed[]> {
    const opened = await files.open(own);
    if (!opened) {
      // Where all of the store is away, it comes back, and this goes back with the next beat.
      inHand.remove(own.name.mark);
      return [];
    }
    const one = newHand(own.name, opened.entries.keys(), opened.file);
    // All is settled: a process died before it could remove it.
    if (opened.entries.size === 0) await one.giveBack();
    return [...opened.entries].map(([number, entry]) => ({ hand: one, number, entry }));
  }

  function hand(name: FileName, numbers: Iterable<number>, file: DiskFile | undefined): Hand {
    // All that was written together is in one.
    return hands.get(name.mark) ?? newHand(name, numbers, file);
  }

  function newHand(name: FileName, numbers: Iterable<number>, file: DiskFile | undefined): Hand {
    const { mark } = name;
    const gone = () => {
      if (hands.get(mark) === one) hands.delete(mark);
      inHand.remove(mark);
    };
    const one = createHand(name, numbers, file, { ...world, gone });
    hands.set(mark, one);
    return one;
  }

  /** Nobody has asked for them for a while: another process may. */
  async function letGo(): Promise<void> {
    const free = held;
    held = [];
    const some = new Set(free.map((one) => one.hand));
    // What fails is put back when the process ends.
    const letGo = (hand: Hand) => hand.letGo(free.filter((one) => one.hand === hand)).catch(() => {});
    await Promise.all([...some].map(letGo));
  }
}
