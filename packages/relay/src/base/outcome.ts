import type { Message } from '../messages/message.ts';
import type { Refusal } from './refusal.ts';

/** A field that failed validation, and what its visitor can do about it. */
export interface FieldError extends Message {
  readonly field: string;
  /** Which of the field's non-empty values is wrong, from 0; `undefined` where it is about all of them or none. */
  readonly at?: number | undefined;
}

/** Every way in which a post to a form can end. respond.ts gives each its status and its words. */
export type Outcome =
  /** All fail-policy outputs took it. `byNobody`: there are none, and the others all failed. */
  | {
      readonly kind: 'delivered';
      readonly byNobody?: true;
      /** Some output that must take it has not got it yet, and it is kept for that (D69). */
      readonly isKept?: true;
    }
  /** It waits until its address is confirmed: a link is under way (D88). */
  | { readonly kind: 'held' }
  /** No more mails with links are sent just now: to this address, or by this form. */
  | { readonly kind: 'limited'; readonly by: 'address' | 'form' }
  /** A bot, told the same as everybody whose submission was delivered (D1). */
  | { readonly kind: 'dropped'; readonly by: 'honeypot' | 'min_fill' | 'doubt' }
  | { readonly kind: 'invalid'; readonly errors: readonly FieldError[] }
  /** The min-fill token is older than `form_ttl`. */
  | { readonly kind: 'expired' }
  /** It came without a min-fill token, from a form that can be shown again with one (D75). */
  | { readonly kind: 'token_missing' }
  | { readonly kind: 'captcha_failed' }
  /** The form comes back, and is delivered with what it then asks for (D71). */
  | {
      readonly kind: 'challenged';
      readonly by: 'proof' | 'doubt';
      readonly asks: 'proof_of_work' | 'captcha';
      /** A puzzle such as everybody solves will do. */
      readonly isUsual?: true;
      /** It came with what was sent before: whoever clicks twice, or reloads a page, sees only what becomes of the second. */
      readonly isUsed?: boolean;
    }
  /** It has no solution, and the form asks for one that only a script can find. */
  | { readonly kind: 'script_needed' }
  /** It comes from a page that the form's owner does not name. */
  | { readonly kind: 'origin_refused' }
  /** Its sender has sent this form too often. */
  | { readonly kind: 'rate_limited'; readonly retryAfterSeconds: number }
  | { readonly kind: 'bad_request'; readonly refusal: Refusal }
  | { readonly kind: 'unknown_form' }
  /** There was no time to check it; it may be sent again (D63). */
  | { readonly kind: 'busy' }
  /** No virus scanner looked at its files, a fail-policy output did not take it, an output is of an unregistered type, or no output's `when` holds. */
  | { readonly kind: 'undelivered' }
  /** No config was ever loaded (D10). */
  | { readonly kind: 'no_config' }
  /** FORM_TOKEN_SECRET is empty and the form needs it: it fails closed. */
  | { readonly kind: 'no_token_secret' }
  /** The form sends links, and PUBLIC_URL does not say where they lead: it fails closed. */
  | { readonly kind: 'no_public_url' };
