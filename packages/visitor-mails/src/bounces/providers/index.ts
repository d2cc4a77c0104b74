/** All providers that report mails that came back. */
import { mailgun } from './mailgun.ts';
import { postmark } from './postmark.ts';
import type { Provider } from './provider.ts';
import { resend } from './resend.ts';
import { sendgrid } from './sendgrid.ts';
import { ses } from './ses.ts';

/** Settings of a provider, as its keys read them. */
export type Settings = Readonly<Record<string, unknown>>;

export const providers: Readonly<Record<string, Provider<Settings>>> = {
  ses,
  postmark,
  mailgun,
  sendgrid,
  resend,
};

/** The environment variables that they need. */
export const secretsOf = (bounces: Readonly<Record<string, unknown>>): readonly string[] =>
  Object.entries(providers).flatMap(([name, { variables }]) => {
    const settings = bounces[name];
    if (typeof settings !== 'object' || settings === null) return [];
    const own: Settings = { ...settings };
    return variables.flatMap((key) => {
      const variable = own[key];
      return typeof variable === 'string' ? [variable] : [];
    });
  });
