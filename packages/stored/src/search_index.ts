/** The search indexes of this user's inboxes, so that what is removed from an archive goes from them, too. */
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { isBucket } from './archive/open.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Where the index of a config lies, unless `--index` names another folder. `undefined`: this user has no home folder. */
export function indexFolder(config: string, env: Environment): string | undefined {
  const cache = cacheFolder(env);
  return cache && join(cache, shortHash(resolve(config)));
}

/** Where the inbox of a config keeps what people add to submissions, unless `--store` or `inbox.store` names another folder. */
export function storeFolder(config: string, env: Environment): string | undefined {
  const home = homeFolder();
  const data = env.XDG_DATA_HOME || (home && join(home, '.local', 'share'));
  return data ? join(data, 'form-relay', shortHash(resolve(config))) : undefined;
}

function cacheFolder(env: Environment): string | undefined {
  const home = homeFolder();
  const cache = env.XDG_CACHE_HOME || (home && join(home, '.cache'));
  return cache ? join(cache, 'form-relay') : undefined;
}

/** `homedir` throws where neither HOME nor the list of users has one, as in some containers. */
function homeFolder(): string | undefined {
  try {
    return homedir();
  } catch {
    return undefined;
  }
}

const shortHash = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16);

/** Notes for `forgetInIndexes` where an index is and what it reads. @param places Archives: absolute paths, and `s3://…`. */
export function registerIndex(folder: string, places: readonly string[], env: Environment): void {
  try {
    writeFileSync(join(folder, placesName), places.join('\n'), { mode: 0o600 });
    const cache = cacheFolder(env);
    if (!cache || dirname(resolve(folder)) === cache) return;
    makeFolder(cache);
    writeFileSync(join(cache, `${shortHash(resolve(folder))}.folder`), resolve(folder), { mode: 0o600 });
  } catch {
    // A container may have no cache folder, and its index is elsewhere.
  }
}

const placesName = 'places';

/** After a removal: inboxes that run look at their archives at once, and other indexes go; the next inbox builds them again. */
export function forgetInIndexes(archive: string, env: Environment): void {
  for (const folder of indexFolders(env)) {
    try {
      if (!reads(folder, archive) || !existsSync(join(folder, 'index.sqlite'))) continue;
      if (ownerOf(folder) === undefined) removeIndex(folder);
      else writeFileSync(join(folder, lookName), '', { mode: 0o600 });
    } catch {
      // Another user's.
    }
  }
}

/** Whether the inbox of an index reads an archive. Older versions noted none. */
function reads(index: string, archive: string): boolean {
  const place = isBucket(archive) ? archive.replace(/\/$/, '') : resolve(archive);
  const places = join(index, placesName);
  return !existsSync(places) || readFileSync(places, 'utf8').split('\n').includes(place);
}

function indexFolders(env: Environment): readonly string[] {
  const cache = cacheFolder(env);
  if (!cache) return [];
  try {
    return readdirSync(cache).map((name) =>
      name.endsWith('.folder') ? readFileSync(join(cache, name), 'utf8') : join(cache, name),
    );
  } catch {
    return [];
  }
}

/** Creating this file next to an index requests the inbox to scan the archives. */
const lookName = 'look';

export function isLookRequested(folder: string): boolean {
  const file = join(folder, lookName);
  if (!existsSync(file)) return false;
  rmSync(file, { force: true });
  return true;
}

/** Notes beside an index that a store has something on its submissions, for `eraseInStores`. */
export const registerStore = (index: string, store: string): void =>
  writeFileSync(join(index, storeName), store, { mode: 0o600 });

const storeName = 'store';

/** After an erasure from archives: asks inboxes to remove what people added. Returns the folders of their stores. */
export function eraseInStores(
  archives: readonly string[],
  ids: readonly string[],
  env: Environment,
): readonly string[] {
  const folders = new Set<string>();
  for (const index of indexFolders(env)) {
    try {
      const store = readFileSync(join(index, storeName), 'utf8');
      if (archives.some((archive) => reads(index, archive)) && existsSync(store)) folders.add(store);
    } catch {
      // The inbox has no store, or is another user's.
    }
  }
  const lines = ids.map((id) => `${id}\n`).join('');
  for (const folder of folders) appendFileSync(join(folder, erasedName), lines, { mode: 0o600 });
  return [...folders];
}

const erasedName = 'erased';

/** Erases what commands asked for since the last call, and again what a killed process left. */
export function takeErased(folder: string, erase: (ids: readonly string[]) => void): void {
  const file = join(folder, erasedName);
  const taken = `${file}.taken`;
  if (existsSync(file) && !existsSync(taken)) renameSync(file, taken);
  if (!existsSync(taken)) return;
  erase(readFileSync(taken, 'utf8').split('\n').filter(Boolean));
  rmSync(taken, { force: true });
}

/** Files of an index, and of those of other versions. */
const files = [
  'index.sqlite',
  'index.sqlite-journal',
  'index.sqlite.new',
  'columns.bin',
  'state.json',
  'dirty',
];

/** Read flags stay. */
export function removeIndex(folder: string): void {
  for (const name of files) rmSync(join(folder, name), { force: true });
}

/** The process that writes an index, while it lives. */
export function ownerOf(folder: string): number | undefined {
  const file = join(folder, 'owner');
  const pid = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
  return isAlive(pid) ? pid : undefined;
}

export function isAlive(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Node 20 never ends a recursive `mkdirSync` where a folder cannot be made, as below /proc. */
export function makeFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  if (dirname(folder) !== folder) makeFolder(dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}
