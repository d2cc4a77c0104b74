/** Ready means usable: without the variables that its config needs, a relay starts and serves, but is not ready. */
import { relayWith } from '../../../test/support/index.ts';
import { ok } from '../../base/src/result.ts';

const post = 'type: http_post, url: "http://127.0.0.1:9/"';
const form = (outputs: string, more = '') => `{fields: [{name: a}], outputs: [${outputs}], ${more}}`;
const minFill = 'spam: {min_fill_seconds: 1}';
const address = 'https://a.example';
const strong = 'nR4vKq81xTz06LmWc95bYd';

const needs: [what: string, form: string, variable: string, place: string][] = [
  ['a min-fill token', form(`{${post}}`, minFill), 'FORM_TOKEN_SECRET', 'spam.min_fill_seconds'],
  ['a sender', form(`{${post}}, {type: email, to: a@a.example}`), 'MAIL_FROM_ADDRESS', 'outputs[1]'],
  [
    'a header',
    form(`{${post}, headers: {Authorization: 'Bearer {{ env "TOKEN" | trim }}'}}`),
    'TOKEN',
    'outputs[0].headers.Authorization',
  ],
  [
    'a password',
    form(`{type: smtp, host: a.example, to: a@a.example, username: u, password: '{{ env "PASSWORD" }}'}`),
    'PASSWORD',
    'outputs[0].password',
  ],
  [
    'a username',
    form(`{type: smtp, host: a.example, to: a@a.example, username: '{{ env "USER_" }}', password: p}`),
    'USER_',
    'outputs[0].username',
  ],
  [
    'a recipient',
    form(`{type: smtp, host: a.example, to: 'a@a.example, Office <{{ env "OFFICE" }}>'}`),
    'OFFICE',
    'outputs[0].to',
  ],
  [
    'a key that signs requests',
    form(`{type: webhook, url: "https://a.example/", sign: {secret: '{{ env "HOOK_SECRET" }}'}}`),
    'HOOK_SECRET',
    'outputs[0].sign.secret',
  ],
  [
    'a grant of OAuth 2.0',
    form(
      `{${post}, oauth2: {grant: refresh_token, token_url: "https://a.example/", client_id: a, client_secret: '{{ env "S" | default "" }}', refresh_token: '{{ env "REFRESH" }}'}}`,
    ),
    'REFRESH',
    'outputs[0].oauth2.refresh_token',
  ],
  ['a webhook of a chat', form('{type: slack, url_env: SLACK_URL}'), 'SLACK_URL', 'outputs[0].url_env'],
  [
    'a captcha',
    form(`{${post}}`, `captcha: {provider: turnstile, secret: '{{ env "CAPTCHA" }}'}`),
    'CAPTCHA',
    'captcha.secret',
  ],
  ['a puzzle', form(`{${post}}`, 'spam: {proof_of_work: true}'), 'FORM_TOKEN_SECRET', 'spam.proof_of_work'],
  ['a challenge', form(`{${post}}`, 'spam: {doubt: challenge}'), 'FORM_TOKEN_SECRET', 'spam.doubt'],
  ['a receipt', form(`{${post}}`, 'receipt: true'), 'RECEIPT_SECRET', 'receipt'],
];

test.each(needs)('%s needs its variable before the relay is ready', async (_, form, variable, place) => {
  const config = `forms: {contact: ${form}}`;
  // Empty counts as unset.
  for (const env of [{}, { [variable]: '' }]) {
    const relay = await relayWith({ config, env });
    const { status, json } = await relay.get('/readyz');
    expect([status, json]).toEqual([
      503,
      { error: `the config needs variables that are not set: ${variable}` },
    ]);
    expect((await relay.get('/healthz')).status).toBe(200);
    expect((await relay.get('/api/v1/form/nobody')).status).toBe(404);
    expect(relay.logged.filter(({ event }) => event === 'variables_missing')).toEqual([
      {
        level: 'warn',
        event: 'variables_missing',
        variables: [variable],
        places: [`forms.contact.${place} needs ${variable}`],
      },
    ]);
  }
  const value = ['MAIL_FROM_ADDRESS', 'OFFICE'].includes(variable) ? 'forms@a.example' : strong;
  const relay = await relayWith({ config, env: { [variable]: value } });
  const { status, json } = await relay.get('/readyz');
  expect([status, json]).toEqual([200, { message: 'ok' }]);
  expect(relay.logged.map(({ event }) => event)).toEqual(['config_loaded']);
});

