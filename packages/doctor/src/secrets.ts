import { ClientError } from '@form-relay/base/client_error';
import { readSecret } from '@form-relay/clients/webhook/signature';
import type { HttpAnswer } from '@form-relay/core/services';
import { type Diagnosis, failure, ok, warning } from '@form-relay/mail-dns';
import type { Template } from '@form-relay/schema/template';
import { type Captcha, readVerdict, refusesSecret } from '@form-relay/spam/captcha/captcha';
import { formatPath } from '@form-relay/yaml/problem';
import type { DoctorContext } from './context.ts';
import { type Examine, timeoutMs } from './examination.ts';
import { firstOf, formsOf, groupBy, outputsOf, places, read, renderWithoutFields } from './outputs.ts';

interface Use {
  readonly template: Template;
  readonly place: string;
}

/** Checks whether the variables of `sign` hold secrets. Another examination reports unset ones. */
export const examineSigningSecrets: Examine = async (setup, { env }) => {
  const uses = outputsOf(setup).flatMap(({ output, path }): Use[] =>
    (output?.templates ?? [])
      .filter((one) => one.path[0] === 'sign')
      .map((one) => ({ template: one.template, place: formatPath([...path, ...one.path]) })),
  );
  return groupBy(uses, ({ template }) => template.source).flatMap((used) => secret(used, env));
};

function secret(used: readonly [Use, ...Use[]], env: DoctorContext['env']): readonly Diagnosis[] {
  const [{ template }] = used;
  const subject = [...template.envNames].join(' and ');
  const rendered = renderWithoutFields(template, env);
  if (rendered === '') return [];
  try {
    const { length } = readSecret(rendered, 'it');
    return [ok(subject, `a secret of ${length} bytes; signs for ${places(used)}`)];
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    const says = `${error.message}, so nothing is delivered (${places(used)})`;
    return [failure(subject, says, 'relay webhook secret prints one; the receiver needs the same.')];
  }
}

/** Whether each provider takes the secret. The test sends a made-up token, which should be the only thing refused. */
export const examineCaptchas: Examine = (setup, context) => {
  const used = formsOf(setup).flatMap(({ id, provided }) => {
    const captcha = provided.get('captcha');
    return captcha ? [{ id, captcha }] : [];
  });
  const distinct = groupBy(used, ({ captcha: { verifyUrl, secret, siteKey } }) =>
    JSON.stringify([verifyUrl, secret.source, siteKey]),
  );
  return Promise.all(
    distinct.map((same) => {
      const [{ captcha }] = same;
      return provider(captcha, `${captcha.provider} of ${firstOf(same)}`, context);
    }),
  );
};

/** Keys that providers publish for tests: of Turnstile, hCaptcha and reCAPTCHA. */
const forTests = /^\dx0{20,}\w{0,2}$|^0x0{40}$|^[123]0{7}-ffff-ffff-ffff-|^6LeIxAcTAAAAA/;

async function provider(captcha: Captcha, subject: string, { env, http }: DoctorContext): Promise<Diagnosis> {
  const secretFrom = [...captcha.secret.envNames].join(' and ') || 'the secret';
  if (captcha.secret.isSubmitted) {
    const remedy = 'A secret comes from the environment: {{ env "CAPTCHA_SECRET" }}.';
    return warning(subject, 'not asked, since the secret holds submitted values', remedy);
  }
  const secret = renderWithoutFields(captcha.secret, env);
  if (secret === '') {
    const isMissing = [...captcha.secret.envNames].some((name) => read(env, name) === '');
    const says = 'not asked: the secret is empty, so every submission is answered 400';
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
    return judge(await http({ url: captcha.verifyUrl, headers, body, timeoutMs }), subject, secretFrom);
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    const says = `${captcha.verifyUrl.host}: ${error.message}; until this works, every submission is answered 400`;
    return failure(
      subject,
      says,
      'The relay must be able to reach the provider: check DNS, firewall and proxy.',
    );
  }
}

function judge(answer: HttpAnswer, subject: string, secretFrom: string): Diagnosis {
  const { success, codes } = readVerdict(answer) ?? { success: undefined, codes: [] };
  const listed = codes.join(', ');
  if (refusesSecret(codes)) {
    const says = `the provider does not take the secret (${listed}), so every submission is answered 400`;
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
