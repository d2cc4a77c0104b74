import * as v from 'valibot';
import { domainOf } from '../base/address.ts';
import { type Finding, finding } from '../base/config_finding.ts';
import type { Mailbox } from '../base/effects.ts';
import { addressOf } from '../base/mailbox.ts';
import type { AnySchema, Schema } from '../schema/any_schema.ts';
import { optional } from '../schema/keys.ts';
import type { DkimTarget } from '../transports/smtp/smtp_message.ts';
import type { LateKey } from './output.ts';

let read: Schema<DkimTarget> = v.never() as AnySchema as Schema<DkimTarget>;

/** Most servers sign what they send, so most relays start without it. */
export const lateDkim: LateKey = {
  name: 'dkim',
  load: async () => {
    read = (await import('./dkim_keys.ts')).dkimSchema;
  },
};

/** What stands under `dkim`, for those who describe the config. */
export const dkim: Schema<DkimTarget> = v.lazy(() => read);

export const dkimKey = {
  dkim: optional(
    'Signs each mail with DKIM, for a server that does not: most do, and then this is not needed.',
    dkim,
  ),
};

/** DMARC counts a signature only where it is of the domain that readers see (RFC 9989, 4.4). */
export function dkimWarnings(signing: DkimTarget | undefined, from: Mailbox): readonly Finding[] {
  const sender = domainOf(addressOf(from));
  if (!signing || ending(signing.domain) === ending(sender)) return [];
  return [finding('dkim_not_aligned', ['dkim', 'domain'], { domain: signing.domain, from: sender })];
}

/**
 * What domains of one owner share at least. Those of two owners may share it too, where it is sold to everybody as
 * `co.uk` is: that is not known here, and `relay doctor` asks the DNS.
 */
const ending = (domain: string) => domain.split('.').slice(-2).join('.');
