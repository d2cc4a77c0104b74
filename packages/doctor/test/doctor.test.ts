import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createS3Client } from '@form-relay/clients/aws/s3_client';
import { suiteFolder } from '../../../test/support/temp_folder.ts';
import { readTextFile } from '../../base/src/text_file.ts';
import { awsAccount } from '../../clients/src/aws/account.ts';
import { createHttpClient } from '../../clients/src/http/http_client.ts';
import { account, startS3 } from '../../clients/test/aws/aws.ts';
import { configSource, noSource } from '../../config/src/source.ts';
import type { Environment } from '../../core/src/settings.ts';
import { ownServices, readSetup } from '../../runtimes/src/inspect.ts';
import { examine } from '../src/examine.ts';
import { asLine, diagnose, formWith, like, resolverOf, setupOf } from './stage.ts';

afterEach(() => vi.useRealTimers());

const config = formWith(
  '[{type: http_post, url: "http://127.0.0.1:9/", mapping: "*"}, {type: smtp, host: mail.example, to: a@a.example, mapping: "*"}]',
);

const linesOf = async (...staged: Parameters<typeof setupOf>) =>
  (await examine(await setupOf(...staged), { writes: false, resolver: resolverOf({}) })).flatMap(
    ({ title, findings }) => findings.map((one) => `${title}: ${asLine({ ...one, remedy: undefined })}`),
  );

test('a check that throws fails alone, and shows no secret', async () => {
  const connectSmtp = () => Promise.reject(new TypeError('hunter2 is undefined'));
  const lines = await linesOf(config, { connectSmtp });
  expect(lines).toContain(
    'SMTP servers: failure SMTP servers: this check threw, which is a bug in the relay',
  );
  expect(lines).toContain('Config: ok webform.yaml: loads, with 1 form and 2 outputs');
  expect(lines.join()).not.toContain('hunter2');
});

test('a check that hangs fails after 10 s, and no other check waits for it', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const hang = () => new Promise<never>(() => {});
  const lines = linesOf(config, { connectSmtp: hang, tryConnect: hang });
  await vi.advanceTimersByTimeAsync(10_000);
  expect((await lines).filter((line) => line.includes('not done'))).toEqual([
    'HTTP outputs: failure HTTP outputs: not done within 10 s',
    'SMTP servers: failure SMTP servers: not done within 10 s',
  ]);
});

test('if the config does not load, the settings are still examined', async () => {
  const lines = await linesOf('forms: 3', { env: { PORT: 'x' } });
  expect(lines).toEqual(like(/^Config: failure webform.yaml:1:8: /, /^Environment: failure PORT: /));
});

const post = '[{type: http_post, url: "http://localhost/", mapping: "*"}]';

test('a config that loads is counted', async () =>
  expect(await diagnose('Config', formWith(post))).toEqual([
    'ok webform.yaml: loads, with 1 form and 1 output',
  ]));

test('warnings come with their place', async () => {
  const lines = await diagnose('Config', formWith('[{type: http_post, url: "http://localhost/"}]'));
  expect(lines).toHaveLength(2);
  expect(lines[1]).toMatch(
    /^warning webform.yaml:1:54: forms.contact.outputs\[0\]: this output sends nothing;.*\n.*\^/s,
  );
});

test('an output of an unknown type is a failure, since its form answers every submission with a 500', async () => {
  const lines = await diagnose('Config', formWith('[{type: fax}]'));
  expect(lines[1]).toMatch(
    /^failure webform.yaml:1:\d+: forms.contact.outputs\[0\].type: .*answered with 500/,
  );
});

test('each problem of a broken config is a failure with its place and caret', async () => {
  const lines = await diagnose('Config', formWith(post, 'confirmaton: x, redirect: y'));
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatch(/^failure webform.yaml:1:\d+: forms.contact.confirmaton: .*confirmation.*\n.*\^/s);
});

test('secrets in a broken config are not shown', async () => {
  const config = formWith('[{type: smtp, host: a.example, to: a@a.example, password: "{{ hunter2 }}"}]');
  expect((await diagnose('Config', config)).join()).not.toContain('hunter2');
});

