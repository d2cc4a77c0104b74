import type { ClientError } from '@form-relay/base/client_error';
import type { Finding } from '@form-relay/core/command';
import { type Diagnosis, warning } from '@form-relay/mail-dns';
import type { Remedies } from '@form-relay/stores/store';
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

/** A finding of a store, as a diagnosis. */
export const diagnosisOf = (name: string, { level, says, remedy }: Finding): Diagnosis => ({
  subject: name,
  verdict: level,
  says,
  ...(remedy !== undefined && { remedy }),
});

/** A failure that a store reports. */
export const remedyOf = (remedies: Remedies | undefined, { code }: ClientError): string =>
  remedies?.[code] ??
  remedies?.other ??
  'Check the address, the credentials, and that its server can be reached.';
