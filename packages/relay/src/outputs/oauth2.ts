import * as v from 'valibot';
import { type Finding, finding } from '../base/config_finding.ts';
import type { AnySchema, Schema } from '../schema/any_schema.ts';
import { optional } from '../schema/keys.ts';
import type { OAuth2 } from '../transports/oauth2/grant.ts';
import type { LateKey } from './output.ts';

let read: Schema<OAuth2> = v.never() as AnySchema as Schema<OAuth2>;

/** Most relays start without what the key may hold. */
export const lateOAuth2: LateKey = {
  name: 'oauth2',
  load: async () => {
    read = (await import('./oauth2_keys.ts')).oauth2Schema;
  },
};

/** What stands under `oauth2`, for those who describe the config. */
export const oauth2: Schema<OAuth2> = v.lazy(() => read);

/** The key of every output that goes over HTTP. There is no empty block: whoever begins one means to use it. */
export const oauth2Key = {
  oauth2: optional(
    'Asks an authorization server for an access token, and sends it as `Authorization: Bearer …`.',
    oauth2,
  ),
};

interface Sending {
  readonly oauth2?: OAuth2 | undefined;
  readonly headers?: unknown;
}

/** Both a token and a header of the owner's own would be sent under one name. */
export const oauth2Problems = ({ oauth2, headers }: Sending): readonly Finding[] =>
  // Headers that are wrong are still as they were written.
  [...(oauth2 && headers instanceof Map ? headers.keys() : [])]
    .filter((name) => name.toLowerCase() === 'authorization')
    .map((name) => ({ ...finding('oauth2_with_authorization', ['headers', name]), aboutKey: true }));
