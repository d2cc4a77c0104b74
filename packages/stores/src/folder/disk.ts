import { close, constants, type Dir, type Dirent, fsync, open as openFile, read, write } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, opendir, rename, rmdir, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { syncFolder } from '@form-relay/clients/folder';
import { failed } from '../failures.ts';

/** The system calls that a store makes. Each method is one call, or a few that cannot be interrupted. */
export interface Disk {
  /** The contents of a folder, in no particular order, as they are read. */
  list(folder: string): AsyncIterable<Listing>;
  /** Creates a folder that other users cannot read. Fails if the path exists. */
  makeFolder(path: string): Promise<void>;
  /** @param follows Whether a link to a folder counts as a folder. */
  isFolder(path: string, follows: boolean): Promise<boolean>;
  isThere(path: string): Promise<boolean>;
  /** Creates a file that other users cannot read. Fails if the path exists. */
  create(path: string): Promise<DiskFile>;
  /** Opens a file, but never follows a link. */
  open(path: string, mayWrite: boolean): Promise<DiskFile>;
  /**
   * Appends bytes durably, in one piece even if other processes do the same. Resolves with everything in the
   * file after `from`. Never follows a link.
   */
  append(path: string, bytes: Uint8Array, from: number): Promise<Buffer>;
  /** Reads the rest of a file after `from`. Never follows a link. */
  readFrom(path: string, from: number): Promise<Buffer>;
  /** Renames. Fails if the target is a non-empty folder. */
  rename(from: string, to: string): Promise<void>;
  /** Removes a file. Resolves with whether it existed. */
  remove(path: string): Promise<boolean>;
  /** Removes a folder. Fails if it is not empty. */
  removeFolder(path: string): Promise<void>;
  /** Makes the names in a folder durable. */
  syncFolder(path: string): Promise<void>;
}

export interface Listing {
  readonly name: string;
  readonly isFile: boolean;
  readonly isFolder: boolean;
}

