import type { Message, MessageCode } from '../messages/message.ts';
import type { RelayResponse } from './http.ts';

/** A field that failed validation, and what its visitor can do about it. */
export interface FieldError extends Message {
  readonly field: string;
  /** The index of the wrong one among the non-empty values; `undefined` if the error is about all or none. */
  readonly at?: number | undefined;
}

/** Why a submission is on the waiting list: no place is left of the form, or of an option alone. */
export type WaitsFor = 'place' | 'option';

/** Every ending of a post to a form. respond.ts gives each its status and its words. */
export type Outcome =
  /** All fail-policy outputs took it. `byNobody`: there are none, and all others failed. */
  | {
      readonly kind: 'delivered';
      readonly byNobody?: true;
      /** An output that must take it has not got it yet; the delivery is kept. */
      readonly isKept?: true;
      readonly waitsFor?: WaitsFor;
    }
  /** It waits until its address is confirmed by a link in a mail. */
  | { readonly kind: 'held' }
  /** Nothing was sent: its visitor was mailed a link, to go on later. */
  | { readonly kind: 'saved' }
  | { readonly kind: 'limited'; readonly by: 'address' | 'form' }
  /** A bot, which gets the same answer as a delivered submission. */
  | {
      readonly kind: 'dropped';
      /** `once`: a person who has registered before, which nobody else may learn. */
      readonly by: 'honeypot' | 'min_fill' | 'doubt' | 'once';
      readonly waitsFor?: WaitsFor;
    }
  | { readonly kind: 'invalid'; readonly errors: readonly FieldError[] }
  /** The min-fill token is older than `form_ttl`. */
  | { readonly kind: 'expired' }
  /** There is no min-fill token, and the form can be shown again with one. */
  | { readonly kind: 'token_missing' }
  | {
      readonly kind: 'captcha_failed';
      /** The provider gave no valid verdict, so its visitor may have solved it. */
      readonly isUnverified?: true;
    }
  /** The form is shown again, and delivered with the solution of the challenge. */
  | {
      readonly kind: 'challenged';
      readonly by: 'proof' | 'doubt';
      readonly asks: 'proof_of_work' | 'captcha';
      /** The usual puzzle is enough. */
      readonly isUsual?: true;
      /** The solution was used before: after a double click or reload, visitors see only the second result. */
      readonly isUsed?: boolean;
    }
  /** There is no solution, and the form requires one that only a script can find. */
  | { readonly kind: 'script_needed' }
  /** The page's origin is not among the form's. */
  | { readonly kind: 'origin_refused' }
  /** It came before the form opens, or after it closed. */
  | { readonly kind: 'not_open' | 'closed'; readonly refusal: Refusal }
  /** All its places are taken. */
  | { readonly kind: 'full'; readonly refusal: Refusal }
  /** Its value was sent before, and the form says so (`once` with `reveal`). */
  | { readonly kind: 'registered' }
  /** Whether there is a place left, or its link was used, could not be counted; the visitor may send it again. */
  | { readonly kind: 'uncounted'; readonly refusal: Refusal }
  /** The form is sent only with a link of the owner's, or its link worked once and was used. */
  | { readonly kind: 'link_needed'; readonly refusal: Refusal }
  /** The client, or the server with this key, sent this form too often. */
  | { readonly kind: 'rate_limited'; readonly retryAfterSeconds: number; readonly by?: 'key' }
  | { readonly kind: 'bad_request'; readonly refusal: Refusal }
  /** A server's key is none of the form's. */
  | { readonly kind: 'key_refused' }
  /** The answer that was given under the same `Idempotency-Key`. */
  | { readonly kind: 'replayed'; readonly answer: RelayResponse }
  /** The same `Idempotency-Key` is still being delivered. */
  | { readonly kind: 'in_progress'; readonly retryAfterSeconds: number }
  /** The same `Idempotency-Key` came with other values. */
  | { readonly kind: 'key_reused' }
  | { readonly kind: 'unknown_form' }
  /** There was no time to check it, or the same is being delivered; the client may send it again. */
  | { readonly kind: 'busy' }
  /**
   * No virus scan, a failed output without `on_error: continue`, an unregistered output type, or no output whose `when`
   * holds.
   */
  | { readonly kind: 'undelivered' }
  /** No config was ever loaded. */
  | { readonly kind: 'no_config' }
  /** The form needs FORM_TOKEN_SECRET, which is empty: it fails closed. */
  | { readonly kind: 'no_token_secret' }
  /** The form sends links, and PUBLIC_URL, their base, is not set: it fails closed. */
  | { readonly kind: 'no_public_url' };

/**
 * Every code of a problem+json answer. Its `type` links to its explanation in `docs/problems.md`, which a test checks
 * for completeness.
 */
export const refusalCodes = [
  'already_registered',
  'body_compressed',
  'body_malformed',
  'body_not_utf8',
  'body_over_limit',
  'body_too_long',
  'body_unreadable',
  'busy',
  'captcha_failed',
  'captcha_unverified',
  'challenge_captcha',
  'challenge_proof',
  'challenge_used',
  'content_type_unsupported',
  'fill_used',
  'form_closed',
  'form_expired',
  'form_full',
  'form_name_missing',
  'form_not_open',
  'idempotency_in_progress',
  'idempotency_key_malformed',
  'idempotency_key_reused',
  'idempotency_unavailable',
  'idempotency_unknown',
  'internal_error',
  'invalid',
  'json_malformed',
  'json_shape',
  'json_too_deep',
  'json_twice',
  'key_limited',
  'key_refused',
  'link_expired',
  'link_missing',
  'link_uncounted',
  'link_used',
  'looped',
  'method_not_allowed',
  'multipart_malformed',
  'no_config',
  'no_token_secret',
  'opt_in_busy',
  'opt_in_expired',
  'opt_in_limited',
  'opt_in_unknown',
  'origin_refused',
  'overloaded',
  'rate_limited',
  'script_needed',
  'sent_page_expired',
  'text_too_long',
  'throttled',
  'too_many_parts',
  'try_again',
  'uncounted',
  'undelivered',
  'unknown_form',
  'unknown_page',
  'uploads_busy',
] as const satisfies readonly MessageCode[];

export type RefusalCode = (typeof refusalCodes)[number];

/** Why a request was refused as a whole. */
export interface Refusal extends Message {
  readonly code: RefusalCode;
}
