/** Why a file cannot be written, for the owner. */
export const whyUnwritten = (error: unknown): string =>
  reasons[(error as NodeJS.ErrnoException).code ?? ''] ?? 'the file cannot be written';

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'a part of its path is no folder',
  EEXIST: 'it is there already, and is not written over',
};
