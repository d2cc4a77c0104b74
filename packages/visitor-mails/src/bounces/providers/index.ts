/** All providers that report mails that came back. */
import { isMap } from '@form-relay/core/kit';
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

/** A provider that a config names. */
export interface ProviderInUse {
  readonly name: string;
  readonly provider: Provider<Settings>;
  readonly settings: Settings;
  /** The environment variables that it needs, by the keys that name them. */
  readonly variables: readonly { readonly key: string; readonly name: string }[];
}

export const providersIn = (bounces: Settings): readonly ProviderInUse[] =>
  Object.entries(providers).flatMap(([name, provider]) => {
    const settings = bounces[name];
    if (!isMap(settings)) return [];
    const variables = provider.variables.flatMap((key) => {
      const variable = settings[key];
      return typeof variable === 'string' ? [{ key, name: variable }] : [];
    });
    return [{ name, provider, settings, variables }];
  });

/** The environment variables that they need. */
export const secretsOf = (bounces: Settings): readonly string[] =>
  providersIn(bounces).flatMap(({ variables }) => variables.map(({ name }) => name));
