import { constants, type Dir, type Dirent } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, opendir, rename, rmdir, stat, unlink } from 'node:fs/promises';
import { failed } from '../../../base/client_error.ts';
import { syncFolder } from '../../../transports/folder/store_file.ts';

/** What the store asks the system for: each is one call, or few that nothing can come between. */
export interface Disk {
  /** What is in a folder, in no order, as it is read. */
  list(folder: string): AsyncIterable<Listing>;
  /** For nobody else to read. Fails where something is already. */
  makeFolder(path: string): Promise<void>;
  /** @param follows Whether a link to a folder is one. */
  isFolder(path: string, follows: boolean): Promise<boolean>;
  isThere(path: string): Promise<boolean>;
  /** A new file, for nobody else to read. */
  create(path: string): Promise<DiskFile>;
  /** Never through a link. */
  open(path: string, mayWrite: boolean): Promise<DiskFile>;
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** An empty one. */
  removeFolder(path: string): Promise<void>;
  /** A name is on the disk when its folder is. */
  syncFolder(path: string): Promise<void>;
}

export interface Listing {
  readonly name: string;
  readonly isFile: boolean;
  readonly isFolder: boolean;
}

export interface DiskFile {
  write(pieces: readonly Uint8Array[], at: number): Promise<void>;
  /** Up to so many from its beginning. */
  read(most: number): Promise<Buffer>;
  /** All of it. `undefined`: it has more than so many, or is no file, such as a pipe. */
  readAll(most: number): Promise<Buffer | undefined>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** As for files that outputs write: a disk that hangs leaves one of Node's four threads to the others (D47). */
const mostAtOnce = 3;

/** A disk that takes longer is one that hangs. Visitors wait less. */
const patienceMs = 30_000;

/** @throws ClientError `timed_out`; other errors are the system's. */
export function systemDisk(): Disk {
  const call = createCalls();
  const fileOf = (handle: FileHandle): DiskFile => ({
    write: (pieces, at) =>
      call(async () => {
        let position = at;
        for (const piece of joined(pieces)) {
          await writeAll(handle, piece, position);
          position += piece.length;
        }
      }),
    read: (most) => call(async () => readSome(handle, Math.min((await handle.stat()).size, most))),
    readAll: (most) =>
      call(async () => {
        const about = await handle.stat();
        return about.isFile() && about.size <= most ? readSome(handle, about.size) : undefined;
      }),
    sync: () => call(() => handle.sync()),
    close: () => call(() => handle.close()),
  });
  return {
    async *list(folder) {
      const directory = await call(() => opendir(folder, { bufferSize: namesAtOnce }));
      try {
        for (;;) {
          const entries = await call(() => listSome(directory));
          for (const entry of entries)
            yield { name: entry.name, isFile: entry.isFile(), isFolder: entry.isDirectory() };
          if (entries.length < namesAtOnce) return;
        }
      } finally {
        await call(() => directory.close());
      }
    },
    makeFolder: (path) => call(() => mkdir(path, 0o700)),
    isFolder: (path, follows) => call(async () => (await (follows ? stat : lstat)(path)).isDirectory()),
    isThere: (path) =>
      call(() =>
        lstat(path).then(
          () => true,
          (error) => {
            if (codeOf(error) === 'ENOENT') return false;
            throw error;
          },
        ),
      ),
    create: async (path) => fileOf(await call(() => open(path, 'wx+', 0o600))),
    open: async (path, mayWrite) => {
      // A pipe that somebody has put there must not hold up a thread until somebody writes into it.
      const safely = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
      const flags = (mayWrite ? constants.O_RDWR : constants.O_RDONLY) | safely;
      return fileOf(await call(() => open(path, flags)));
    },
    rename: (from, to) => call(() => rename(from, to)),
    remove: (path) => call(() => unlink(path)),
    removeFolder: (path) => call(() => rmdir(path)),
    syncFolder: (path) => call(() => syncFolder(path)),
  };
}

interface Call {
  readonly work: () => Promise<unknown>;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
  startedAt: number;
}

/** Calls in line. When one of those under way hangs, it fails, and so do all that wait. */
function createCalls(): <T>(work: () => Promise<T>) => Promise<T> {
  const line = new Set<Call>();
  const underWay = new Set<Call>();
  let watch: NodeJS.Timeout | undefined;

  return (work) =>
    new Promise((resolve, reject) => {
      line.add({ work, resolve, reject, startedAt: 0 });
      next();
      watch ??= setInterval(look, 1_000).unref();
    });

  function next(): void {
    for (const call of line) {
      if (underWay.size === mostAtOnce) return;
      line.delete(call);
      underWay.add(call);
      call.startedAt = performance.now();
      void call
        .work()
        .then(call.resolve as (value: unknown) => void, call.reject)
        .finally(() => {
          underWay.delete(call);
          next();
        });
    }
  }

  function look(): void {
    const before = performance.now() - patienceMs;
    const hanging = [...underWay].filter(({ startedAt }) => startedAt < before);
    const late = failed('timed_out', { timeoutMs: patienceMs }, { retryAfterMs: 0 });
    for (const { reject } of hanging) reject(late);
    // Nothing of what is late before its turn comes is done any more.
    if (hanging.length > 0) for (const { reject } of line) reject(late);
    if (hanging.length > 0) line.clear();
    if (underWay.size > 0) return;
    clearInterval(watch);
    watch = undefined;
  }
}

/** Between them, everything else in the process has its turn. */
const namesAtOnce = 128;

async function listSome(directory: Dir): Promise<readonly Dirent[]> {
  const entries: Dirent[] = [];
  while (entries.length < namesAtOnce) {
    const entry = await directory.read();
    if (entry === null) break;
    entries.push(entry);
  }
  return entries;
}

/** Small pieces are put together, so that they are one call; large ones are not copied. */
function joined(pieces: readonly Uint8Array[]): readonly Uint8Array[] {
  const large = 1_000_000;
  const written: Uint8Array[] = [];
  let small: Uint8Array[] = [];
  for (const piece of pieces) {
    if (piece.length < large) small.push(piece);
    else {
      written.push(Buffer.concat(small), piece);
      small = [];
    }
  }
  return [...written, Buffer.concat(small)];
}

async function readSome(handle: FileHandle, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  let at = 0;
  while (at < length) {
    const { bytesRead } = await handle.read(bytes, at, length - at, at);
    if (bytesRead === 0) break;
    at += bytesRead;
  }
  return bytes.subarray(0, at);
}

async function writeAll(handle: FileHandle, bytes: Uint8Array, at: number): Promise<void> {
  let done = 0;
  while (done < bytes.length) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, at + done);
    done += bytesWritten;
  }
}

export const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code ?? '';
