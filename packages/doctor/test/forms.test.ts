import { httpSink } from '../../../test/support/index.ts';
import { diagnose, formWith, like, lonelyResolver, rows, type Zone } from './stage.ts';

const env = { SECRET: 'hunter2' };

const form = (keys: object) =>
  formWith(
    '[{type: http_post, url: "https://a.example/", mapping: "*"}]',
    `captcha: ${JSON.stringify({ provider: 'turnstile', secret: '{{ env "SECRET" }}', ...keys })}`,
  );

test.each(
  rows(`
    invalid-input-response           | ok turnstile of "contact": the provider accepts the secret
    invalid-or-already-seen-response | ok
    invalid-input-secret             | failure …does not accept the secret (invalid-input-secret)…answered 400 -> Copy the secret… into SECRET
    sitekey-secret-mismatch          | failure
    invalid-keys                     | failure
    invalid-input-secret 400         | failure
    gone-fishing                     | warning …answered 200 (gone-fishing), which does not show
    success                          | warning …accepted a made-up token, so the captcha does not stop bots
  `),
)('a provider that answers %s', async (answer, ...expected) => {
  const [code = '', status = 200] = answer.split(' ');
  const body = JSON.stringify({ success: code === 'success', 'error-codes': [code] });
  const sink = await httpSink({ answer: () => ({ status: Number(status), body }) });
  const lines = await diagnose('Captchas', form({ verify_url: sink.origin }), { env });
  expect(lines).toEqual(like(...expected));
  expect(lines.join()).not.toContain('hunter2');
  expect(sink.requests.map(({ body }) => body)).toEqual([
    'secret=hunter2&response=relay-doctor-made-this-up',
  ]);
});

type Variables = Readonly<Record<string, string>>;
const forTests = { SECRET: '1x0000000000000000000000000000000AA' };
test.each<[keys: object, env: Variables, expected: string]>([
  [{}, {}, 'failure …not asked: the secret is empty… -> Set SECRET'],
  [
    {},
    forTests,
    'warning …test secrets, which do not stop bots -> Before going live, put the real secret into SECRET',
  ],
  [{ site_key: '1x00000000000000000000AA' }, env, 'failure …site_key is a test key, but the secret is not'],
  [{ secret: '{{ .fields.email }}' }, {}, 'warning …not tested'],
  [{ site_key: 'a', only_in_doubt: true }, {}, 'failure …empty, so challenged visitors cannot send the form'],
  [{ verify_url: 'http://127.0.0.1:9/' }, env, 'failure …127.0.0.1:9: connect ECONNREFUSED'],
])('a captcha with %j and the variables %j', async (keys, env, expected) =>
  expect(await diagnose('Captchas', form(keys), { env })).toEqual(like(expected)),
);

const hook = (sign: string) =>
  formWith(`[{type: webhook, url: "https://a.example/", mapping: "*", ${sign}}]`);
const signed = hook(`sign: {secret: '{{ env "HOOK_SECRET" }}'}`);
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

test.each<[config: string, env: Variables, ...expected: string[]]>([
  [hook(''), {}],
  [signed, {}],
  [
    signed,
    { HOOK_SECRET: secret },
    'ok HOOK_SECRET: 32 bytes; signs the requests of …outputs[0].sign.secret$',
  ],
  [signed, { HOOK_SECRET: `${secret}\n` }, 'ok HOOK_SECRET'],
  [
    signed,
    { HOOK_SECRET: 'whsec_aHVudGVyMg==' },
    'failure …has a signing secret of 7 bytes; expected 24 to 64',
  ],
])('signing secrets of %s with %j', async (config, env, ...expected) => {
  const lines = await diagnose('Signing secrets', config, { env });
  expect(lines).toEqual(like(...expected));
  expect(lines.join()).not.toContain('hunter2');
});

