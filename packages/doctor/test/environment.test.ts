import { expect, test } from 'vitest';
import { examineEnvironment } from '../src/environment.ts';
import { diagnose, formWith } from './stage.ts';

const post = (more: string) => `[{type: http_post, url: "https://a.example/", ${more}}]`;
const plain = formWith(post('mapping: "*"'));
const bearer = formWith(post(`headers: {Authorization: 'Bearer {{ env "CRM_TOKEN" }}'}`));
const mail = formWith('[{type: email, to: a@a.example, mapping: "*"}]');
const optIn =
  'forms: {news: {fields: [{name: email, type: email, required: true}], double_opt_in: {to: email, subject: s, text: t}, outputs: [{type: smtp, host: mail.example.com, to: a@a.example, mapping: "*"}]}}';
const minFill = formWith(post('mapping: "*"'), 'spam: {min_fill_seconds: 3}');

test.each([
  ['a config that needs nothing', plain, {}, []],
  [
    'malformed settings',
    plain,
    { PORT: 'http', CACHE_TTL: '3 parsecs' },
    [/^failure CACHE_TTL: .*3 parsecs.* -> Correct or unset it/, /^failure PORT: expected a port/],
  ],
  [
    'a variable that nobody set',
    bearer,
    {},
    [
      /^failure CRM_TOKEN: not set; forms.contact.outputs\[0\].headers.Authorization is empty without it -> Set it/,
    ],
  ],
  ['an empty variable, which is an unset one', bearer, { CRM_TOKEN: '' }, [/^failure CRM_TOKEN: not set/]],
  ['a variable that is set', bearer, { CRM_TOKEN: 'hunter2' }, [/^ok CRM_TOKEN: set, for forms\.contact/]],
  ['a line end after a secret', bearer, { CRM_TOKEN: 'hunter2\n' }, [/^warning CRM_TOKEN: .*white space/]],
  [
    'a variable with a default',
    formWith(
      post(`static: {a: '{{ default "x" (env "SITE") }}', b: '{{ env "SITE" | trim | default "x" }}'}`),
    ),
    {},
    [/^warning SITE: not set; .*static\.a, .*static\.b fall back to their defaults/],
  ],
  [
    'no sender for SES',
    mail,
    {},
    [/^failure MAIL_FROM_ADDRESS: not set; every mail of forms\.contact\.outputs\[0\]/],
  ],
  ['a sender', mail, { MAIL_FROM_ADDRESS: 'a@b.example' }, [/^ok MAIL_FROM_ADDRESS: a@b\.example/]],
  [
    'no secret for tokens',
    minFill,
    {},
    [/^failure FORM_TOKEN_SECRET: not set; "contact" uses.*answered 500/],
  ],
  [
    'a short secret',
    minFill,
    { FORM_TOKEN_SECRET: 'x'.repeat(15) },
    [/^warning FORM_TOKEN_SECRET: has 15 characters/],
  ],
  [
    'links without an address to lead to, and nothing to seal them with',
    optIn,
    {},
    [
      /^failure FORM_TOKEN_SECRET: not set; "news" uses double_opt_in, .*answered 500/,
      /^failure PUBLIC_URL: not set; "news" uses double_opt_in, .*answered 500/,
    ],
  ],
  [
    'links, and all that they need',
    optIn,
    { FORM_TOKEN_SECRET: 'nR4vKq81xTz06LmW', PUBLIC_URL: 'https://www.example.com/forms/' },
    [/^ok FORM_TOKEN_SECRET: set; seals the links/, /^ok PUBLIC_URL: https:\/\/www\.example\.com\/forms$/],
  ],
  ['a long secret', minFill, { FORM_TOKEN_SECRET: 'nR4vKq81xTz06LmW' }, [/^ok FORM_TOKEN_SECRET: set/]],
])('%s', async (_, config, env, expected) => {
  const lines = await diagnose(examineEnvironment, config, { env });
  expect(lines).toEqual(expected.map((one) => expect.stringMatching(one)));
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
  const lines = await diagnose(examineEnvironment, config);
  expect(lines).toEqual(expected.map((one) => expect.stringMatching(one)));
});

test('malformed settings are seen along with a config that does not load', async () => {
  expect(await diagnose(examineEnvironment, 'forms: 3', { env: { PORT: 'x' } })).toHaveLength(1);
});
