/** An assistant's view of a config: dots in place of secrets, and placeholders in dry runs. */

import { readFile } from 'node:fs/promises';
import { ConfigView } from '../src/config_view.ts';
import { assistant, folderWith } from './assistant.ts';

const webhook = (url: string, more = '') =>
  `forms:\n  contact:\n    fields: [{name: a}]\n    outputs:\n      - type: webhook\n        url: ${url}\n        mapping: "*"\n${more}`;

const form = (...keys: string[]) => `forms:\n  a:\n${keys.map((key) => `    ${key}\n`).join('')}`;
const token = 'aB3'.repeat(7);
const words = 'long-name_of-a-page'.repeat(3);

/** ‹ and › mark what is hidden in each config. */
test.each<[what: string, config: string]>([
  ['paths and queries of outputs', webhook('https://hooks.acme.dev/‹T0›/‹x›?‹k=y#z›')],
  ['a query without a path', webhook('https://hooks.acme.dev?‹k=y›')],
  ['quoted addresses', webhook('"HTTPS://hooks.acme.dev/‹T0›"')],
  ['quoted addresses behind a blank', webhook(`' https://hooks.acme.dev/‹T0›'`)],
  ['addresses of other schemes', webhook('sftp+x.1-a://hooks.acme.dev/‹T0›')],
  ['what follows a template', webhook('https://hooks.acme.dev/{{ env "TOKEN" }}/‹T0›')],
  ['a template with a text of its own', webhook(`https://hooks.acme.dev/‹{{› ‹"T0"› ‹}}›`)],
  ['a template of a value', webhook('https://hooks.acme.dev/{{- .a | upper }}')],
  ['credentials', webhook('https://‹me:pw›@hooks.acme.dev/‹T0›')],
  ['addresses of alerts', `alerts: {to: https://hooks.acme.dev/‹T0›}\n${webhook('https://a.example')}`],
  ['no text that holds an address', webhook('see https://hooks.acme.dev/T0')],
  ['no text that looks like one', webhook('x/https://hooks.acme.dev/T0')],
  ['passwords', webhook('https://a.example', '        password: ‹pw›\n')],
  ['headers', webhook('https://a.example', '        headers:\n          X-Key: ‹a b›\n')],
  [
    'a key in static',
    webhook('https://a.example', '        static: {access_key: ‹abc›, ACCESS_KEY: ‹x›, note: abc}\n'),
  ],
  [
    'no key elsewhere',
    webhook('https://a.example', '        tags: {access_key: abc}\n        static: {note: {key2: b}}\n'),
  ],
  [
    'a form that has the name of a key',
    'forms:\n  outputs:\n    redirect: https://a.example/x\n  alerts:\n    redirect: https://a.example/x\n',
  ],
  [
    'tokens in addresses of forms',
    form(`redirect: https://a.example/‹${token}›/x?k=‹12345678›&l=1234567#abcdefghi`),
  ],
  ['tokens at the end of addresses', form(`redirect: https://a.example/x/‹${token}›`)],
  ['tokens before a fragment', form(`redirect: HTTP://a.example/x/‹${token}›#x`)],
  ['tokens of 40 characters with marks', form(`redirect: https://a.example/‹${words}›?x`)],
  ['no words in a path', form('redirect: https://a.example/a-page-with-a-name/index.html')],
  ['no long file names', form(`redirect: https://a.example/${token}.html`)],
  ['no path but of addresses', form(`title: a/${token}`)],
  ['parameters with dots', form('redirect: https://a.example/?a.b-c=‹123456789›&d=‹123456789›')],
  ['no templates in parameters', form('redirect: https://a.example/?a={{ .id }}')],
  ['two tokens in a row', form(`title: See https://a.example/‹${token}› and https://b.example/‹${token}›`)],
  ['addresses in comments', '# https://a.example/‹x›/‹y›?‹k=z›\nforms: {}\n'],
  ['escaped addresses in comments', '# https:\\/\\/a.example‹\\›/‹x›\nforms: {}\n'],
  ['addresses behind others in comments', '# a: "s3://a/‹x›", b: <x-y.z+1://c/‹y›>\nforms: {}\n'],
  ['templates in comments', '# https://a.example/{{ env "A" }}/‹x›\nforms: {}\n'],
  ['keys in comments', `# my_key: ‹abc› ‹d›\nforms: {} # api-token: ‹"x"›\n`],
  [
    'keys of all names in comments',
    '# A-SECRET-x: ‹a›\n# passw: ‹b›\n# pwd: ‹c›\n# Credentials : ‹d›\n# "key": ‹e›\nforms: {}\n',
  ],
  ['headers in comments', '#  headers:\n#   X-Api: ‹a›\n#   X-Other: ‹b›\nforms: {}\n'],
  ['headers in indented comments', 'forms:\n  # headers:\n  #   X-Api: ‹a›\n  a: {}\n'],
  ['headers in blocks of Windows', '#  headers:\r\n#   X-Api: ‹a›\r\nforms: {}\r\n'],
  ['no line behind a block', '# headers:\n\n#   X-Api: a\nforms: {}\n'],
  ['no line behind a text', '# headers:\nforms: {} # X-Api: a\n'],
  [
    'no text behind a number sign that is no comment',
    'forms:\n  a:\n    title: "a # my_key: b"\n    help: # my_key: ‹c›\n    label: !!str # my_key: ‹d›\n    redirect: \'e # my_key: e\' # my_key: ‹f›\n',
  ],
  [
    'lines of Windows',
    webhook('https://hooks.acme.dev/‹T0›', '        password: ‹pw›\n').replaceAll('\n', '\r\n'),
  ],
  [
    'an alias once',
    webhook('&u https://hooks.acme.dev/‹T0›', '      - {type: webhook, url: *u, mapping: "*"}\n'),
  ],
])('hides %s', (_, marked) => {
  const full = marked.replaceAll(/[‹›]/g, '');
  const view = new ConfigView(full);
  expect(view.shown).toBe(marked.replaceAll(/‹([^›]*)›/g, (_, secret: string) => '•'.repeat(secret.length)));
  expect(view.safe).toHaveLength(full.length);
});