export interface DiskFile {
  write(pieces: readonly Uint8Array[], at: number): Promise<void>;
  /** `undefined` if the file has more than `most` bytes or is not a regular file, such as a pipe. */
  readAll(most: number): Promise<Buffer | undefined>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** If the disk hangs, one of Node's four threads is left for other work, such as files of outputs. */
const mostAtOnce = 3;

/** A call that takes longer has hung. Visitors wait less. */
const patienceMs = 30_000;

/** @throws ClientError `timed_out`, or errors of the system. */
export function systemDisk(): Disk {
  const call = createCalls();
  const fileOf = (handle: FileHandle): DiskFile => ({
    write: (pieces, at) =>
      call(async () => {
        let position = at;
        for (const piece of gathered(pieces)) {
          await writeAll(handle, piece, position);
          position += piece.length;
        }
      }),
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
    makeFolder: (path) =>
      call(async () => {
        await mkdir(path, 0o700);
        if (!isRoot()) return;
        const folder = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
        await giveToOwner(folder, path);
        await folder.close();
      }),
    isFolder: (path, follows) => call(async () => (await (follows ? stat : lstat)(path)).isDirectory()),
    isThere: (path) => call(() => wasThere(lstat(path))),
    create: async (path) => {
      const make = async () => {
        const file = await open(path, 'wx+', 0o600);
        if (isRoot()) await giveToOwner(file, path);
        return file;
      };
      return fileOf(await call(make));
    },
    open: async (path, mayWrite) => {
      // A planted pipe must not block a thread until someone writes to it.
      const safely = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
      const flags = (mayWrite ? constants.O_RDWR : constants.O_RDONLY) | safely;
      return fileOf(await call(() => open(path, flags)));
    },
    append: (path, bytes, from) => call(() => appendTo(path, bytes, from)),
    readFrom: (path, from) => call(() => readFrom(path, from)),
    rename: (from, to) => call(() => rename(from, to)),
    remove: (path) => call(() => wasThere(unlink(path))),
    removeFolder: (path) => call(() => rmdir(path)),
    syncFolder: (path) => call(() => syncFolder(path)),
  };
}

/** Joins small pieces, because a system call costs more than copying a few hundred bytes. */
const gathered = (pieces: readonly Uint8Array[]): readonly Uint8Array[] =>
  pieces.every(({ length }) => length < smallBytes) ? [Buffer.concat(pieces)] : pieces;

const smallBytes = 65_536;

const wasThere = (call: Promise<unknown>): Promise<boolean> =>
  call.then(
    () => true,
    (error) => {
      if (codeOf(error) === 'ENOENT') return false;
      throw error;
    },
  );

const isRoot = () => process.getuid?.() === 0;

/**
 * Gives files of root, for example from `relay places`, to the owner of the folder around them, because the
 * relay reads and writes them as a different user. In a container, root may lack the permission.
 */
async function giveToOwner(made: FileHandle, path: string): Promise<void> {
  const { uid, gid } = await stat(dirname(path));
  if (uid !== 0) await made.chown(uid, gid).catch(() => {});
}

interface Call {
  readonly work: () => Promise<unknown>;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
  startedAt: number;
}

/** Queues calls. If one hangs, that call and all waiting calls fail. */
function createCalls(): <T>(work: () => Promise<T>) => Promise<T> {
  let queue: Call[] = [];
  const underWay = new Set<Call>();
  let watch: NodeJS.Timeout | undefined;

  return (work) =>
    new Promise((resolve, reject) => {
      queue.push({ work, resolve, reject, startedAt: 0 });
      next();
      watch ??= setInterval(look, 1_000).unref();
    });

  function next(): void {
    while (underWay.size < mostAtOnce) {
      const call = queue.shift();
      if (!call) return;
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
    if (hanging.length > 0) {
      const late = failed('timed_out', { timeoutMs: patienceMs }, { retryAfterMs: 0 });
      for (const { reject } of [...hanging, ...queue]) reject(late);
      queue = [];
    }
    if (underWay.size > 0) return;
    clearInterval(watch);
    watch = undefined;
  }
}

/** How many names are read before other work of the process gets a turn. */
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

// Functions for files that grow at their end. The functions use file descriptors, which take less CPU time than handles.

const calls = {
  open: promisify(openFile) as (path: string, flags: number) => Promise<number>,
  write: promisify(write) as (file: number, bytes: Uint8Array) => Promise<{ readonly bytesWritten: number }>,
  sync: promisify(fsync),
  read: promisify(read) as (
    file: number,
    into: Buffer,
    offset: number,
    length: number,
    at: number,
  ) => Promise<{ readonly bytesRead: number; readonly buffer: Buffer }>,
  close: promisify(close),
};

/** A planted pipe must not block a thread until someone writes to it. */
const safely = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

const appendTo = (path: string, bytes: Uint8Array, from: number): Promise<Buffer> =>
  opened(path, constants.O_RDWR | constants.O_APPEND, async (file) => {
    const { bytesWritten } = await calls.write(file, bytes);
    // Another process may have written in the meantime, so the rest would not be contiguous.
    if (bytesWritten < bytes.length) throw Object.assign(new Error('cut off'), { code: 'ENOSPC' });
    await calls.sync(file);
    return readRest(file, from);
  });

const readFrom = (path: string, from: number): Promise<Buffer> =>
  opened(path, constants.O_RDONLY, (file) => readRest(file, from));

async function opened<T>(path: string, flags: number, work: (file: number) => Promise<T>): Promise<T> {
  const file = await calls.open(path, flags | safely);
  try {
    return await work(file);
  } finally {
    await calls.close(file);
  }
}

async function readRest(file: number, from: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for (let [at, size] = [from, 4_096]; ; size = 65_536) {
    const { bytesRead, buffer } = await calls.read(file, Buffer.allocUnsafe(size), 0, size, at);
    pieces.push(buffer.subarray(0, bytesRead));
    at += bytesRead;
    if (bytesRead < size) return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
  }
}
