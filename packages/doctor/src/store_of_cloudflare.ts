import { type Diagnosis, warning } from '@form-relay/mail-dns';

/** A store that only a Worker reaches may be in order. */
export const storeOfCloudflare = (name: string): Diagnosis =>
  warning(
    name,
    'cannot be examined from here, since only Cloudflare Workers reach it; elsewhere, this config does not load',
    'On Cloudflare, run relay config validate --for cloudflare before you deploy, and ask /readyz afterwards (docs/deploy/cloudflare.md). Elsewhere, use another store (docs/keep.md, docs/places.md).',
  );
