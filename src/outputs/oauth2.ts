import * as v from 'valibot';
import type { AnySchema, Schema } from '../schema/any_schema.ts';
import { optionalBlock } from '../schema/keys.ts';
import type { Scope } from '../template/render.ts';
import type { OAuth2Grant } from '../transports/http/oauth2/grant.ts';

/** How an output gets tokens, as declared. */
export interface OAuth2 {
  /** What is asked for, and with which credentials. Throws a `ClientError` when one of them renders empty. */
  readonly grantOf: (scope: Scope) => OAuth2Grant;
}

let read: Schema<OAuth2> = v.never() as AnySchema as Schema<OAuth2>;

/** Reads what the key may hold, if a config's text may name it: most relays start without. */
export async function loadOAuth2(): Promise<void> {
  read = (await import('./oauth2_keys.ts')).oauth2Schema;
}

/** What stands under `oauth2`, for those who describe the config. */
export const oauth2: Schema<OAuth2> = v.lazy(() => read);

/** The key of every output that goes over HTTP. */
export const oauth2Key = {
  oauth2: optionalBlock(
    'Asks an authorization server for an access token, and sends it as `Authorization: Bearer …`.',
    oauth2,
  ),
};
