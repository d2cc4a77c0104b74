/** A form with a captcha, and its provider. */
import { form, post } from '../support/config.ts';
import { httpSink, relayWith, type SinkAnswer } from '../support/index.ts';

const recaptcha = {
  field: 'g-recaptcha-response',
  verifyUrl: 'https://www.google.com/recaptcha/api/siteverify',
};

/** Every registered provider, as documented (REFERENCE: Captcha verification). */
export const documented: Readonly<Record<string, { field: string; verifyUrl: string }>> = {
  recaptcha_v2: recaptcha,
  recaptcha_v3: recaptcha,
  hcaptcha: { field: 'h-captcha-response', verifyUrl: 'https://api.hcaptcha.com/siteverify' },
  turnstile: {
    field: 'cf-turnstile-response',
    verifyUrl: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
  },
};
export const providers = Object.keys(documented);
const tokenFields = [...new Set(Object.values(documented).map(({ field }) => field)), 'proof'];

export const token = 'TOKEN+of/a=human&é';
export const secret = 'S3CRET&from+the=environment';

export const verdict = (body: object): SinkAnswer => ({ body: JSON.stringify(body) });
export const human = verdict({ success: true, score: 0.9, hostname: 'example.com' });

export interface Captcha {
  readonly provider: string;
  readonly [key: string]: unknown;
}

/** The output's template refers to every token, to show that it receives none. */
export const config = (captcha: Captcha, outputUrl = 'http://127.0.0.1:9/') => {
  const mapping = Object.fromEntries(['name', ...tokenFields].map((name) => [name, name]));
  return form({
    fields: 'name!',
    spam: { honeypot: 'website' },
    captcha: { secret, ...captcha },
    outputs: [post(outputUrl, { mapping })],
  });
};

/** A guarded form whose provider gives these answers in order; the last one is repeated. */
export async function guarded(captcha: Captcha, ...answers: SinkAnswer[]) {
  let calls = 0;
  const answer = () => answers[Math.min(calls++, answers.length - 1)] ?? human;
  const provider = await httpSink({ answer });
  const output = await httpSink();
  const relay = await relayWith({
    config: config(
      { verify_url: `${provider.origin}/verify`, secret: '{{ env "KEY" }}', ...captcha },
      output.origin,
    ),
    env: { KEY: secret },
    effects: { sleep: async () => {} },
  });
  const field = documented[captcha.provider]?.field ?? '';
  const submit = (...tokens: [name: string, value: string][]) =>
    relay.submit('contact', [['name', 'Ann'], ...tokens]);
  const send = async () => {
    const { status } = await submit([field, token]);
    return { status, requests: provider.requests.length, delivered: output.requests.length };
  };
  return { relay, provider, output, field, submit, send };
}
