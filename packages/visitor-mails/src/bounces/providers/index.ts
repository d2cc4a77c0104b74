import { isMap } from '@form-relay/core/kit';
import { mailgun } from './mailgun.ts';
import { postmark } from './postmark.ts';
import type { Provider, Settings } from './provider.ts';
import { resend } from './resend.ts';
import { sendgrid } from './sendgrid.ts';
import { ses } from './ses.ts';

export const providers: Readonly<Record<string, Provider>> = { ses, postmark, mailgun, sendgrid, resend };

export interface ProviderInUse {
  readonly name: string;
  readonly provider: Provider;
  readonly settings: Settings;
  readonly variable: string | undefined;
}

export const providersIn = (bounces: Settings): readonly ProviderInUse[] =>
  Object.entries(providers).flatMap(([name, provider]) => {
    const settings = bounces[name];
    if (!isMap(settings)) return [];
    const variable = settings[provider.secretKey ?? ''];
    return [{ name, provider, settings, variable: typeof variable === 'string' ? variable : undefined }];
  });
