import { noKind, oneOfKinds } from '../../schema/one_of_kinds.ts';
import { captchaProviders } from './index.ts';
import { type Captcha, commonKeys } from './provider.ts';

export { captchaAnswers } from './captcha_view.ts';
export { captchaProviders } from './index.ts';

const kinds = new Map(captchaProviders.map(({ provider, schema }) => [provider, schema]));

const unknown = noKind('provider', kinds, commonKeys);
export const captchaSchema = oneOfKinds<Captcha>('provider', kinds, {
  whenAbsent: unknown,
  whenUnknown: unknown,
  example: '{provider: turnstile, secret: \'{{ env "CAPTCHA_SECRET" }}\'}',
});