test('a config that is not YAML is not shown', () =>
  expect(new ConfigView('forms:\n\ta: https://a.example/x\n').shown).toBe(''));

test.each<[what: string, secret: string, placeholder: string]>([
  ['letters and digits', 'aZ09zA', 'aA00aA'],
  ['what a key begins with', 'whsec_MfKQ9r8GKYqrTw==', 'whsec_AaAA0a0AAAaaAA=='],
  ['marks that words have', 'a-b_c.d:e,f@g', 'a-a_a.a:a,a@a'],
  ['marks that templates or YAML would read', 'a!$%^*()~;<>b', 'aaaaaaaaaaaaa'],
  ['other alphabets', 'Ä→é', 'aaa'],
  ['the end of Base64', 'abc1=', 'aaaA='],
])('a dry run has %s in the same form', (_, secret, placeholder) => {
  const config = (password: string) =>
    `forms:\n  a:\n    outputs:\n      - {type: smtp, password: '${password}'}\n`;
  expect(new ConfigView(config(secret)).safe).toBe(config(placeholder));
});

test('a dry run keeps JSON keys, PEM headers and templates', () => {
  const config = (key: string, id: string) =>
    `forms:\n  a:\n    outputs:\n      - type: x\n        service_account: '{"type": "${key}", "key_id": "-----BEGIN PRIVATE KEY-----${id}-----END PRIVATE KEY-----"}'\n        password: '{{ env "PASSWORD" }}'\n        title: aZ09\n`;
  expect(new ConfigView(config('abc', 'Zz9')).safe).toBe(config('aaa', 'Aa0'));
});

test('a dry run keeps texts that are hidden only because of what precedes them', () => {
  const config = (key: string, token: string, pw: string) =>
    form(
      `outputs: [{type: webhook, url: "https://a.example", headers: {X-Key: "${key}"}, mapping: {note: "email"}, static: {token: ${token}, note: "b c"}, pasword: ${pw}, reply: "https://me:${pw}@b.example"}]`,
    );
  const view = new ConfigView(config('abc1', 'Zz9', 'x9'));
  expect(view.shown).toMatch(/headers: •+\n$/);
  expect(view.safe).toBe(config('aaa0', 'Aa0', 'a0').replace('me:', 'aa:'));
});

/** Secrets in the config stay hidden, however an assistant moves their lines. */

const telegram = 'bot110201543:AAF-sECRETq/sendMessage';
const secrets = ['SECRET1-short', 'SECRET2-static', 'SECRET3pw', 'SECRET4key', 'AAF-sECRETq'];

const config = `forms:
  contact:
    fields:
      - {name: email, type: email}
    outputs:
      - type: webhook
        url: https://hooks.acme.dev/T0/SECRET1-short
        mapping: "*"
        static:
          access_key: SECRET2-static
      - type: webhook
        url: https://api.telegram.example/${telegram}
        mapping: "*"
        headers:
          X-Key: SECRET4key
      - type: smtp
        host: mail.example
        username: anna
        password: SECRET3pw
        from: me@example.com
        to: you@example.com
        subject: Hello
        text: Hello
`;

/** Calls tools on a config, and checks that no answer contains a secret. */
async function stage(start = config, hidden = secrets) {
  const { file, folder } = await folderWith(start);
  const { call } = await assistant({ file });
  const shows = async (name: string, args: Record<string, unknown> = {}) => {
    const answer = await call(name, args);
    for (const secret of hidden) expect(answer.whole).not.toContain(secret);
    return answer;
  };
  const shown = async () => (await shows('read_config')).found.text as string;
  const now = () => readFile(file, 'utf8');
  return { file, folder, shows, shown, now };
}

