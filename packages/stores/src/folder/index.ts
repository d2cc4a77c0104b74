import type { Remedies, StoreType } from '../store.ts';

/** A store in a folder, which the processes of a machine may share. */
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
  const denied = `The relay's user must be able to read, write and enter the folder and its content: chown -R USER ${path} && chmod -R u+rwX ${path}. Run relay doctor as that user.`;
  return {
    folder_denied: denied,
    counts_denied: denied,
    folder_full: `Free space on its disk, or raise the quota of the relay's user: df -h ${path} and df -i ${path} show the remaining space.`,
    folder_read_only: `Mount it writable for the relay; a systemd unit with ProtectSystem=strict needs ReadWritePaths=${path} as well.`,
    counts_damaged:
      'Stop the relay, and remove the folder of this file. Then set the number taken with relay places --set. Values that `once` had registered are accepted again.',
    other: `Create the folder where the relay runs, only for its user: install -d -m 700 -o USER ${path}`,
  };
}
