/** Secrets that stand in the config stay hidden, however an assistant moves the lines that have them. */
import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { assistant, folderWith } from './assistant.ts';

const telegram = 'bot110201543:AAF-sECRETq/sendMessage';
const secrets = ['SECRET1-short', 'SECRET2-static', 'SECRET3pw', 'AAF-sECRETq'];

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
          X-Key: SECRET3pw
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

test('a line with dots that moves into a text of the form, a comment that shows it or another key is refused', async () => {
  const { file, shows, shown, now } = await stage();
  const text = await shown();
  const lines = text.split('\n').filter((line) => line.includes('•'));
  const note = (style: string) =>
    text.replace(
      '    outputs:\n',
      `      - name: note\n        help: ${style}\n${lines.map((line) => `          ${line.trim()}\n`).join('')}    outputs:\n`,
    );
  const renamed = (old: string, key: string) => ({ edits: [{ old, new: key }] });
  const attempts: Record<string, unknown>[] = [
    ...['|-', '>-'].map((style) => ({ text: note(style) })),
    { text: text.replace('subject: Hello', `subject: |-\n          ${lines.at(-1)?.trim()}`) },
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
      text: text
        .replace('  contact:\n', '  token:\n')
        .replace('        headers:\n          X-Key:', '        mapping:\n          X-Key:'),
    },
  ];
  for (const attempt of attempts) {
    const checked = await shows('validate_config', attempt);
    const answer = await shows('write_config', attempt);
    expect([attempt, answer.isError || answer.found.written === false]).toEqual([attempt, true]);
    if (answer.isError) expect(checked.text).toBe(answer.text);
    expect(await now()).toBe(config);
    for (const name of ['read_config', 'try_config']) await shows(name);
  }
  const { text: why } = await shows('write_config', attempts[0]);
  expect(why).toMatch(/line 7: the secret behind the dots would be shown there.*comment out whole lines/);
  await writeFile(file, config);
});

test('an output is commented out and comes back with its secrets, which stay hidden meanwhile', async () => {
  const { shows, shown, now } = await stage();
  const start = await shown();
  const first = start.indexOf('      - type: webhook\n        url: https://api');
  const asComment = (text: string, mark: string) =>
    text.slice(0, first) + text.slice(first).replaceAll(/^ {6}(?=.)/gm, mark);
  for (const mark of ['      # ', '#       ', '#']) {
    expect((await shows('write_config', { text: asComment(start, mark) })).found?.written).toBe(true);
    expect(await now()).toBe(asComment(config, mark));
    const hidden = await shown();
    expect(hidden).toContain('url: https://api.telegram.example/•');
    await shows('try_config');
    expect((await shows('write_config', { text: start })).found?.written).toBe(true);
    expect(await now()).toBe(config);
  }
  // By edits, and without what the line says becoming a text of the form.
  const edits = [
    {
      old: '      - type: webhook\n        url: https://api',
      new: '      # - type: webhook\n      #   url: https://api',
    },
    {
      old: '•\n        mapping: "*"\n        headers:\n          X-Key:',
      new: '•\n      #   mapping: "*"\n      #   headers:\n      #     X-Key:',
    },
  ];
  expect((await shows('write_config', { edits })).found?.written).toBe(true);
  const help = await shown();
  const line =
    help
      .split('\n')
      .find((one) => one.includes('api.telegram'))
      ?.replace(/^\s*# +/, '') ?? '';
  const moved = help.replace(
    'type: email}',
    `type: email}\n      - name: note\n        help: |-\n          ${line}`,
  );
  expect((await shows('write_config', { text: moved })).text).toContain('would be shown');
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
    for (const name of ['validate_config', 'try_config']) await shows(name, { edits });
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
  for (const name of ['validate_config', 'run_doctor', 'try_config', 'read_config']) await shows(name);
  const text = good.replaceAll('SECRET', 'public');
  expect((await shows('write_config', { text })).text).toContain('"written":true');
  expect(await now()).toBe(text);
});