/** Takes the source of the config from the environment. */
async function fromEnvironment(env: Environment) {
  const http = createHttpClient().bytes;
  const readObject = createS3Client(
    { account: awsAccount((name) => env[name]), http, now: Date.now },
    { sleep: async () => {}, random: Math.random },
  );
  const world = { readObject, readFile: readTextFile, now: Date.now, sleep: async () => {} };
  const setup = await readSetup(
    env,
    ownServices(env),
    (settings) => configSource(settings, world) ?? noSource,
  );
  const [config] = await examine(setup, { writes: false, resolver: resolverOf({}) });
  return config?.findings.map(asLine);
}

test('a config is read from S3', async () => {
  const s3 = await startS3();
  const env = { ...account, CONFIG_BUCKET: 'configs', AWS_ENDPOINT_URL_S3: s3.origin };
  expect(await fromEnvironment(env)).toEqual([
    expect.stringContaining(
      'failure s3://configs/webform.yaml: there is no object "webform.yaml" in the bucket',
    ),
  ]);
  await s3.put('webform.yaml', formWith(post));
  expect(await fromEnvironment(env)).toEqual([
    'ok s3://configs/webform.yaml: loads, with 1 form and 1 output',
  ]);
});

test('a config that cannot be read is a failure', async () => {
  expect(await fromEnvironment({ CONFIG_BUCKET: 'configs' })).toEqual([
    'failure s3://configs/webform.yaml: no AWS region: set AWS_REGION -> Check CONFIG_BUCKET, CONFIG_KEY, the region and the credentials.',
  ]);
  expect(await fromEnvironment({ CONFIG_FILE: 'nowhere.yaml' })).toEqual(
    like(
      /^failure nowhere.yaml: the file does not exist -> Set the location of the config.*, or create one with relay init/,
    ),
  );
});

const folder = suiteFolder();

/** A plug-in with checks, and with outputs that test their own connections or have a URL. */
const path = join(folder, 'couch.mjs');
writeFileSync(
  path,
  `export default (kit) => ({
    name: 'couch',
    outputs: [
      {
        type: 'couch',
        summary: 'Stores documents.',
        keys: { at: kit.key.required('The database.', kit.key.text()) },
        open: ({ at }) => ({
          target: 'couch ' + at,
          send: async () => undefined,
          probe: async () => {
            if (at === 'gone') throw kit.fail('there is no such database');
            return [{ level: 'ok', says: 'is there' }];
          },
        }),
      },
      {
        type: 'broken',
        summary: 'Has a bug.',
        keys: {},
        open: () => ({
          target: 'nowhere',
          send: async () => undefined,
          probe: async () => undefined.hunter2,
        }),
      },
      {
        type: 'text',
        summary: 'Returns the wrong thing.',
        keys: {},
        open: () => ({ target: 'text', send: async () => undefined, probe: async () => 'is there' }),
      },
      {
        type: 'desk',
        summary: 'Posts tickets.',
        keys: { server: kit.key.required('The server.', kit.key.httpUrl()) },
        open: ({ server }) => ({ target: server, send: async () => undefined }),
      },
    ],
    checks: [
      { name: 'Couch', probe: async ({ env }) => (env.COUCH ? [{ level: 'ok', says: env.COUCH }] : undefined.hunter2) },
      { name: 'Shelf', probe: async () => 'is there' },
    ],
  })`,
);
const env = { RELAY_PLUGINS: path };
const configPlugins = (outputs: string) => `plugins: ["${path}"]\n${formWith(outputs)}`;

test('an output of a plug-in tests its own connection, once for each destination', async () => {
  const at = (name: string) => `{type: couch, at: ${name}, mapping: "*"}`;
  expect(
    await diagnose('Other outputs', configPlugins(`[${at('a')}, ${at('a')}, ${at('gone')}]`), { env }),
  ).toEqual([
    'ok couch a: is there',
    'failure couch gone: there is no such database (forms.contact.outputs[2]) -> See the documentation of the output type couch.',
  ]);
});

