import { ClientError, failed, stackOf } from '@form-relay/base/client_error';
import { firstValue } from '@form-relay/base/values';
import { check } from '@form-relay/core/command';
import { templateContext } from '@form-relay/core/outputs/delivery';
import { feature, guard, type Plugin } from '@form-relay/core/plugin';
import type { HttpAnswer } from '@form-relay/core/services';
import type { Outcome, Submission } from '@form-relay/core/submission';
import type { Diagnostics } from '@form-relay/schema/diagnostics';
import {
  boolean,
  discriminatedUnion,
  httpUrl,
  name,
  number,
  object,
  optional,
  optionalBlock,
  type Parsed,
  required,
  type Schema,
  template,
  text,
  withDefault,
} from '@form-relay/schema/kinds';
import type { Template } from '@form-relay/schema/template';
import { thresholdsOf } from '../score/marks.ts';
import { isExcused } from '../state.ts';
import { numberField, numberTokenField } from './other_way.ts';
import { readVerdict, refusesSecret, type Verdict } from './verdict.ts';

declare module '@form-relay/core/plugin' {
  interface Provided {
    readonly captcha: Captcha;
  }
}

export type Provider = 'recaptcha_v2' | 'recaptcha_v3' | 'hcaptcha' | 'turnstile';

interface ProviderFacts {
  readonly summary: string;
  readonly field: string;
  readonly url: string;
  /** A retry may verify the same token again. With other providers, a retry burns the token. */
  readonly isIdempotent?: true;
  /** The widget can submit its token under another name. */
  readonly isRenamable?: true;
}

export const captchaProviders: Readonly<Record<Provider, ProviderFacts>> = {
  recaptcha_v2: {
    summary: 'Google reCAPTCHA v2, the checkbox.',
    field: 'g-recaptcha-response',
    url: 'https://www.google.com/recaptcha/api/siteverify',
  },
  recaptcha_v3: {
    summary: 'Google reCAPTCHA v3, which scores visitors from 0.0 (bot) to 1.0 (human).',
    field: 'g-recaptcha-response',
    url: 'https://www.google.com/recaptcha/api/siteverify',
    isRenamable: true,
  },
  hcaptcha: { summary: 'hCaptcha.', field: 'h-captcha-response', url: 'https://api.hcaptcha.com/siteverify' },
  turnstile: {
    summary: 'Cloudflare Turnstile.',
    field: 'cf-turnstile-response',
    url: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
    isIdempotent: true,
    isRenamable: true,
  },
};

export interface Captcha {
  readonly provider: Provider;
  /** The submitted field with the token. */
  readonly field: string;
  readonly siteKey: string | undefined;
  /** Script URL for dry runs, in place of the provider's. */
  readonly script?: string;
  readonly secret: Template;
  readonly verifyUrl: URL;
  /** Only challenged visitors solve it. */
  readonly onlyInDoubt: boolean;
  /** Visitors who cannot solve the captcha can type a number instead. */
  readonly hasOtherWay: boolean;
  /** Why the submission's token is rejected; `undefined` if it is accepted. */
  refusal(submission: Submission): Promise<Outcome | undefined>;
}

const common = {
  provider: required('The provider.', text()),
  secret: required('Server-side secret of the provider, usually `{{ env "CAPTCHA_SECRET" }}`.', template()),
  field: optional("Field with the token (`token`) if it is not the provider's usual one.", name()),
  site_key: optional('Public key (`1x00000000000000000000AA`). With it, the form shows the captcha.', text()),
  only_in_doubt: withDefault(
    'false',
    'Shows the captcha only to visitors whom `spam.doubt` challenges. The provider gets no data about others.',
    boolean(),
  ),
  verify_url: optional('Another verification endpoint, such as the one at recaptcha.net.', httpUrl()),
};
const scored = {
  min_score: optional(
    'Minimum score. Submissions with a lower score, or none, are rejected.',
    number({ least: 0, most: 1 }),
  ),
};

type CaptchaKeys = Parsed<typeof common> & Partial<Parsed<typeof scored>> & { readonly provider: Provider };

