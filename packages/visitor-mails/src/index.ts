/** Mails to those who fill in a form: that it was delivered, or a link or a code to confirm their address. */
import type { Plugin } from '@form-relay/core/index';
import { confirmationMail, registeredMail } from './confirmation_mail.ts';
import { doubleOptIn } from './double_opt_in.ts';
import { createMailing } from './mailing.ts';
import en from './messages.json' with { type: 'json' };
import { verify, verifyKey } from './verify.ts';

/** Keys and types of others for which the relay loads this plug-in as well. */
export const uses = ['form once'];

/** All these mails share the limits of how many mails an address and a form get. */
export function plugin(): Plugin {
  const mailing = createMailing();
  return {
    name: 'visitor_mails',
    fieldExtensions: [verifyKey],
    features: [verify(mailing), doubleOptIn(mailing), confirmationMail(mailing), registeredMail(mailing)],
    messages: { en },
  };
}