test('a secret that becomes a text of the form, a comment that reveals it, or another key is refused', async () => {
  const { shows, shown, now } = await stage();
  const renamed = (old: string, key: string) => ({ edits: [{ old, new: key }] });
  const attempts: Record<string, unknown>[] = [
    { text: await shown() },
    renamed('access_key:', 'note:'),
    renamed('        password: ', '        intro: '),
    renamed('        password: ', '        reply_to: &pw '),
    renamed('      - type: smtp\n', '      - type: email\n'),
    renamed('fields:\n      - {name: email, type: email}\n', 'help: |\n'),
    {
      edits: [
        { old: 'password: ', new: 'password: &pw ' },
        { old: 'subject: Hello', new: 'subject: *pw' },
      ],
    },
    {
      edits: [
        { old: '  contact:\n', new: '  token:\n' },
        { old: '        headers:\n          X-Key:', new: '        mapping:\n          X-Key:' },
      ],
    },
  ];
  for (const attempt of attempts) {
    const checked = await shows('validate_config', attempt);
    const answer = await shows('write_config', attempt);
    expect([attempt, answer.isError || answer.found.written === false]).toEqual([attempt, true]);
    if (answer.isError) expect(checked.text).toBe(answer.text);
    expect(await now()).toBe(config);
    await shows('read_config');
    await shows('explain_submission', { form: 'contact' });
  }
  const { text: why } = await shows('write_config', attempts[1]);
  expect(why).toMatch(/line 10: the secret behind the dots would be shown there.*comment it out/);
});

test('an output can be commented out and restored with its secrets, which stay hidden meanwhile', async () => {
  const { shows, shown, now } = await stage();
  const [out, back] = [
    [
      '      - type: webhook\n        url: https://api',
      '      # - type: webhook\n      #   url: https://api',
    ],
    [
      '\n        mapping: "*"\n        headers:\n          X-Key:',
      '\n      #   mapping: "*"\n      #   headers:\n      #     X-Key:',
    ],
  ].reduce<[{ old: string; new: string }[], { old: string; new: string }[]]>(
    ([out, back], [clear = '', comment = '']) => [
      [...out, { old: clear, new: comment }],
      [...back, { old: comment, new: clear }],
    ],
    [[], []],
  );
  expect((await shows('write_config', { edits: out })).found?.written).toBe(true);
  expect(await shown()).toContain('url: https://api.telegram.example/•');
  await shows('explain_submission', { form: 'contact' });
  const moved = [{ old: '      #   url: https://api', new: '    title: |-\n      url: https://api' }];
  expect((await shows('write_config', { edits: moved })).isError).toBe(true);
  expect((await shows('write_config', { edits: back })).found?.written).toBe(true);
  expect(await now()).toBe(config);
});

test('addresses and keys are hidden in comments as in outputs; texts of forms are shown', async () => {
  const comments = `# old: https://api.telegram.example/bot111111:AAF-oldcomment-SECRET0/sendMessage?x=SECRET4
# headers:
#   X-Api: SECRET5
# access_key: SECRET6
forms:
  contact: # by https://a.example/{{ env "X" }}/SECRET7
    fields:
      - {name: email, type: email, help: "See https://example.com/help/page"} # token: SECRET8
    outputs:
      - {type: webhook, url: "https://hooks.acme.dev/x", mapping: "*"} # or https:\\/\\/hooks.acme.dev\\/SECRET9
`;
  const { shows, shown } = await stage(comments, ['SECRET']);
  const text = await shown();
  expect(text).toHaveLength(comments.length);
  expect(text).toContain('# old: https://api.telegram.example/•');
  expect(text).toContain('https://example.com/help/page');
  for (const old of ['type: email,', 'forms:\n', '  contact: #']) {
    const edits = [{ old, new: old.replace(/(?=:)/, 'x') }];
    await shows('validate_config', { edits });
  }
  const edits = [{ old: '{name: email, type: email, help', new: '{name: mail, type: email, help' }];
  expect((await shows('write_config', { edits })).found?.written).toBe(true);
});

test.each([
  ['a key twice', '    fields: []\n'],
  ['a tab', '\tx: y\n'],
  ['a second document', '---\nforms: {}\n'],
  ['an unknown alias', '    help: *none\n'],
  ['an unknown tag', '    help: !none x\n'],
  ['an open quote', '    help: "x\n'],
  ['an open bracket', '    help: [x\n'],
])('with %s in it, a config is not shown, and can only be replaced as a whole', async (_, mistake) => {
  const good = `forms:
  contact:
    fields: [{name: a}]
    redirect: https://example.com/thanks?SECRET5
    captcha: {type: turnstile, sitekey: a, secret: SECRET5}
    outputs:
      - type: webhook
        url: https://127.0.0.1:1/a/SECRET5?x=SECRET6
        mapping: "*"
        static: {access_key: SECRET7}
`.replace(/ {4}captcha.*\n/, '');
  const { shows, now } = await stage(good + mistake, ['SECRET']);
  for (const name of ['validate_config', 'run_doctor', 'read_config']) await shows(name);
  const text = good.replaceAll('SECRET', 'public');
  expect((await shows('write_config', { text })).text).toContain('"written":true');
  expect(await now()).toBe(text);
});
