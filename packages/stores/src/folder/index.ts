import type { Remedies, StoreType } from '../store.ts';

/** A folder, which the processes of a machine may share. */
export const folder: StoreType = {
  schemes: [''],
  example: 'a folder such as /var/lib/form-relay',
  holds: ['deliveries', 'counts'],
  platforms: ['node', 'lambda'],
  isFolder: true,
  open: async (path, context) => {
    const { openFolder } = await import('./folder_leases.ts');
    return openFolder(path, context, folderRemedies(path));
  },
};

export function folderRemedies(path: string): Remedies {
  const denied = `The user as whom the relay runs has to read, write and enter it, and all that is in it: chown -R form-relay ${path} && chmod -R u+rwX ${path}. Run relay doctor as that user.`;
  return {
    folder_denied: denied,
    counts_denied: denied,
    folder_full: `Make room on its disk, or raise the quota of the user as whom the relay runs: df -h ${path} and df -i ${path} show what is left.`,
    folder_read_only: `Mount it so that the relay may write into it; a systemd unit with ProtectSystem=strict needs ReadWritePaths=${path} as well.`,
    counts_damaged:
      'Stop the relay, and remove the folder of this file. Write the number of places with relay places --set; registrations in it can then come again.',
    other: 'Make the folder where the relay runs, for its user alone: install -d -m 700 -o form-relay …',
  };
}
