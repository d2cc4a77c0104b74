import type { ClientError } from '@form-relay/base/client_error';

/** Tells the owner how to make a folder usable for the relay. */
export function folderRemedy({ code }: ClientError, path: string): string {
  switch (code) {
    case 'folder_denied':
    case 'counts_denied':
      return `The user as whom the relay runs has to read, write and enter it, and all that is in it: chown -R form-relay ${path} && chmod -R u+rwX ${path}. Run relay doctor as that user.`;
    case 'folder_full':
      return `Make room on its disk, or raise the quota of the user as whom the relay runs: df -h ${path} and df -i ${path} show what is left.`;
    case 'folder_read_only':
      return `Mount it so that the relay may write into it; a systemd unit with ProtectSystem=strict needs ReadWritePaths=${path} as well.`;
    default:
      return 'Make the folder where the relay runs, for its user alone: install -d -m 700 -o form-relay …';
  }
}
