import type { Mail } from '../../base/effects.ts';

/** A mail before it is known who carries it, and so from whom it is. */
export interface MailContent extends Omit<Mail, 'from' | 'messageId'> {
  /** Default: whoever the carrier sends for. */
  readonly from?: Mail['from'] | undefined;
  /** What `messageId` begins with. */
  readonly id: string;
}
