import type { ClientError } from '@form-relay/relay/base';

/** What to do about a folder of the relay's that cannot be used. */
export function folderRemedy({ code }: ClientError, path: string): string {
  return code === 'folder_denied' || code === 'counts_denied'
    ? `The user as whom the relay runs has to read, write and enter it, and all that is in it: chown -R form-relay ${path} && chmod -R u+rwX ${path}. Run relay doctor as that user.`
    : 'Make the folder where the relay runs, for its user alone: install -d -m 700 -o form-relay …';
}
