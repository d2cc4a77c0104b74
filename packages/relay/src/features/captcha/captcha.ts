import { late, lateFunction } from '../../base/late.ts';
import { finding } from '../../schema/finding.ts';
import { lateSchema, optionalBlock } from '../../schema/keys.ts';
import { isMap } from '../../schema/kinds.ts';
import { feature, type RawMap } from '../feature.ts';
import { explainCaptcha } from './explain_captcha.ts';
import type { Captcha } from './provider.ts';

export const captchaParts = late(() => import('./captcha_schema.ts'), 'captcha');
export const captchaSchema = lateSchema(captchaParts, (loaded) => loaded.captchaSchema);

export const verifyCaptcha = lateFunction(late(async () => (await import('./verify.ts')).verifyCaptcha));

/**
 * Asks the provider about the token (SPEC: Submission rules 3). Fails closed: when there is no verdict, the visitor
 * gets a 400 that says so, and the owner a log line that says why.
 */
export const captcha = feature({
  name: 'captcha',
  isForBrowsers: true,
  keys: { form: { captcha: optionalBlock('Captcha verification.', captchaSchema) } },
  check: { key: 'captcha' },
  settings: ({ form }: { readonly form: { readonly captcha?: Captcha } }) => form.captcha,
  names: ({ tokenField }) => [tokenField],
  reserves: ({ form: { captcha } }) => {
    const name = isMap(captcha) ? (captcha.field ?? providerOf(captcha)?.field) : undefined;
    return typeof name === 'string' ? [{ path: ['captcha', 'field'], name, check: 'captcha' }] : [];
  },
  // A widget that cannot rename its field would send the token where nobody looks for it.
  problems: ({ form: { captcha } }) => {
    if (!isMap(captcha) || typeof captcha.field !== 'string' || captcha.site_key === undefined) return [];
    const provider = providerOf(captcha);
    return !provider || provider.canRename || provider.field === captcha.field
      ? []
      : [finding('captcha_field_fixed', ['captcha', 'field'], { field: provider.field })];
  },
  needs: ({ secret }) => [...secret.neededEnvNames].map((name) => ({ name, path: ['captcha', 'secret'] })),
  templates: ({ secret }) => [{ path: ['captcha', 'secret'], template: secret }],
  warnings: ({ secret }) =>
    secret.content === '' ? [finding('captcha_secret_empty', ['captcha', 'secret'])] : [],
  // Only those who are challenged solve one that is `only_in_doubt`: proof of work looks at that.
  stages: (asked) => (asked.onlyInDoubt ? {} : { check: (passage) => verifyCaptcha(asked, passage) }),
  answers: (asked) => captchaParts.loaded.captchaAnswers(asked),
  explain: explainCaptcha,
});

const providerOf = ({ provider }: RawMap) =>
  captchaParts.value?.captchaProviders.find((known) => known.provider === provider);
