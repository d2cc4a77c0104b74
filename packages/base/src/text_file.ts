import { close, constants, fstat, open, read, type Stats } from 'node:fs';
import { promisify } from 'node:util';
import { maxConfigBytes, ownersText } from './owners_text.ts';
import { err, ok, type Result } from './result.ts';

/**
 * Reads a text file and its modification time (milliseconds since the epoch), or returns why it cannot be
 * read, in words for the owner.
 */
export type ReadFile = (
  path: string,
) => Promise<Result<{ readonly text: string; readonly modifiedAt: number }, string>>;

export const tooLarge = err('the file is over 16 MB');

/** Without this flag, opening a pipe that has no writer would wait forever. Windows does not have the flag. */
export const withoutWaiting = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Reads only regular files: a pipe or a device may never end. */
export const readTextFile: ReadFile = async (path) => {
  let fd: number | undefined;
  try {
    // Importing node:fs/promises would cost every cold start 1 ms and 1 MB.
    fd = await promisify(open)(path, withoutWaiting);
    const stats = await promisify(fstat)(fd);
    if (!stats.isFile()) return err(`this is ${kindOf(stats)}, not a file`);
    if (stats.size > maxConfigBytes) return tooLarge;
    const bytes = await readToEnd(fd);
    if (bytes === undefined) return tooLarge;
    const text = ownersText(bytes);
    if (!text.ok) return text;
    // Read the time last, so that a write in the meantime makes the file look new.
    const { mtimeMs: modifiedAt } = await promisify(fstat)(fd);
    return ok({ text: text.value, modifiedAt });
  } catch (error) {
    return err(whyUnreadable(error));
  } finally {
    if (fd !== undefined) await promisify(close)(fd);
  }
};

const pieceBytes = 262_144;

/** `undefined` for a file that has grown too large since it was opened. */
async function readToEnd(fd: number): Promise<Buffer | undefined> {
  const pieces: Buffer[] = [];
  for (let size = 0; size <= maxConfigBytes; ) {
    const piece = Buffer.allocUnsafe(pieceBytes);
    const { bytesRead, buffer } = await promisify(read)(fd, piece, 0, pieceBytes, null);
    if (bytesRead === 0) return Buffer.concat(pieces, size);
    pieces.push(buffer.subarray(0, bytesRead));
    size += bytesRead;
  }
  return undefined;
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a directory';
  return stats.isFIFO() ? 'a pipe' : 'a device';
}

export const whyUnreadable = (error: unknown): string =>
  reasons[(error as NodeJS.ErrnoException).code ?? ''] ?? 'the file cannot be read';

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'the file does not exist',
  EACCES: 'this user is not allowed to read the file',
  EISDIR: 'this is a directory, not a file',
  ENXIO: 'this is a socket, not a file',
};

/** Why a file cannot be written, in words for the owner. */
export const whyUnwritten = (error: unknown): string =>
  unwritten[(error as NodeJS.ErrnoException).code ?? ''] ?? 'the file cannot be written';

const unwritten: Readonly<Record<string, string>> = {
  EACCES: 'this user is not allowed to write there',
  EPERM: 'this user is not allowed to write there',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  ENOENT: 'the folder does not exist',
  ENOTDIR: 'a part of the path is not a folder',
  EEXIST: 'the file exists already and is not overwritten',
};