test.each([
  `'office+{{ env "STAGE" }}@a.example'`,
  `'{{ .form.id }}{{ env "STAGE" }}@a.example'`,
  `'{{ env "OFFICE" | default "a@a.example" }}'`,
  `'{{ env "FIRST" }}{{ env "OTHER" }}'`,
  `'{{ .fields.a }}@{{ env "DOMAIN" }}'`,
])('a recipient that can do without a variable does not need it: to: %s', async (to) => {
  const config = `forms: {contact: ${form(`{${post}}, {type: smtp, host: a.example, to: ${to}}`)}}`;
  const relay = await relayWith({ config, env: { OTHER: 'a@a.example' } });
  expect((await relay.get('/readyz')).json).toEqual({ message: 'ok' });
});

test.each(['topic', 'token', 'headers'])('a form called %s needs no other variables', async (name) => {
  const config = `forms: {${name}: ${form(`{type: smtp, host: a.example, to: a@a.example, subject: '{{ env "PREFIX" }}'}`)}}`;
  const relay = await relayWith({ config });
  expect((await relay.get('/readyz')).status).toBe(200);
});

test('a form called static needs the variables of its credentials', async () => {
  const config = `forms: {static: ${form(`{${post}, headers: {Authorization: '{{ env "TOKEN" }}'}}`)}}`;
  const relay = await relayWith({ config });
  expect((await relay.get('/readyz')).status).toBe(503);
});

test.each([
  [
    'spam: {proof_of_work: true}',
    `{contact: ${form(`{${post}}`)}}`,
    ['spam.proof_of_work needs FORM_TOKEN_SECRET'],
  ],
  [
    'keep: {in: /var/lib/kept}, alerts: {outputs: [{type: slack, url_env: SLACK_URL}]}',
    `{contact: ${form(`{${post}}`, 'keep: failed')}}`,
    ['alerts.outputs[0].url_env needs SLACK_URL'],
  ],
  [
    'cache_ttl: 30s',
    `{contact: {fields: [{name: email, type: email, required: true, max_length: 50}], outputs: [{type: smtp, host: a.example, from: a@a.example, to: a@a.example}], double_opt_in: {to: email, subject: Please confirm, text: Please click.}}}`,
    ['forms.contact.double_opt_in needs FORM_TOKEN_SECRET', 'forms.contact.double_opt_in needs PUBLIC_URL'],
  ],
])('everything that needs a variable is listed with its place: %s', async (top, forms, expected) => {
  const { get, logged } = await relayWith({ config: `{${top}, forms: ${forms}}` });
  expect((await get('/readyz')).status).toBe(503);
  expect(logged.find(({ event }) => event === 'variables_missing')?.places).toEqual(expected);
  // Any non-empty value counts as set.
  const names = expected.map((place) => place.replace(/.* needs /, ''));
  const env = Object.fromEntries(
    names.map((name) => [name, name === 'FORM_TOKEN_SECRET' ? strong : address]),
  );
  const ready = await relayWith({ config: `{${top}, forms: ${forms}}`, env });
  expect((await ready.get('/readyz')).status).toBe(200);
});