const formUploads = (keys: string) =>
  `forms: {jobs: {fields: [{name: cv, type: file, max_size: 1MB}], ${keys} outputs: [{type: smtp, host: mail.example.com, to: a@a.example, mapping: "*"}]}}`;

test.each([
  ['', 'ok forms.jobs: accepts submissions of up to 10 MB; on AWS Lambda 4.4 MB'],
  ['max_body: 4MB,', 'ok …up to 4 MB$'],
  [
    'max_body: 100MB,',
    'warning forms.jobs: accepts 100 MB …submissions over 64 MB are rejected -> Set UPLOAD_BUDGET',
  ],
])('limits of a form with files: %s', async (keys, said) =>
  expect(await diagnose('Files', formUploads(keys))).toEqual(like(said)),
);

test('forms without files are not mentioned', async () => {
  const config = 'forms: {news: {fields: [{name: email}], outputs: []}}';
  expect(await diagnose('Files', config)).toEqual([]);
});

const post = '[{type: http_post, url: "https://a.example/", mapping: "*"}]';
const limited = formWith(post, 'rate_limit: 5 per 10m');
const https = { PUBLIC_URL: 'https://forms.example.com' };

const proxies = { ...https, TRUSTED_PROXIES: '10.0.0.0/8, 127.0.0.1' };
const named =
  'ok TRUSTED_PROXIES: 10.0.0.0/8, 127.0.0.1/32; these proxies report the client in x-forwarded-for';

test.each<[config: string, env: Variables, ...expected: string[]]>([
  [formWith(post), https],
  [limited, {}],
  [limited, proxies, named],
  [limited, { TRUSTED_PROXIES: 'none' }, 'ok TRUSTED_PROXIES: none; the connecting address'],
])('proxies in front of %s with %j', async (config, env, ...expected) =>
  expect(await diagnose('Environment', config, { env })).toEqual(like(...expected)),
);

const to = (recipients: string) =>
  formWith(`[{type: smtp, host: mail.example, mapping: "*", to: '${recipients}'}]`);

const zone: Zone = {
  'firm.example': { MX: ['mx.firm.example'] },
  'old.example': { A: ['192.0.2.1'] },
  'null.example': { MX: [''] },
  'trouble.example': 'SERVFAIL',
};

test.each(
  rows(`
    a@firm.example, b@FIRM.example    | ok firm.example: accepts mail at mx.firm.example$
    a@old.example                     | ok old.example: has no MX
    a@exampel.example                 | failure exampel.example: has neither MX nor address…outputs[0].to… -> Check the spelling
    a@null.example                    | failure null.example: …null MX
    Customer <{{ .fields.email }}>
    {{ .fields.email }}
    {{ env "TO" }}                    | ok firm | ok old
    {{ env "NOBODY" }}
    a@trouble.example, b@firm.example | warning trouble.example: not checked: …ESERVFAIL | ok firm
  `),
)('mails to %s', async (recipients, ...expected) => {
  const env = { TO: 'a@firm.example,b@old.example', NONSENSE: 'hunter2' };
  const lines = await diagnose('Recipients', to(recipients), { zone, env });
  expect(lines).toEqual(like(...expected));
  expect(lines.join()).not.toContain('hunter2');
});

test('recipients of copies are checked, too', async () => {
  const config = formWith(
    '[{type: email, mapping: "*", to: a@firm.example, cc: b@exampel.example, bcc: "Archive <c@null.example>"}]',
  );
  const failures = ['failure exampel.example: …outputs[0].cc', 'failure null.example: …outputs[0].bcc'];
  expect(await diagnose('Recipients', config, { zone })).toEqual(like('ok firm', ...failures));
});

test('in a network without internet access, no domain is a failure', async () => {
  expect(await diagnose('Recipients', to('a@firm.example'), { resolver: lonelyResolver })).toEqual(
    like('warning firm.example: not checked: …does not resolve public names -> Run relay doctor on'),
  );
});
