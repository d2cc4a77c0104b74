/** All providers that report mails that came back. */
import type { Bounces } from '../../../base/bounces.ts';
import { mailgun } from './mailgun.ts';
import { postmark } from './postmark.ts';
import type { Provider } from './provider.ts';
import { resend } from './resend.ts';
import { sendgrid } from './sendgrid.ts';
import { ses } from './ses.ts';

export const providers = { ses, postmark, mailgun, sendgrid, resend };

export type ProviderName = keyof typeof providers;

/** Providers that a config has, with their settings. */
export const providersIn = (
  bounces: Bounces,
): readonly (readonly [name: ProviderName, provider: Provider, settings: never])[] =>
  (Object.keys(providers) as ProviderName[]).flatMap((name) =>
    bounces[name] ? [[name, providers[name] as Provider, bounces[name] as never] as const] : [],
  );

interface Variable {
  readonly name: string;
  readonly place: string;
}

/** The environment variables that the bounces of a config need. */
export const variablesOf = (bounces: Bounces): readonly Variable[] => [
  { name: 'FORM_TOKEN_SECRET', place: 'bounces' },
  ...secretsOf(bounces),
];

export const secretsOf = (bounces: Bounces): readonly Variable[] =>
  providersIn(bounces).flatMap(([provider, { variables }, settings]) =>
    variables.flatMap((key) => {
      const name: unknown = settings[key];
      return typeof name === 'string' ? [{ name, place: `bounces.${provider}.${String(key)}` }] : [];
    }),
  );
