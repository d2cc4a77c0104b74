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
