import { late, lateFunction } from '../../base/late.ts';
import { finding } from '../../schema/finding.ts';
import { lateSchema } from '../../schema/keys.ts';
import { feature } from '../feature.ts';
import type { Captcha } from './provider.ts';

export const captchaParts = late(() => import('./captcha_schema.ts'), 'captcha');
export const captchaSchema = lateSchema(captchaParts, (loaded) => loaded.captchaSchema);

export const verifyCaptcha = lateFunction(late(async () => (await import('./verify.ts')).verifyCaptcha));

/**
 * Asks the provider about the token (SPEC: Submission rules 3). Fails closed: when there is no verdict, the visitor
 * gets the same 400, and the owner a log line that says why (D16).
 */
export const captcha = feature({
  name: 'captcha',
  check: { key: 'captcha' },
  settings: ({ form }: { readonly form: { readonly captcha?: Captcha } }) => form.captcha,
  names: ({ tokenField }) => [tokenField],
  needs: ({ secret }) => [...secret.neededEnvNames].map((name) => ({ name, path: ['captcha', 'secret'] })),
  templates: ({ secret }) => [{ path: ['captcha', 'secret'], template: secret }],
  warnings: ({ secret }) =>
    secret.content === '' ? [finding('captcha_secret_empty', ['captcha', 'secret'])] : [],
  // Only those who are challenged solve one that is `only_in_doubt`: proof of work looks at that.
  stages: (asked) => (asked.onlyInDoubt ? {} : { check: (passage) => verifyCaptcha(asked, passage) }),
});