test('a probe or a check that throws, or returns no findings, is reported with the name of its plug-in', async () => {
  const config = configPlugins('[{type: broken, mapping: "*"}, {type: text, mapping: "*"}]');
  const lines = await linesOf(config, { env });
  expect(lines.filter((line) => /^(Other|Couch|Shelf)/.test(line))).toEqual([
    expect.stringMatching(
      /^Other outputs: failure nowhere: a bug in the plug-in "couch": probe of the output type "broken" threw at couch\.mjs:\d+:\d+ \(forms\.contact\.outputs\[0\]\)$/,
    ),
    'Other outputs: failure text: a bug in the plug-in "couch": probe of the output type "text" did not return a list; expected [{ level: \'ok\', says: \'has a token\' }]; the other levels are warning and failure (forms.contact.outputs[1])',
    'Couch: failure Couch: this check threw, which is a bug in the plug-in "couch"',
    'Shelf: failure Shelf: this check threw, which is a bug in the plug-in "couch"',
  ]);
  expect(await diagnose('Shelf', config, { env })).toEqual([
    expect.stringContaining(
      "-> probe did not return a list; expected [{ level: 'ok', says: 'has a token' }]",
    ),
  ]);
  expect(await diagnose('Couch', config, { env: { ...env, COUCH: 'is soft' } })).toEqual([
    'ok Couch: is soft',
  ]);
  expect(lines.join()).not.toContain('hunter2');
});

test('a plug-in that uses HTTP is checked like the relay’s own', async () => {
  const desk = configPlugins('[{type: desk, server: "https://desk.example/api", mapping: "*"}]');
  const tryConnect = async () => ({ certificateUntil: Date.UTC(2126, 0, 1) });
  expect(await diagnose('HTTP outputs', desk, { env, tryConnect })).toEqual([
    'ok https://desk.example: speaks TLS, with a certificate until 2126-01-01; no request was made',
  ]);
  expect(await diagnose('Other outputs', desk, { env })).toEqual([]);
});

const postEnvironment = (more: string) => `[{type: http_post, url: "https://a.example/", ${more}}]`;
const plain = formWith(postEnvironment('mapping: "*"'));
const bearer = formWith(postEnvironment(`headers: {Authorization: 'Bearer {{ env "CRM_TOKEN" }}'}`));
const toOffice = formWith(`[{type: smtp, host: a.invalid, to: '{{ env "OFFICE" }}', mapping: "*"}]`);
const mail = formWith('[{type: email, to: a@a.example, mapping: "*"}]');
const optIn =
  'forms: {news: {fields: [{name: email, type: email, required: true}], double_opt_in: {to: email, subject: s, text: t}, outputs: [{type: smtp, host: mail.example.com, to: a@a.example, mapping: "*"}]}}';
const minFill = formWith(postEnvironment('mapping: "*"'), 'spam: {min_fill_seconds: 3}');

const tokenUnset =
  /^failure CRM_TOKEN: not set; forms.contact.outputs\[0\].headers.Authorization is empty without it -> Set it/;
const noSender = /^failure MAIL_FROM_ADDRESS: not set; every mail of forms\.contact\.outputs\[0\]/;
const site = `static: {a: '{{ default "x" (env "SITE") }}', b: '{{ env "SITE" | trim | default "x" }}'}`;
const siteUnset = /^warning SITE: not set; .*static\.a, .*static\.b fall back to their defaults/;
const [secret, links] = ['nR4vKq81xTz06LmW', 'https://www.example.com/forms/'];

