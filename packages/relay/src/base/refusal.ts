import type { Message, MessageCode } from '../messages/message.ts';

/**
 * Every code that an answer with problem+json may have. Its `type` leads to the page that says what each means and what to
 * do, `docs/problems.md`, where a test looks for all of them.
 */
export const refusalCodes = [
  'body_compressed',
  'body_malformed',
  'body_not_utf8',
  'body_over_limit',
  'body_too_long',
  'body_unreadable',
  'busy',
  'captcha_failed',
  'challenge_captcha',
  'challenge_proof',
  'challenge_used',
  'content_type_unsupported',
  'form_expired',
  'form_name_missing',
  'internal_error',
  'invalid',
  'json_malformed',
  'json_too_deep',
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
