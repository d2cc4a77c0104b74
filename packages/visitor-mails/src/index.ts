/** Mails to the people who fill in a form: that it was delivered, or with a link or a code to confirm their address. */

import { type Finding, failure, ok } from '@form-relay/base/finding';
import type { CheckContext } from '@form-relay/core/command';
import type { Feature, Plugin } from '@form-relay/core/index';
import { feature } from '@form-relay/core/plugin';
import { isMap } from '@form-relay/schema/schema';
import { confirmationMail, mailInOwnWords, registeredMail, senderIn } from './confirmation_mail.ts';
import { doubleOptIn } from './double_opt_in.ts';
import { checkMail, furtherMailKeys, furtherMailSchema, type VisitorMail } from './keys.ts';
import { createMailing, type Mailing } from './mailing.ts';
import en from './messages.json' with { type: 'json' };
import { verify, verifyKey } from './verify.ts';
import type {} from './visitor_mails.ts';

/** Config keys that also load this plug-in. */
export const uses = ['form once'];

/** All these mails share the limits per address and per form. */
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

/** Checks PUBLIC_URL, because links in mails start with it, and a request must not choose it. */
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
      `not set; "${first.id}" uses double_opt_in, so every submission is answered with 500`,
      "Set it to the relay's public address, such as https://forms.example.com.",
    ),
  ];
}

/** Mails of other features, within the limits that all mails to visitors share. */
const visitorMail = (mailing: Mailing): Feature =>
  feature({
    name: 'visitor_mail',
    configure: (config) => ({
      provides: {
        open: (name, to, at) => {
          const written = isMap(at.written) ? Object.entries(at.written) : [];
          const own = Object.fromEntries(written.filter(([key]) => Object.hasOwn(furtherMailKeys, key)));
          const keys = furtherMailSchema(own, at);
          if (!keys) return undefined;
          const sender = { ...senderIn(config.form), ...present(keys) };
          checkMail({ ...sender, to }, config, at);
          return (submission, { button, params }) => {
            const own = mailInOwnWords(name, to, sender, submission, params);
            const mail = { ...own, ...(present(keys) as Partial<VisitorMail>) };
            return mailing.awaited({ key: name, mail, submission, ...(button && { button }) });
          };
        },
      },
    }),
  });

const present = <T extends object>(keys: T): T =>
  Object.fromEntries(Object.entries(keys).filter(([, value]) => value !== undefined)) as T;
