import { pathWithoutTokens } from '../../url.ts';
import type { AnyMessage, AnyTarget } from '../transport.ts';

/** One POST. */
export interface HttpMessage extends AnyMessage {
  readonly via: 'http';
  readonly url: URL;
  /** The same at every try, so that a server that knows `Idempotency-Key` takes the submission once. */
  readonly id: string;
  readonly contentType: string;
  readonly body: string;
  /** Those that the owner configured, rendered; names in lower case, one byte a character. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface HttpTarget extends AnyTarget {
  readonly via: 'http';
  readonly url: URL;
}

/** Named without the query, which may hold a key, and without what looks like one in the path. */
export const httpTarget = (url: URL): HttpTarget => ({
  via: 'http',
  name: url.origin + pathWithoutTokens(url.pathname),
  url,
});
