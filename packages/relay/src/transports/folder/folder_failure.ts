import { ClientError, failed } from '../../base/client_error.ts';

/** What the system's error says for the owner of a folder; any other error as it is. */
export function folderFailure(error: unknown, path: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof ClientError || code === undefined) return error;
  switch (code) {
    case 'ENOENT':
      return failed('folder_missing', { path });
    case 'ENOTDIR':
      return failed('folder_is_none', { path });
    case 'EACCES':
    case 'EPERM':
      return failed('folder_denied', { path });
    case 'EROFS':
      return failed('folder_read_only', { path });
    case 'ENOSPC':
    case 'EDQUOT':
      return failed('folder_full', { path });
    default:
      return failed('folder_failed', { path, code }, passing.includes(code) ? { retryAfterMs: 0 } : {});
  }
}

/** Those that pass by themselves. */
const passing = ['EMFILE', 'ENFILE', 'EAGAIN', 'EBUSY', 'EINTR', 'EIO', 'ENOMEM', 'ESTALE', 'ETIMEDOUT'];