const kinds: ReadonlyMap<string, Schema<CaptchaKeys>> = new Map(
  Object.keys(captchaProviders).map((one) => [
    one,
    object(one === 'recaptcha_v3' ? { ...common, ...scored } : common) as Schema<CaptchaKeys>,
  ]),
);

const captchaSchema = discriminatedUnion<CaptchaKeys>('provider', kinds, {
  common,
  named: Object.entries(captchaProviders).map(([name, { summary }]) => ({ name, summary })),
  noun: 'captcha',
  example: '{provider: turnstile, secret: \'{{ env "CAPTCHA_SECRET" }}\'}',
});

/**
 * Asks the provider about the token (SPEC: Submission rules 3). Fails closed: without a verdict, it rejects
 * the submission and logs an error.
 */
const captcha = feature({
  name: 'captcha',
  keys: { form: { captcha: optionalBlock('Captcha verification.', captchaSchema) } },
  configure: ({ form: { captcha }, spam, topSpam }, at) => {
    if (!captcha?.secret || !Object.hasOwn(captchaProviders, captcha.provider)) return undefined;
    const { provider, secret, site_key: siteKey, min_score: least } = captcha;
    const { field: ownField, url } = captchaProviders[provider];
    const { field = ownField, verify_url: verifyUrl = new URL(url) } = captcha;
    warn(captcha, at.in('captcha'));
    const onlyInDoubt = captcha.only_in_doubt === true;
    if (onlyInDoubt) checkInDoubt(siteKey, { ...topSpam, ...spam }, at.in('captcha', 'only_in_doubt'));
    const hasOtherWay = onlyInDoubt && (spam.challenge ?? topSpam.challenge) === undefined;
    const provides: Captcha = {
      provider,
      field,
      siteKey,
      secret,
      verifyUrl,
      onlyInDoubt,
      hasOtherWay,
      refusal: (submission) => whyRefused(provides, least, submission),
    };
    return {
      reserves: [
        { name: field, key: ['captcha', 'field'], what: 'the captcha token', sample: 'a-token' },
        ...(hasOtherWay ? [numberField, numberTokenField] : []).map((name) => ({
          name,
          key: [],
          what: 'the number instead of the captcha',
        })),
      ],
      browsersOnly: true,
      provides,
      cards: [{ name: 'captcha', says: `${provider}, faked here${onlyInDoubt ? ', in doubt' : ''}` }],
      ...(!onlyInDoubt && {
        beforeValidation: guard((submission) =>
          isExcused(submission, false) ? undefined : provides.refusal(submission),
        ),
      }),
    };
  },
});

export const plugin: Plugin = {
  name: 'captcha',
  features: [captcha],
  checks: [check('Captchas', () => import('./check.ts'))],
};

function warn({ provider, secret, field, site_key: siteKey }: CaptchaKeys, at: Diagnostics): void {
  const { field: own, isRenamable } = captchaProviders[provider];
  // A widget that cannot rename its field would send the token in a field that the relay does not read.
  if (field !== undefined && siteKey !== undefined && field !== own && !isRenamable)
    at.in('field').error(`the widget of this site_key submits "${own}", and cannot use another name`);
  if (secret.source === '') at.in('secret').warning('the secret is empty: every submission will be rejected');
}

/** With `only_in_doubt`, something must challenge visitors, and they must see the captcha. */
function checkInDoubt(
  siteKey: string | undefined,
  spam: { readonly challenge?: unknown; readonly doubt?: unknown },
  at: Diagnostics,
): void {
  if (siteKey === undefined) at.error('challenged visitors must see the captcha; add its site_key');
  if (spam.challenge === 'proof_of_work')
    at.warning('the captcha is never shown, because challenge: proof_of_work uses a puzzle instead');
  else if (!thresholdsOf(spam, {}).some(({ action }) => action === 'challenge'))
    at.warning('the captcha is never shown: with only_in_doubt, it needs doubt: challenge');
}

