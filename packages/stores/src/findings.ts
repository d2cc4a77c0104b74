/** Findings about every store. */
import type { ClientError } from '@form-relay/base/client_error';
import { type Finding, failure, warning } from '@form-relay/base/finding';
import { worksOn } from './index.ts';
import type { Remedies, StorePlace } from './store.ts';

/** For one conversation with a store, within the time of a check. */
export const checkTimeoutMs = 8_000;

/** The finding on a store that only a Worker reaches, which may be in order. */
export const unreachableFromHere = ({ name, type }: StorePlace): Finding | undefined =>
  worksOn(type, 'node')
    ? undefined
    : warning(
        name,
        'cannot be checked from here, because only Cloudflare Workers can reach it; elsewhere, this config does not load',
        'On Cloudflare, run relay config validate --for cloudflare before you deploy, and check /readyz afterwards (docs/deploy/cloudflare.md). Elsewhere, use another store (docs/keep-stores.md, docs/counting.md).',
      );

/** A failure that a store reports. */
export const storeFailure = (
  { name }: StorePlace,
  error: ClientError,
  consequence: string,
  remedies: Remedies | undefined,
): Finding =>
  failure(
    name,
    `${error.message}; until this works, ${consequence}`,
    remedies?.[error.code] ??
      remedies?.other ??
      'Check the address, the credentials, and that the server is reachable.',
  );
