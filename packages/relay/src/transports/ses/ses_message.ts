import type { Followed, Mailbox } from '../../base/effects.ts';
import type { Template } from '../../schema/template/render.ts';
import type { MailContent } from '../mail/mail_content.ts';
import type { AnyMessage, AnyTarget } from '../transport.ts';

/** One mail through Amazon SES, by default from MAIL_FROM_ADDRESS. */
export interface SesMessage extends AnyMessage, MailContent {
  readonly via: 'ses';
  readonly followed?: Followed;
}

export interface SesTarget extends AnyTarget {
  readonly via: 'ses';
  readonly to: readonly Template[];
  readonly cc: readonly Template[] | undefined;
  readonly bcc: readonly Template[] | undefined;
  /** `undefined`: MAIL_FROM_ADDRESS. */
  readonly from: Mailbox | undefined;
  /** `undefined`: what SES has for the sender. */
  readonly configurationSet: string | undefined;
}

export const sesTarget = (target: Omit<SesTarget, 'via' | 'name'>): SesTarget => ({
  ...target,
  via: 'ses',
  name: 'Amazon SES',
});