const captchaFailed = (why: string, code = 'captcha_failed'): Outcome => ({
  kind: 'captcha_failed',
  status: 400,
  message: { code },
  why,
});

/** @param least The minimum score, even if the provider reports success. */
async function whyRefused(
  captcha: Captcha,
  least: number | undefined,
  submission: Submission,
): Promise<Outcome | undefined> {
  const { provider, field } = captcha;
  const { formId, sent, receivedAt, services } = submission;
  /** The provider gave no usable verdict, and only the owner can fix that. */
  const unverified = (why: string, more: object = { reason: why }): Outcome => {
    submission.log('error', 'captcha_unverified', { provider, ...more });
    return captchaFailed(why, 'captcha_unverified');
  };
  const token = firstValue(sent, field);
  if (token === '') return captchaFailed(`the token in "${field}" is missing`);
  const secret = captcha.secret.render(templateContext(formId, sent, receivedAt, services));
  let verdict: Verdict;
  try {
    if (secret === '') throw failed('captcha_secret_empty');
    submission.countAlways();
    verdict = await verdictOn(captcha, secret, token, submission);
  } catch (error) {
    return error instanceof ClientError
      ? unverified(error.message)
      : unverified('internal error', { stack: stackOf(error) });
  }
  const { success, score: given, codes } = verdict;
  const score = typeof given === 'number' ? given : undefined;
  const isAccepted = success === true && (least === undefined || (score !== undefined && score >= least));
  // A provider that temporarily accepts any secret still reports the bad secret beside its verdict.
  if (refusesSecret(codes)) {
    const why = 'the provider does not accept the secret';
    const refused = unverified(why, { reason: why, codes });
    return isAccepted ? undefined : refused;
  }
  if (isAccepted) {
    // `score` is that of `doubt`. Other providers' scores have other scales.
    if (provider === 'recaptcha_v3' && score !== undefined) submission.addLogFields({ captcha_score: score });
    submission.trace?.note(`${provider} accepts the token in "${field}"`);
    return undefined;
  }
  if (success === true && score === undefined)
    return unverified('min_score is set and the verdict has no score: is it a v3 key?');
  submission.addLogFields({ ...(success !== true && { codes }), score });
  const said = (success !== true && codes.join(', ')) || `score ${score ?? 'unknown'}`;
  return captchaFailed(`${provider} does not accept the token: ${said}`);
}

/** Per attempt. Shorter if the submission has less time left. */
const timeoutMs = 5_000;
const waitMs = 500;

/** The provider's verdict. Retries once, if that cannot burn the token. */
async function verdictOn(
  { provider, verifyUrl: url }: Captcha,
  secret: string,
  response: string,
  { services, deadline, request }: Submission,
): Promise<Verdict> {
  const { isIdempotent } = captchaProviders[provider];
  const body = new URLSearchParams({ secret, response });
  if (request.senderAddress) body.set('remoteip', request.senderAddress);
  if (isIdempotent) body.set('idempotency_key', services.uuid());
  const leftMs = () => deadline - services.now();
  const post = () =>
    services.http({
      url,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: body.toString(),
      timeoutMs: Math.max(1, Math.min(timeoutMs, leftMs())),
    });
  const first = await post().catch((error: unknown) => {
    if (error instanceof ClientError && (isIdempotent || error.isUnsent)) return undefined;
    throw error;
  });
  if (first && !(isIdempotent && hasTrouble(first))) return verdictIn(first);
  await services.sleep(Math.max(0, Math.min(waitMs, leftMs())));
  return verdictIn(await post());
}

const hasTrouble = (answer: HttpAnswer): boolean =>
  answer.status >= 500 || (readVerdict(answer)?.codes.includes('internal-error') ?? true);

function verdictIn(answer: HttpAnswer): Verdict {
  if (answer.status < 200 || answer.status > 299) throw failed('captcha_status', { status: answer.status });
  if (answer.isCut) throw failed('captcha_verdict_cut');
  const verdict = readVerdict(answer);
  if (!verdict) throw failed('captcha_without_verdict');
  return verdict;
}
