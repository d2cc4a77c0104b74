import { expect, test } from 'vitest';
import { httpSink } from '../../../test/spec/stage.ts';
import type { SinkAnswer } from '../../../test/support/http_sink.ts';
import { examineCaptchas } from '../src/captcha_secrets.ts';
import { diagnose, formWith } from './stage.ts';

const env = { SECRET: 'hunter2' };

const form = (keys: object) =>
  formWith(
    '[{type: http_post, url: "https://a.example/", mapping: "*"}]',
    `captcha: ${JSON.stringify({ provider: 'turnstile', secret: '{{ env "SECRET" }}', ...keys })}`,
  );
const refused = (...codes: string[]): SinkAnswer => ({
  body: JSON.stringify({ success: false, 'error-codes': codes }),
});

test.each<[string, SinkAnswer, RegExp]>([
  [
    'a secret that is taken',
    refused('invalid-input-response'),
    /^ok turnstile of "contact": the provider takes the secret/,
  ],
  ['the word of hCaptcha for that', refused('invalid-or-already-seen-response'), /^ok /],
  [
    'a wrong secret',
    refused('invalid-input-secret'),
    /^failure .*does not take the secret \(invalid-input-secret\).*answered 400 -> Copy the secret.* into SECRET/,
  ],
  ['a secret of another site key', refused('sitekey-secret-mismatch'), /^failure /],
  ["reCAPTCHA's word for a wrong pair", refused('invalid-keys'), /^failure /],
  ['a wrong secret with an error status', { ...refused('invalid-input-secret'), status: 400 }, /^failure /],
  [
    'codes that nobody knows',
    refused('gone-fishing'),
    /^warning .*answered 200 \(gone-fishing\), which does not tell/,
  ],
  [
    'an answer to everything',
    { body: '{"success": true}' },
    /^warning .*accepted a made-up token, so it keeps no bots out/,
  ],
])('%s', async (_, answer, expected) => {
  const sink = await httpSink({ answer: () => answer });
  const lines = await diagnose(examineCaptchas, form({ verify_url: sink.origin }), { env });
  expect(lines).toEqual([expect.stringMatching(expected)]);
  expect(lines.join()).not.toContain('hunter2');
  expect(sink.requests.map(({ body }) => body)).toEqual([
    'secret=hunter2&response=relay-doctor-made-this-up',
  ]);
});

test.each<[string, object, Readonly<Record<string, string>>, RegExp]>([
  ['no secret', {}, {}, /^failure .*not asked: the secret is empty.* -> Set SECRET/],
  [
    'a secret for tests',
    {},
    { SECRET: '1x0000000000000000000000000000000AA' },
    /^warning .*test secrets: it keeps no bots out -> Before going live, put the real secret into SECRET/,
  ],
  [
    'a site key for tests beside a real secret',
    { site_key: '1x00000000000000000000AA' },
    env,
    /^failure .*site_key is for tests and the secret is not: the provider refuses every visitor/,
  ],
  ['a secret that visitors send', { secret: '{{ .fields.email }}' }, {}, /^warning .*not asked/],
  [
    'a provider out of reach',
    { verify_url: 'http://127.0.0.1:9/' },
    env,
    /^failure .*127\.0\.0\.1:9: connect ECONNREFUSED/,
  ],
])('%s', async (_, keys, env, expected) => {
  expect(await diagnose(examineCaptchas, form(keys), { env })).toEqual([expect.stringMatching(expected)]);
});
