/** The check of `relay doctor` for captchas. */
import { ClientError } from '@form-relay/base/client_error';
import { type Finding, failure, firstOf, groupBy, ok, warning } from '@form-relay/base/finding';
import type { CheckContext } from '@form-relay/core/command';
import { templateContext } from '@form-relay/core/outputs/delivery';
import type { HttpAnswer, Services } from '@form-relay/core/services';
import type { Captcha } from './captcha.ts';
import { readVerdict, refusesSecret } from './verdict.ts';

/** Per request, in milliseconds. */
const timeoutMs = 8_000;

/** Checks whether each provider accepts the secret. Sends a made-up token, which the provider should reject for no other reason. */
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

/** Test keys that Turnstile, hCaptcha and reCAPTCHA publish. */
const forTests = /^\dx0{20,}\w{0,2}$|^0x0{40}$|^[123]0{7}-ffff-ffff-ffff-|^6LeIxAcTAAAAA/;

async function provider(captcha: Captcha, subject: string, { env, http }: Services): Promise<Finding> {
  const effect = captcha.onlyInDoubt
    ? 'challenged visitors cannot send the form'
    : 'every submission is answered 400';
  const secretFrom = [...captcha.secret.envNames].join(' and ') || 'the secret';
  if (captcha.secret.isSubmitted) {
    const remedy = 'Read the secret from the environment: {{ env "CAPTCHA_SECRET" }}.';
    return warning(subject, 'not tested, because the secret contains submitted values', remedy);
  }
  const secret = captcha.secret.render(templateContext('', new Map(), 0, { env }));
  if (secret === '') {
    const isMissing = [...captcha.secret.envNames].some((name) => !env(name));
    const says = `not asked: the secret is empty, so ${effect}`;
    return failure(subject, says, isMissing ? `Set ${secretFrom}.` : 'Set the secret.');
  }
  const isTestSiteKey = forTests.test(captcha.siteKey ?? '');
  if (forTests.test(secret)) {
    const siteKeyToo = isTestSiteKey ? ', and the real site_key beside it' : '';
    return warning(
      subject,
      "this is one of the provider's test secrets, which do not stop bots",
      `Before going live, put the real secret into ${secretFrom}${siteKeyToo}.`,
    );
  }
  if (isTestSiteKey) {
    const says = 'site_key is a test key, but the secret is not: the provider rejects every visitor';
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
    const says = `the provider does not accept the secret (${listed}), so ${effect}`;
    return failure(
      subject,
      says,
      `Copy the secret (not the site key) from the provider's dashboard into ${secretFrom}.`,
    );
  }
  if (success === true) {
    const remedy = `This may be a test secret. Before going live, put the real one into ${secretFrom}.`;
    return warning(
      subject,
      'the provider accepted a made-up token, so the captcha does not stop bots',
      remedy,
    );
  }
  if (codes.some((code) => /response|duplicate|token/.test(code))) {
    return ok(subject, 'the provider accepts the secret, and rejected a made-up token, as expected');
  }
  const says = `answered ${answer.status}${listed && ` (${listed})`}, which does not show whether the secret is right`;
  return warning(subject, says, 'Try again. If the problem remains, test the form itself before going live.');
}
