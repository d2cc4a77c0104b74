import type { HttpAnswer, HttpMethod } from '../../base/effects.ts';
import type { Streamed } from '../../base/streamed.ts';
import type { Trace } from '../../base/trace.ts';
import { pathWithoutTokens } from '../../base/url.ts';
import type { OAuth2, OAuth2Grant } from '../oauth2/grant.ts';
import type { AnyMessage, AnyTarget, Said } from '../transport.ts';

/** One request that hands over a submission. */
export interface HttpMessage extends AnyMessage {
  readonly via: 'http';
  /** Default: `POST`. */
  readonly method?: HttpMethod | undefined;
  readonly url: URL;
  /** The variable that the whole address was read from (D67). Then it is a secret, and nobody is shown any of it. */
  readonly addressFrom?: string | undefined;
  /** A text in its JSON that is a part of that address, and as secret. */
  readonly addressInBody?: string | undefined;
  /** The same at every try, so that a server that knows `Idempotency-Key` takes the submission once. */
  readonly id: string;
  /** What its receiver is told of the trace that it belongs to. */
  readonly trace?: Trace | undefined;
  readonly contentType: string;
  readonly body: string;
  /** What is sent instead of `body`, which says the same for people then, without what files hold. */
  readonly streamed?: Streamed | undefined;
  /** Those that the owner configured, rendered; names in lower case, one byte a character. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** How to get the token that goes into `Authorization`. */
  readonly oauth2?: OAuth2Grant | undefined;
  /** The statuses that mean success. Default: all below 400. `any`: its output's verdict says what each means. */
  readonly accepts?: readonly number[] | 'any' | undefined;
  /** Where an answer that means no has the service's own error code (`service_code.ts`). */
  readonly codeAt?: string | undefined;
  /** For those who show it: what people read of it, where it is written for people. */
  readonly says?: Said | undefined;
  /** Signs each try, with one or several secrets, as Standard Webhooks has it. */
  readonly signing?: { readonly secrets: readonly string[] } | undefined;
}

/** An answer to a message that accepts any, for its output to say what it means. */
export interface AnyAnswer extends HttpAnswer {
  /** Whether it came after a redirect to another origin. */
  readonly isElsewhere: boolean;
  /** How long to wait, where its headers say so. */
  readonly waitMs: number | undefined;
}

export interface HttpTarget extends AnyTarget {
  readonly via: 'http';
  /** An address that the config shows, or the variable that holds it (D67). */
  readonly address: URL | { readonly env: string };
  readonly oauth2: OAuth2 | undefined;
}

/** Named without the query, which may hold a key, and without what looks like one in the path. */
export const httpTarget = (address: HttpTarget['address'], oauth2?: OAuth2): HttpTarget => ({
  via: 'http',
  name:
    address instanceof URL
      ? address.origin + pathWithoutTokens(address.pathname)
      : `the address in ${address.env}`,
  address,
  oauth2,
});
