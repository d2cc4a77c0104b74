/** Secrets that stand in the config stay hidden, however an assistant moves the lines that have them. */
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { assistant, folderWith } from './assistant.ts';

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

/** Calls tools on a config, and expects that no answer shows a secret. */
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

test('a secret that becomes a text of the form, a comment that shows it or another key is refused', async () => {
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

test('an output is commented out and comes back with its secrets, which stay hidden meanwhile', async () => {
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

test('comments hide addresses and keys as outputs do; texts of forms show theirs', async () => {
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
])('with %s in it, a config is not shown, and can be replaced whole', async (_, mistake) => {
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
