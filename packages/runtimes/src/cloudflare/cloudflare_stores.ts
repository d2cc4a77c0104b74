import type { Diagnostics } from '@form-relay/core/schema/diagnostics';
import { isMap } from '@form-relay/core/schema/kinds';

/** Reports stores that only Cloudflare Workers have: as mistakes where the relay runs elsewhere, else as warnings. */
export function reportCloudflareStores(
  config: unknown,
  at: Diagnostics,
  severity: 'error' | 'warning' = 'error',
): void {
  const { keep, counted_in: counted } = isMap(config) ? config : {};
  const report = (place: Diagnostics, instead: string) =>
    place[severity](
      `only Cloudflare Workers have this store, and a relay elsewhere does not load this config; there, write ${instead}; for Workers, check it with \`relay config validate --for cloudflare\``,
      { code: 'store_of_cloudflare' },
    );
  if (isMap(keep) && /^queue:\/\/\w/i.test(String(keep.in)))
    report(at.in('keep', 'in'), 'a folder such as /var/lib/form-relay, sqs://… or nats://… (docs/keep.md)');
  if (/^durable-object:\/\/\w/.test(String(counted)))
    report(
      at.in('counted_in'),
      'a folder such as /var/lib/form-relay, nats://host:4222/stream or dynamodb://table (docs/places.md)',
    );
}
