import type { ClientError } from '@form-relay/base/client_error';
import { type Diagnosis, warning } from '@form-relay/mail-dns';
import type { DoctorContext } from './context.ts';
import type { Setup } from './setup.ts';

/** Looks at one side of the setup. Everything that can be expected is a diagnosis. */
export type Examine = (setup: Setup, context: DoctorContext) => Promise<readonly Diagnosis[]>;

/** For one conversation with another server, within an examination's own limit. */
export const timeoutMs = 8_000;

/** A store that only a Worker reaches may be in order. */
export const storeOfCloudflare = (name: string): Diagnosis =>
  warning(
    name,
    'cannot be examined from here, since only Cloudflare Workers reach it; elsewhere, this config does not load',
    'On Cloudflare, run relay config validate --for cloudflare before you deploy, and ask /readyz afterwards (docs/deploy/cloudflare.md). Elsewhere, use another store (docs/keep.md, docs/places.md).',
  );

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
