/** Mails of other features, within the limits that all mails to visitors share. */
import type { Feature } from '@form-relay/core/index';
import { feature } from '@form-relay/core/plugin';
import { isMap } from '@form-relay/schema/schema';
import { mailInOwnWords, senderIn } from './confirmation_mail.ts';
import { checkMail, furtherMailKeys, furtherMailSchema, type VisitorMail } from './keys.ts';
import type { Mailing } from './mailing.ts';
import type {} from './visitor_mails.ts';

export const visitorMail = (mailing: Mailing): Feature =>
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