test.each<[config: string, env: Readonly<Record<string, string>>, ...expected: RegExp[]]>([
  [plain, {}],
  [plain, { PORT: 'http' }, /^failure PORT: expected a port/],
  [plain, { CACHE_TTL: '30' }, /^failure CACHE_TTL: found "30"; the unit is missing; for seconds, write 30s/],
  [plain, { CACHE_TTL: '3 parsecs' }, /^failure CACHE_TTL: .*3 parsecs.* -> Correct or unset it/],
  [bearer, {}, tokenUnset],
  [bearer, { CRM_TOKEN: '' }, tokenUnset],
  [bearer, { CRM_TOKEN: 'hunter2' }, /^ok CRM_TOKEN: set, for forms\.contact/],
  [bearer, { CRM_TOKEN: 'hunter2\n' }, /^warning CRM_TOKEN: .*white space/],
  [formWith(postEnvironment(site)), {}, siteUnset],
  [mail, {}, noSender],
  [toOffice, {}, /^failure OFFICE: not set; forms\.contact\.outputs\[0\]\.to is empty/],
  [toOffice, { OFFICE: 'office a.example' }, /^failure OFFICE: set, but forms\.contact\..*to has no valid/],
  [formWith(postEnvironment(`static: {to: '{{ env "PHONE" }}'}`)), { PHONE: '+49 30 1' }, /^ok PHONE: set/],
  [toOffice, { OFFICE: 'a@a.example, b@b.example\n' }, /^warning OFFICE: .*white space/],
  [mail, { MAIL_FROM_ADDRESS: 'a@b.example' }, /^ok MAIL_FROM_ADDRESS: a@b\.example/],
  [minFill, {}, /^failure FORM_TOKEN_SECRET: not set; "contact" uses.*answered with 500/],
  [minFill, { FORM_TOKEN_SECRET: 'x'.repeat(15) }, /^warning FORM_TOKEN_SECRET: has 15 characters/],
  [minFill, { FORM_TOKEN_SECRET: secret }, /^ok FORM_TOKEN_SECRET: set/],
  [
    optIn,
    {},
    /^failure FORM_TOKEN_SECRET: not set; "news" uses double_opt_in, .*answered with 500/,
    /^failure PUBLIC_URL: not set; "news" uses double_opt_in, .*answered with 500/,
  ],
  [
    optIn,
    { FORM_TOKEN_SECRET: secret, PUBLIC_URL: links },
    /^ok FORM_TOKEN_SECRET: set; seals the links/,
    /^ok PUBLIC_URL: https:\/\/www\.example\.com\/forms$/,
  ],
  [
    formWith(postEnvironment('mapping: "*"'), 'spam: {doubt: tag, signals: {akismet: {}}}'),
    {},
    /^failure AKISMET_KEY: not set; forms\.contact\.spam\.signals\.akismet needs it -> Set it/,
    /^failure PUBLIC_URL: not set; forms\.contact\.spam\.signals\.akismet needs it -> Set it/,
  ],
])('the doctor examines the variables of %s in %o', async (config, env, ...expected) => {
  const lines = await diagnose('Environment', config, { env });
  expect(lines).toEqual(like(...expected));
  expect(lines.join()).not.toContain('hunter2');
});

const toVisitor = (outputs: string, keys = '') =>
  `forms: {contact: {fields: [{name: email, type: email}], confirmation_mail: {to: email, subject: Thanks, text: Thanks, ${keys}}, outputs: ${outputs}}}`;
const bySes = '[{type: email, to: a@a.example, mapping: "*", from: web@firm.example}]';

test.each<[string, string, readonly RegExp[]]>([
  ['a sender of its own', formWith(bySes), []],
  ['one that the confirmation shares', toVisitor(bySes), []],
  [
    'none for a server that carries confirmations alone',
    toVisitor(bySes, 'through: {type: email}'),
    [/^failure MAIL_FROM_ADDRESS: not set; every mail of forms\.contact\.confirmation_mail fails/],
  ],
  ['one in the confirmation', toVisitor(bySes, 'through: {type: email}, from: hello@firm.example'), []],
])('mails through SES have %s', async (_, config, expected) => {
  const lines = await diagnose('Environment', config);
  expect(lines).toEqual(like(...expected));
});

test('invalid settings are reported along with a config that does not load', async () =>
  expect(await diagnose('Environment', 'forms: 3', { env: { PORT: 'x' } })).toHaveLength(1));
