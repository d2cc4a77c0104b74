/** Mails that come back: bounces and complaints. */

/** The key `bounces` at the top of a config. */
export interface Bounces {
  readonly ses?: { readonly topics: readonly string[] } | undefined;
  readonly postmark?: { readonly password_env: string } | undefined;
  readonly mailgun?: { readonly signing_key_env: string } | undefined;
  readonly sendgrid?: { readonly public_key: string } | undefined;
  readonly resend?: { readonly secret_env: string } | undefined;
}

/** `hard`: the address takes no mail. `soft`: this mail was lost or is late. */
export type BounceKind = 'hard' | 'soft' | 'complaint';

/** A provider's report about one mail to one address. */
export interface MailEvent {
  /** The same if it is reported again. */
  readonly id: string;
  readonly kind: BounceKind;
  readonly recipient: Recipient;
  /** When it happened, in milliseconds since the epoch. */
  readonly at: number;
  /** An enhanced status code (RFC 3463). */
  readonly code?: string | undefined;
  /** The request id of the submission, as far as the mail's `Message-ID` tells. */
  readonly requestId?: string | undefined;
}

/** An address; or several, of which the provider does not say which one it was. */
type Recipient = { readonly address: string } | { readonly oneOf: readonly string[] };