/** A relay without variables and with a changing config. Each check runs after the time-to-live. */
async function relayOver(first: string) {
  const file = { text: first };
  const relay = await relayWith({
    env: { CONFIG_FILE: 'webform.yaml' },
    effects: { readFile: async () => ok({ text: file.text, modifiedAt: 0 }), sleep: async () => {} },
  });
  const look = async () => {
    relay.advance(30_000);
    const { status, json } = await relay.get('/readyz');
    return [status, json];
  };
  return { ...relay, file, look };
}

const complete = `forms: {contact: ${form(`{${post}}`)}}`;
const lacking = `forms: {contact: ${form(`{${post}}`, minFill)}}`;
const needsAnother = `{${post}, headers: {Authorization: '{{ env "TOKEN" }}'}}`;
const needingAnother = `forms: {contact: ${form(needsAnother)}}`;
const unset = 'the config needs variables that are not set: FORM_TOKEN_SECRET';

test('a relay that was not ready becomes ready with the first config that lacks nothing', async () => {
  const { file, look } = await relayOver(lacking);
  expect(await look()).toEqual([503, { error: unset }]);
  file.text = 'forms: [';
  expect(await look()).toEqual([503, { error: unset }]);
  file.text = complete;
  // Requests do not wait for a long load.
  await expect.poll(look).toEqual([200, { message: 'ok' }]);
});

test.each([
  ['   ', 'is only white space'],
  ['hunter2', 'has 7 characters, which can be guessed'],
  ['abababababababababab', 'repeats a few characters, which can be guessed'],
  ['change-me-change-me', 'looks like a placeholder'],
  ['my SECRET for forms', 'looks like a placeholder'],
  ['the-password-of-it', 'looks like a placeholder'],
  ['a placeholder for it', 'looks like a placeholder'],
  ['this is an example', 'looks like a placeholder'],
  ['REPLACE_THIS_BY_YOURS', 'looks like a placeholder'],
  ['abcdeabcdeabcdeabcde', 'repeats a few characters, which can be guessed'],
  ['f2a1c09d77e34b1', 'has 15 characters, which can be guessed'],
])('a FORM_TOKEN_SECRET like %j is reported without being shown', async (secret, weakness) => {
  const env = { FORM_TOKEN_SECRET: secret };
  const relay = await relayWith({ config: lacking, env });
  expect((await relay.get('/readyz')).status).toBe(200);
  const reason = `FORM_TOKEN_SECRET ${weakness}`;
  expect(relay.logged[1]).toEqual({ level: 'warn', event: 'weak_token_secret', reason });
  // This config does not need it.
  const unused = await relayWith({ config: needingAnother, env: { ...env, TOKEN: strong } });
  await unused.get('/readyz');
  expect(unused.logged.map(({ event }) => event)).toEqual(['config_loaded']);
});

test.each(['FORM_TOKEN_SECRET', 'KEEP_SECRET', 'RECEIPT_SECRET'])(
  'no relay accepts an ARN as %s',
  async (name) => {
    const env = { [name]: 'arn:aws:ssm:eu-central-1:111122223333:parameter/token' };
    const said = `${name}: this is an ARN, which can be guessed; set it to the secret itself`;
    await expect((async () => relayWith({ config: lacking, env }))()).rejects.toThrow(said);
  },
);

test('a RECEIPT_SECRET that can be guessed is reported only if a form issues receipts', async () => {
  const env = { RECEIPT_SECRET: `${strong},hunter2`, TOKEN: strong };
  const used = await relayWith({ config: `forms: {contact: ${form(needsAnother, 'receipt: true')}}`, env });
  expect((await used.get('/readyz')).status).toBe(200);
  const reason = 'RECEIPT_SECRET has 7 characters, which can be guessed';
  expect(used.logged[1]).toEqual({ level: 'warn', event: 'weak_receipt_secret', reason });
  const unused = await relayWith({ config: needingAnother, env });
  await unused.get('/readyz');
  expect(unused.logged.map(({ event }) => event)).toEqual(['config_loaded']);
});
