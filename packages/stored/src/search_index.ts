/** The search indexes of this user's inboxes, so that submissions removed from an archive are removed from the indexes, too. */
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

/** The index folder of a config, unless `--index` sets another one. `undefined` if this user has no home folder. */
export function indexFolder(config: string, env: Environment): string | undefined {
  const cache = cacheFolder(env);
  return cache && join(cache, shortHash(resolve(config)));
}

/**
 * The folder in which the inbox of a config stores what people add to submissions, unless `--store` or
 * `inbox.store` sets another one.
 */
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

/** Catches the error of `homedir` if neither HOME nor the user database has a home folder, as in some containers. */
function homeFolder(): string | undefined {
  try {
    return homedir();
  } catch {
    return undefined;
  }
}

const shortHash = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16);

/** Records for `forgetInIndexes` where an index is and which archives it covers. @param places Absolute paths, or `s3://…`. */
export function registerIndex(folder: string, places: readonly string[], env: Environment): void {
  try {
    writeFileSync(join(folder, placesName), places.join('\n'), { mode: 0o600 });
    const cache = cacheFolder(env);
    if (!cache || dirname(resolve(folder)) === cache) return;
    makeFolder(cache);
    writeFileSync(join(cache, `${shortHash(resolve(folder))}.folder`), resolve(folder), { mode: 0o600 });
  } catch {
    // A container may have no cache folder, and then its index is elsewhere.
  }
}

const placesName = 'places';

/**
 * Call this after a removal: running inboxes rescan their archives at once; other indexes are deleted, and
 * rebuilt by the next inbox.
 */
export function forgetInIndexes(archive: string, env: Environment): void {
  for (const folder of indexFolders(env)) {
    try {
      if (!reads(folder, archive) || !existsSync(join(folder, 'index.sqlite'))) continue;
      if (ownerOf(folder) === undefined) removeIndex(folder);
      else writeFileSync(join(folder, lookName), '', { mode: 0o600 });
    } catch {
      // The index belongs to another user.
    }
  }
}

/** Whether an index covers an archive. Older versions did not record that, so the answer is then yes. */
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

/** Creating this file beside an index asks the inbox to scan the archives. */
const lookName = 'look';

export function isLookRequested(folder: string): boolean {
  const file = join(folder, lookName);
  if (!existsSync(file)) return false;
  rmSync(file, { force: true });
  return true;
}

/** Records beside an index which store has additions to its submissions, for `eraseInStores`. */
export const registerStore = (index: string, store: string): void =>
  writeFileSync(join(index, storeName), store, { mode: 0o600 });

const storeName = 'store';

/** Call this after an erasure from archives: asks inboxes to remove what people added. Returns the folders of their stores. */
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
      // The inbox has no store, or belongs to another user.
    }
  }
  const lines = ids.map((id) => `${id}\n`).join('');
  for (const folder of folders) appendFileSync(join(folder, erasedName), lines, { mode: 0o600 });
  return [...folders];
}

const erasedName = 'erased';

/** Erases what commands have requested since the last call, and repeats what a killed process left unfinished. */
export function takeErased(folder: string, erase: (ids: readonly string[]) => void): void {
  const file = join(folder, erasedName);
  const taken = `${file}.taken`;
  if (existsSync(file) && !existsSync(taken)) renameSync(file, taken);
  if (!existsSync(taken)) return;
  erase(readFileSync(taken, 'utf8').split('\n').filter(Boolean));
  rmSync(taken, { force: true });
}

/** The files of an index of this or another version. */
const files = [
  'index.sqlite',
  'index.sqlite-journal',
  'index.sqlite.new',
  'columns.bin',
  'state.json',
  'dirty',
];

/** Removes an index. Read flags stay. */
export function removeIndex(folder: string): void {
  for (const name of files) rmSync(join(folder, name), { force: true });
}

/** The process that writes an index, as long as it is alive. */
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

/**
 * Creates a folder and its parents. In Node 20, a recursive `mkdirSync` hangs if a folder cannot be created,
 * for example below /proc.
 */
export function makeFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  if (dirname(folder) !== folder) makeFolder(dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}
