/** Files that grow at their end. Numbers of files cost less CPU than handles. */
import { close, constants, fsync, open, read, write } from 'node:fs';
import { promisify } from 'node:util';

const calls = {
  open: promisify(open) as (path: string, flags: number) => Promise<number>,
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

/** A planted pipe must not block a thread until it is written to. */
const safely = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

export const appendTo = (path: string, bytes: Uint8Array, from: number): Promise<Buffer> =>
  opened(path, constants.O_RDWR | constants.O_APPEND, async (file) => {
    const { bytesWritten } = await calls.write(file, bytes);
    // Another process may have written since: the rest would not follow.
    if (bytesWritten < bytes.length) throw Object.assign(new Error('cut off'), { code: 'ENOSPC' });
    await calls.sync(file);
    return readRest(file, from);
  });

export const readFrom = (path: string, from: number): Promise<Buffer> =>
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
