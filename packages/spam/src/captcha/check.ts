/** The check of `relay doctor` for captchas. */
import { ClientError } from '@form-relay/base/client_error';
import { type Finding, failure, firstOf, groupBy, ok, warning } from '@form-relay/base/finding';
import type { CheckContext } from '@form-relay/core/command';
import { templateContext } from '@form-relay/core/outputs/delivery';
import type { HttpAnswer, Services } from '@form-relay/core/services';
import type { Captcha } from './captcha.ts';
import { readVerdict, refusesSecret } from './verdict.ts';

/** For one request, in milliseconds. */
const timeoutMs = 8_000;

/** Whether each provider takes the secret. The test sends a made-up token, which should be the only thing refused. */
export function probe({ config, services }: CheckContext): Promise<readonly Finding[]> {
  const used = [...(config?.forms.values() ?? [])].flatMap(({ id, provided }) => {
    const captcha = provided.get('captcha');
    return captcha ? [{ id, captcha }] : [];
  });
  const distinct = groupBy(used, ({ captcha: { verifyUrl, secret, siteKey } }) =>
    JSON.stringify([verifyUrl, secret.source, siteKey]),
  );
  return Promise.all(
    distinct.map((same) => {
      const [{ captcha }] = same;
      return provider(captcha, `${captcha.provider} of ${firstOf(same)}`, services);
    }),
  );
}

/** Keys that providers publish for tests: of Turnstile, hCaptcha and reCAPTCHA. */
const forTests = /^\dx0{20,}\w{0,2}$|^0x0{40}$|^[123]0{7}-ffff-ffff-ffff-|^6LeIxAcTAAAAA/;

async function provider(captcha: Captcha, subject: string, { env, http }: Services): Promise<Finding> {
  const effect = captcha.onlyInDoubt
    ? 'no challenged visitor gets through'
    : 'every submission is answered 400';
  const secretFrom = [...captcha.secret.envNames].join(' and ') || 'the secret';
  if (captcha.secret.isSubmitted) {
    const remedy = 'A secret comes from the environment: {{ env "CAPTCHA_SECRET" }}.';
    return warning(subject, 'not asked, since the secret holds submitted values', remedy);
  }
  const secret = captcha.secret.render(templateContext('', new Map(), 0, { env }));
  if (secret === '') {
    const isMissing = [...captcha.secret.envNames].some((name) => !env(name));
    const says = `not asked: the secret is empty, so ${effect}`;
    return failure(subject, says, isMissing ? `Set ${secretFrom}.` : 'Give the secret.');
  }
  const isTestSiteKey = forTests.test(captcha.siteKey ?? '');
  if (forTests.test(secret)) {
    const siteKeyToo = isTestSiteKey ? ', and the real site_key beside it' : '';
    return warning(
      subject,
      "this is one of the provider's test secrets: it keeps no bots out",
      `Before going live, put the real secret into ${secretFrom}${siteKeyToo}.`,
    );
  }
  if (isTestSiteKey) {
    const says = 'site_key is for tests and the secret is not: the provider refuses every visitor';
    return failure(subject, says, "Take both from the same page of the provider's dashboard.");
  }
  try {
    const body = new URLSearchParams({ secret, response: 'relay-doctor-made-this-up' }).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    return judge(
      await http({ url: captcha.verifyUrl, headers, body, timeoutMs }),
      subject,
      secretFrom,
      effect,
    );
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    const says = `${captcha.verifyUrl.host}: ${error.message}; until this works, ${effect}`;
    return failure(
      subject,
      says,
      'The relay must be able to reach the provider: check DNS, firewall and proxy.',
    );
  }
}

function judge(answer: HttpAnswer, subject: string, secretFrom: string, effect: string): Finding {
  const { success, codes } = readVerdict(answer) ?? { success: undefined, codes: [] };
  const listed = codes.join(', ');
  if (refusesSecret(codes)) {
    const says = `the provider does not take the secret (${listed}), so ${effect}`;
    return failure(
      subject,
      says,
      `Copy the secret (not the site key) from the provider's dashboard into ${secretFrom}.`,
    );
  }
  if (success === true) {
    const remedy = `Is this a test secret? Before going live, put the real one into ${secretFrom}.`;
    return warning(subject, 'the provider accepted a made-up token, so it keeps no bots out', remedy);
  }
  if (codes.some((code) => /response|duplicate|token/.test(code))) {
    return ok(subject, 'the provider takes the secret, and refused a made-up token as it should');
  }
  const says = `answered ${answer.status}${listed && ` (${listed})`}, which does not tell whether the secret is right`;
  return warning(subject, says, 'Try again. If it stays like this, try the form itself before going live.');
}
