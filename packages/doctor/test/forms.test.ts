import { expect, test } from 'vitest';
import { httpSink } from '../../../test/spec/stage.ts';
import type { SinkAnswer } from '../../../test/support/http_sink.ts';
import { diagnose, formWith, lonelyResolver, type Zone } from './stage.ts';

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
  const lines = await diagnose('Captchas', form({ verify_url: sink.origin }), { env });
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
  expect(await diagnose('Captchas', form(keys), { env })).toEqual([expect.stringMatching(expected)]);
});

const hook = (sign: string) =>
  formWith(`[{type: webhook, url: "https://a.example/", mapping: "*", ${sign}}]`);
const signed = hook(`sign: {secret: '{{ env "HOOK_SECRET" }}'}`);
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

test.each([
  ['an output that signs nothing', hook(''), {}, []],
  [
    'a secret',
    signed,
    { HOOK_SECRET: secret },
    [/^ok HOOK_SECRET: a secret of 32 bytes; signs for forms\.contact\.outputs\[0\]\.sign\.secret$/],
  ],
  ['a secret from a file, with its line end', signed, { HOOK_SECRET: `${secret}\n` }, [/^ok HOOK_SECRET/]],
  ['a variable that is not set, which the environment tells', signed, {}, []],
  [
    'a secret that is too short',
    signed,
    { HOOK_SECRET: 'whsec_aHVudGVyMg==' },
    [/^failure HOOK_SECRET: it holds a signing secret of 7 bytes; it needs 24 to 64/],
  ],
])('%s', async (_, config, env, expected) => {
  const lines = await diagnose('Signing secrets', config, { env });
  expect(lines).toEqual(expected.map((pattern) => expect.stringMatching(pattern)));
  expect(lines.join()).not.toContain('hunter2');
});

const formUploads = (keys: string) =>
  `forms: {jobs: {fields: [{name: cv, type: file, max_size: 1MB}], ${keys} outputs: [{type: smtp, host: mail.example.com, to: a@a.example, mapping: "*"}]}}`;

test.each([
  [
    'what AWS Lambda lets through is told where a form takes more',
    formUploads(''),
    {},
    /^ok forms\.jobs: takes submissions of up to 10 MB; on AWS Lambda 4\.4 MB/,
  ],
  ['and not where it does not', formUploads('max_body: 4MB,'), {}, /up to 4 MB$/],
  [
    'a form that takes more than all uploads together may hold',
    formUploads('max_body: 100MB,'),
    {},
    /^warning forms\.jobs: takes 100 MB .*no submission over 64 MB is taken -> Set UPLOAD_BUDGET/,
  ],
])('%s', async (_what, config, env, said) => {
  expect(await diagnose('Files', config, { env })).toEqual([expect.stringMatching(said)]);
});

test('forms without files are not mentioned', async () => {
  const config = 'forms: {news: {fields: [{name: email}], outputs: []}}';
  expect(await diagnose('Files', config)).toEqual([]);
});

const post = '[{type: http_post, url: "https://a.example/", mapping: "*"}]';
const limited = formWith(post, 'rate_limit: 5 per 10m');
const https = { PUBLIC_URL: 'https://forms.example.com' };

test.each<[string, string, Record<string, string>, readonly RegExp[]]>([
  ['a form that counts nobody', formWith(post), https, []],
  ['a relay that nothing stands in front of, as far as anybody knows', limited, {}, []],
  [
    'proxies with a name',
    limited,
    { ...https, TRUSTED_PROXIES: '10.0.0.0/8, 127.0.0.1' },
    [/^ok TRUSTED_PROXIES: 10\.0\.0\.0\/8, 127\.0\.0\.1\/32; they name the client in x-forwarded-for/],
  ],
  ['nobody in front', limited, { TRUSTED_PROXIES: 'none' }, [/^ok TRUSTED_PROXIES: none; whoever connects/]],
])('the doctor on %s', async (_, config, env, expected) => {
  const lines = await diagnose('Environment', config, { env });
  expect(lines).toHaveLength(expected.length);
  for (const [index, line] of lines.entries()) expect(line).toMatch(expected[index] as RegExp);
});

const to = (recipients: string) =>
  formWith(`[{type: smtp, host: mail.example, mapping: "*", to: '${recipients}'}]`);

const zone: Zone = {
  'firm.example': { MX: ['mx.firm.example'] },
  'old.example': { A: ['192.0.2.1'] },
  'null.example': { MX: [''] },
  'trouble.example': 'SERVFAIL',
};

test.each<[string, string, readonly RegExp[]]>([
  [
    'a domain that takes mail',
    'a@firm.example, b@FIRM.example',
    [/^ok firm\.example: takes mail at mx\.firm\.example$/],
  ],
  ['a domain without MX', 'a@old.example', [/^ok old\.example: has no MX/]],
  [
    'a domain that does not exist',
    'a@exampel.example',
    [/^failure exampel\.example: has neither MX nor address.*outputs\[0\]\.to.* -> Check the spelling/],
  ],
  ['a domain that takes no mail', 'a@null.example', [/^failure null\.example: .*null MX/]],
  ['a customer by name', 'Customer <{{ .fields.email }}>', []],
  ['what visitors send', '{{ .fields.email }}', []],
  ['recipients from the environment', '{{ env "TO" }}', [/^ok firm/, /^ok old/]],
  ['a variable that is not set, which is said elsewhere', '{{ env "NOBODY" }}', []],
  [
    'a DNS in trouble with one domain',
    'a@trouble.example, b@firm.example',
    [/^warning trouble\.example: not looked at: .*ESERVFAIL/, /^ok firm/],
  ],
])('%s', async (_, recipients, expected) => {
  const env = { TO: 'a@firm.example,b@old.example', NONSENSE: 'hunter2' };
  const lines = await diagnose('Recipients', to(recipients), { zone, env });
  expect(lines).toEqual(expected.map((one) => expect.stringMatching(one)));
  expect(lines.join()).not.toContain('hunter2');
});

test('recipients of copies are checked, too', async () => {
  const config = formWith(
    '[{type: email, mapping: "*", to: a@firm.example, cc: b@exampel.example, bcc: "Archive <c@null.example>"}]',
  );
  expect(await diagnose('Recipients', config, { zone })).toEqual([
    expect.stringMatching(/^ok firm/),
    expect.stringMatching(/^failure exampel\.example: .*outputs\[0\]\.cc/),
    expect.stringMatching(/^failure null\.example: .*outputs\[0\]\.bcc/),
  ]);
});

test('a network without a way out makes no domain a failure', async () => {
  expect(await diagnose('Recipients', to('a@firm.example'), { resolver: lonelyResolver })).toEqual([
    expect.stringMatching(
      /^warning firm\.example: not looked at: .*knows no names of the internet -> Run relay doctor on/,
    ),
  ]);
});
