/** Mails to those who fill in a form: that it was delivered, or a link or a code to confirm their address. */
import { type Finding, failure, ok } from '@form-relay/base/finding';
import type { CheckContext } from '@form-relay/core/command';
import type { Plugin } from '@form-relay/core/index';
import { confirmationMail, registeredMail } from './confirmation_mail.ts';
import { doubleOptIn } from './double_opt_in.ts';
import { createMailing } from './mailing.ts';
import en from './messages.json' with { type: 'json' };
import { verify, verifyKey } from './verify.ts';
import { visitorMail } from './visitor_mail.ts';

/** Keys and types of others for which the relay loads this plug-in as well. */
export const uses = ['form once'];

/** All these mails share the limits of how many mails an address and a form get. */
export function plugin(): Plugin {
  const mailing = createMailing();
  return {
    name: 'visitor_mails',
    checks: [{ name: 'Environment', probe: async (context) => publicUrlFound(context) }],
    fieldExtensions: [verifyKey],
    features: [
      verify(mailing),
      doubleOptIn(mailing),
      confirmationMail(mailing),
      registeredMail(mailing),
      visitorMail(mailing),
    ],
    messages: { en },
  };
}

/** Links in mails begin with this address, and a request must not choose it. */
function publicUrlFound({ config, settings, services }: CheckContext): readonly Finding[] {
  const name = 'PUBLIC_URL';
  const [first] = [...(config?.forms.values() ?? [])].filter(({ provided }) => provided.get('double_opt_in'));
  if (!first) return [];
  const { publicUrl } = settings;
  if (publicUrl !== undefined) return [ok(name, publicUrl)];
  // Another check reports a malformed value.
  if (services.env(name)) return [];
  return [
    failure(
      name,
      `not set; "${first.id}" uses double_opt_in, so every submission is answered 500`,
      "Set it to the relay's public address, such as https://forms.example.com.",
    ),
  ];
}
