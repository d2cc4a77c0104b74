/** Assistants search, write, check and try; they send nothing, and see no secrets or other files. */
import { chmod, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startHttpSink } from '../../../test/support/http_sink.ts';
import { assistant, folderWith, initialize, line, serverFor } from './assistant.ts';

const config = `# The owner's own words.
forms:
  contact:
    fields:
      - {name: email, type: email, required: true} # to answer
      - {name: message, type: textarea}
    outputs:
      - type: webhook
        url: https://hooks.acme.dev/hook
        mapping: "*"
`;

const always = [
  ...['search_manual', 'read_manual', 'read_config', 'validate_config', 'explain_submission', 'run_doctor'],
];

test.each(['2026-07-28', 'legacy'] as const)(
  'clients of revision %s get the same tools, which declare what they may change',
  async (revision) => {
    const { file } = await folderWith(config);
    const { client, call } = await assistant({ file, revision });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).toSorted()).toEqual([...always, 'write_config'].toSorted());
    const thoseThat = (hint: 'readOnlyHint' | 'destructiveHint' | 'openWorldHint', is: boolean) =>
      tools.filter(({ annotations }) => annotations?.[hint] === is).map(({ name }) => name);
    expect(thoseThat('readOnlyHint', false)).toEqual(['write_config']);
    expect(thoseThat('destructiveHint', true)).toEqual(['write_config']);
    expect(thoseThat('openWorldHint', true)).toEqual(['run_doctor']);
    expect(tools.every(({ inputSchema }) => inputSchema.additionalProperties === false)).toBe(true);
    expect((await call('validate_config')).found).toEqual({ ok: true, problems: [] });
  },
);

test('the manual can be searched', async () => {
  const { file } = await folderWith(config);
  const { call } = await assistant({ file });
  const search = async (query = '') =>
    (await call('search_manual', { query })).found.results.map(({ address }: { address: string }) => address);
  expect((await search('honeypot'))[0]).toBe('docs/spam.md#honeypot');
  expect((await search('mail through Gmail'))[0]).toBe('docs/mail.md');
  expect(await search('min_fill_seconds')).toContain('docs/reference.md#spam');
  for (const [query, address] of [
    ['GDPR delete a person', 'questions.md#how-do-i-delete-a-persons-data'],
    ['docker', 'deploy/container.md'],
    ['spam', 'spam.md'],
    ['rate limit', 'rate-limit.md'],
    ['captcha turnstile', 'captcha.md'],
    ['keep failed deliveries', 'keep.md'],
    ['encrypt archive', 'archive-encryption.md'],
    ['cloudflare worker', 'deploy/cloudflare.md'],
    ['slack', 'outputs/slack.md'],
    ['file upload size limit', 'upload-limits.md'],
    ['send a copy to visitor', 'confirmation.md#what-the-mail-contains'],
  ]) {
    const best = (await search(query)).slice(0, 4);
    expect([query, best]).toEqual([query, expect.arrayContaining([`docs/${address}`])]);
  }
  expect(await search('xyzzyx')).toEqual([]);
  expect((await call('read_manual', { page: '../package.json' })).isError).toBe(true);
});

test('a config is tried and explained without a connection, and only its own file is written', async () => {
  const sink = await startHttpSink();
  const { file, folder } = await folderWith(config.replace('https://hooks.acme.dev', sink.origin));
  const { call } = await assistant({ file });
  const edits = [{ old: '- {name: message', new: '- {name: phone, type: tel}\n      - {name: message' }];

  expect((await call('validate_config', { edits })).found.ok).toBe(true);
  const wrong = await call('validate_config', { edits: [{ old: 'type: email', new: 'type: emial' }] });
  expect(wrong.found).toMatchObject({
    ok: false,
    problems: [{ line: 5, path: 'forms.contact.fields[0].type' }],
  });
  const tried = await call('explain_submission', { form: 'contact', edits });
  expect(tried.found).toMatchObject({ outcome: 'delivered', story: { outputs: [{ result: 'delivered' }] } });
  expect(tried.found.html).toContain('name="phone"');
  const fields = { email: 'ada@example.org', message: 'Hello' };
  const explained = await call('explain_submission', { form: 'contact', fields });
  expect(explained.found).toMatchObject({ outcome: 'delivered' });
  expect(explained.text).toContain('ada@example.org');
  const refused = await call('explain_submission', { form: 'contact', fields: { email: 'nobody' } });
  expect(refused.found.outcome).toBe('invalid');
  const keyed = [{ old: '    fields:', new: '    keys_env: [KEY_SHOP]\n    fields:' }];
  const ofServer = (key: string) =>
    call('explain_submission', { form: 'contact', fields, key, edits: keyed });
  expect((await ofServer('KEY_SHOP')).text).toContain('sent with the key in KEY_SHOP');
  expect((await ofServer('KEY_OTHER')).text).toContain('the keys are KEY_SHOP');

  const before = await readFile(file, 'utf8');
  expect((await call('write_config', { edits })).found).toMatchObject({ written: true });
  expect(await readFile(file, 'utf8')).toBe(before.replace('- {name: message', edits[0]?.new ?? ''));
  await call('write_config', { text: before.replace('# to answer', '# to reply') });
  expect((await readdir(folder)).toSorted()).toEqual(['webform.yaml', 'webform.yaml.before-assistant']);
  expect(await readFile(`${file}.before-assistant`, 'utf8')).toBe(before);
  // Each server copies the config it finds, once, and overwrites no copy.
  const changed = await readFile(file, 'utf8');
  await chmod(file, 0o444);
  const again = await assistant({ file });
  const change = (old: string, text: string) => again.call('write_config', { edits: [{ old, new: text }] });
  expect((await change('# to reply', '# once')).text).toContain('read-only');
  await chmod(file, 0o644);
  expect((await readdir(folder)).length).toBe(2);
  expect((await call('write_config', { edits: [] })).isError).toBe(true);
  const backup = `${file}.before-assistant.2`;
  expect((await change('# to reply', '# once')).found).toMatchObject({ written: true, backup });
  expect((await change('# once', '# twice')).found).toMatchObject({ written: true, backup });
  expect(await readFile(backup, 'utf8')).toBe(changed);
  expect(await readFile(`${file}.before-assistant`, 'utf8')).toBe(before);
  expect(sink.connections ?? sink.requests.length).toBe(0);
});

test('no tool reveals a secret of the environment or the config', async () => {
  const secrets = [
    ...['envs3cret-value-1', 'inline-Passw0rd-2', 'bearer-t0ken-3', 'urlp4ssword-4'],
    'T0kenOfAChat12345678901234',
  ];
  const { file } = await folderWith(
    `
forms:
  contact:
    fields: [{name: email, type: email}]
    outputs:
      - type: webhook
        url: https://me:${secrets[3]}@hooks.acme.dev/${secrets[4]}
        headers: {X-Key: ${secrets[2]}}
        mapping: "*"
        static: {note: '{{ env "OWN_SECRET" }}'}
      - type: smtp
        host: mail.example
        username: me
        password: ${secrets[1]}
        from: me@example.com
        to: '{{ env "OWN_SECRET" }}'
        subject: Hello
        text: '{{ env "OWN_SECRET" | upper }}'
`.replace('me:urlp4ssword-4@', ''),
  );
  const { call } = await assistant({ file, env: { OWN_SECRET: secrets[0] ?? '' } });
  const shows = async (name: string, args: Record<string, unknown> = {}) => {
    const { whole } = await call(name, args);
    for (const secret of secrets) expect(whole.toLowerCase()).not.toContain(secret.toLowerCase());
    return whole;
  };
  const leak = { old: 'note:', new: 'leak: \'{{ env "OWN_SECRET" | replace "e" "E" }}\', note:' };
  const fields = { email: 'ada@example.org' };
  expect(await shows('read_config')).toContain('password: ••••');
  await shows('validate_config');
  expect(await shows('explain_submission', { form: 'contact', fields })).toContain('"delivered');
  await shows('explain_submission', { form: 'contact', fields, edits: [leak] });
  // A value that no edit names keeps its secret in the file.
  await call('write_config', { edits: [{ old: 'subject: Hello', new: 'subject: Good day' }] });
  const written = await readFile(file, 'utf8');
  for (const secret of secrets.slice(1, 3)) expect(written).toContain(secret);
  expect(written).toContain('Good day');
  await shows('explain_submission', { form: 'contact', fields });
  const moved = await call('write_config', {
    edits: [{ old: 'subject: Good day', new: 'subject: "•••••••"' }],
  });
  expect(moved).toMatchObject({ isError: true, text: expect.stringContaining('has dots') });
});

test('a secret in a wrong place is a mistake that is reported only by its position', async () => {
  const key = 'frk_x1zv6KssRJdQyxLIEs8BX4A27CTp7zLKsGTXOcIJGfP';
  const { file } = await folderWith(`${config}    keys_env: [${key}]\n`);
  const { call } = await assistant({ file });
  const edits = [{ old: 'name: message', new: 'name: words' }];
  for (const args of [{}, { edits }]) {
    const { found, whole } = await call('validate_config', args);
    expect(found.ok).toBe(false);
    expect(found.problems).toContainEqual(
      expect.objectContaining({
        code: 'secret_for_variable',
        path: 'forms.contact.keys_env[0]',
        excerpt: '',
      }),
    );
    expect(whole).not.toContain(key);
  }
  expect((await call('write_config', { edits })).found).toMatchObject({ written: false });
  expect((await call('explain_submission', { form: 'contact' })).text).toContain(
    'keys_env[0]: the secret there is malformed',
  );
});

test('a long config is read in parts and changed without its secrets, which dry runs never have', async () => {
  const password = (of: string) => `hunter2-of-${of}`;
  const smtp = (name: string) => `
      - type: smtp
        host: ${name}.example
        username: ada
        password: ${password(name)}
        from: me@example.com
        to: you@example.com
        subject: Hello
        text: Hello`;
  const tokens = ['/bot123:AAF-x/sendMessage', '/0e6f7c1a-5b1d-4b55', '/a~9', '/T~0k', 'in-static-9981'];
  const webhooks = `
      - {type: webhook, url: "https://api.telegram.example${tokens[0]}", mapping: "*"}
      - {type: webhook, url: HTTPS://uuid.example${tokens[1]}, mapping: "*"}
      - type: webhook
        url: https://h.example${tokens[2]}?k=${tokens[3]}
        mapping: "*"
        static: {access_key: ${tokens[4]}}`;
  const fields = Array.from({ length: 600 }, (_, index) => `{name: field_number_${index}, type: text}`);
  const whole = `forms:
  contact:
    fields: # the owner's
      - ${fields.join('\n      - ')}
    outputs:${smtp('one')}${smtp('two')}${webhooks}
`;
  const { file } = await folderWith(whole);
  const { call } = await assistant({ file });
  const secrets = [password('one'), password('two'), ...tokens];
  const shows = async (name: string, args: Record<string, unknown> = {}) => {
    const answer = await call(name, args);
    for (const secret of secrets) expect(answer.whole.toLowerCase()).not.toContain(secret.toLowerCase());
    return answer;
  };
  let shown = '';
  for (let from: number | null = 0; from !== null; ) {
    const { found } = await shows('read_config', { from });
    shown += found.text;
    from = found.next_from;
  }
  expect(shown.split('\n').map((one) => one.length)).toEqual(whole.split('\n').map((one) => one.length));
  expect(shown.split('\n').slice(0, 600)).toEqual(whole.split('\n').slice(0, 600));
  expect((await shows('validate_config')).found.ok).toBe(true);
  expect(shown.split('\n').filter((one) => one.includes('•'))).toHaveLength(8);
  await shows('explain_submission', { form: 'contact', fields: { field_number_1: 'x' } });
  const host = [{ old: 'host: one.example', new: 'host: mail.one.example' }];
  expect((await shows('write_config', { edits: host })).found.written).toBe(true);
  expect(await readFile(file, 'utf8')).toBe(whole.replace('host: one', 'host: mail.one'));
  const edits = [{ old: "# the owner's", new: '# of all' }];
  const all = await Promise.all([0, 1].map(() => shows('write_config', { edits })));
  expect(all.filter(({ found }) => found?.written)).toHaveLength(1);
  expect(await readFile(file, 'utf8')).toBe(
    whole.replace('host: one', 'host: mail.one').replace("# the owner's", '# of all'),
  );
});

test('a config written by another process does not get the owner’s passwords', async () => {
  const { file } = await folderWith(config);
  const { call } = await assistant({ file, env: { CONFIG_INLINE: 'forms: {}' } });
  const { found } = await call('run_doctor');
  expect(JSON.stringify(found)).not.toContain('CONFIG_INLINE');
  await writeFile(file, config.replace('hooks.acme.dev', 'evil.example'));
  expect((await call('run_doctor')).text).toContain('restart relay mcp');
});

test('a broken config that names a list can be repaired; only the owner’s fonts are used; lists are not quoted', async () => {
  const { file, folder } = await folderWith('');
  const withList = config.replace(
    '    outputs:',
    '    spam: {doubt: tag, signals: {blocklist: {addresses: list.txt}}}\n    outputs:',
  );
  await writeFile(file, withList.replace('type: email', 'type: emial'));
  await writeFile(join(folder, 'list.txt'), 'ada@example.org\n');
  const { call } = await assistant({ file });
  const edits = [{ old: 'emial', new: 'email' }];
  expect((await call('write_config', { edits })).found).toMatchObject({ written: true });
  const font = { old: 'forms:\n', new: 'pdf: {fonts: [/etc/passwd]}\nforms:\n' };
  const refused = await call('validate_config', { edits: [font] });
  expect(refused.text).toContain('reads only files that the config on disk names');
  await writeFile(join(folder, 'list.txt'), 'ada lovelace, private\n');
  const again = await assistant({ file });
  for (const name of ['run_doctor', 'explain_submission']) {
    const { isError, text } = await again.call(name, name === 'run_doctor' ? {} : { form: 'contact' });
    expect([name, isError]).toEqual([name, true]);
    expect(text).toContain('list.txt');
    expect(text).not.toMatch(/lovelace|\u001b/);
  }
});

test('a config written by the assistant reads only files that the owner’s config names', async () => {
  const { file, folder } = await folderWith(config);
  const secret = 'root:x:0:0:S3CRET';
  await writeFile(join(folder, 'accounts.txt'), `${secret}\n`);
  const { call } = await assistant({ file });
  const reading = (path: string) => [
    {
      old: '    outputs:',
      new: `    spam: {doubt: tag, signals: {blocklist: {addresses: ${path}, domains: ${path}}}}\n    outputs:`,
    },
  ];
  for (const path of ['accounts.txt', join(folder, 'accounts.txt'), '/etc/passwd']) {
    for (const [name, edits] of ['validate_config', 'write_config'].flatMap((one) =>
      reading(path).map((edit) => [one, [edit]] as const),
    )) {
      const { whole } = await call(name, { edits });
      expect(whole).toContain('reads only files that the config on disk names');
      expect(whole).not.toContain('S3CRET');
      expect(whole).not.toContain('root:');
    }
  }
  expect(await readFile(file, 'utf8')).toBe(config);
});

test('a config written by the assistant loads only plug-ins that the owner’s config names', async () => {
  const { file, folder } = await folderWith(config);
  const loaded = join(folder, 'loaded');
  const plugin = join(folder, 'plugin.mjs');
  await writeFile(
    plugin,
    `import { writeFileSync } from 'node:fs';
writeFileSync(${JSON.stringify(loaded)}, '');
export default () => ({ name: 'plugin' });
`,
  );
  const plugins = `plugins: [${plugin}]\n`;
  const { call } = await assistant({ file });
  const edits = [{ old: 'forms:\n', new: `${plugins}forms:\n` }];
  for (const name of ['validate_config', 'write_config'])
    expect((await call(name, { edits })).text).toContain('this config is not a file, so it cannot load code');
  expect(await readFile(file, 'utf8')).toBe(config);
  expect(await readdir(folder)).not.toContain('loaded');
  await writeFile(file, plugins + config);
  expect((await call('validate_config')).found).toMatchObject({ ok: true });
  expect(await readdir(folder)).toContain('loaded');
});

test('bad calls are answered with errors, and the server keeps running', async () => {
  const { file } = await folderWith(config);
  const { client, call } = await assistant({ file });
  await expect(call('send_mail')).rejects.toMatchObject({ code: -32602 });
  for (const [name, args] of [
    ['read_manual', { page: 5 }],
    ['read_manual', { page: 'x', more: true }],
    ['search_manual', { query: '' }],
    ['search_manual', { query: 'x'.repeat(10_000) }],
    ['write_config', {}],
    ['validate_config', { text: 'x'.repeat(1_000_001) }],
    ['validate_config', { text: config, edits: [] }],
    ['explain_submission', { form: 'contact', fields: { email: Array(200).fill('x') } }],
    ['explain_submission', { form: 'nobody', fields: {} }],
  ] as const)
    expect([name, (await call(name, args)).isError]).toEqual([name, true]);
  expect((await call('validate_config', { text: '['.repeat(100_000) })).found.ok).toBe(false);
  const long = await call('explain_submission', {
    form: 'contact',
    fields: { email: 'a@b.example', message: 'x'.repeat(60_000) },
  });
  expect(long.whole.length).toBeLessThan(82_000);
  const stopped = new AbortController();
  const cancelled = client.callTool(
    { name: 'explain_submission', arguments: { form: 'contact' } },
    { signal: stopped.signal },
  );
  stopped.abort();
  await expect(cancelled).rejects.toThrow();
  expect((await call('validate_config')).found.ok).toBe(true);
});

test('concurrent calls are all answered; the command ends with stdin; stdout contains only MCP', async () => {
  const { file } = await folderWith(config);
  const { write, child, ended } = serverFor(file);
  const params = { name: 'search_manual', arguments: { query: 'spam', limit: 1 } };
  const calls = Array.from({ length: 100 }, (_, id) => line({ id: id + 1, method: 'tools/call', params }));
  write(`no message\n{"half":\n\n{"neither": 1}\n${initialize}`);
  write(line({ method: 'notifications/initialized' }) + calls.join(''));
  let lines = 0;
  child.stdout?.on('data', (some) => {
    lines += String(some).split('\n').length - 1;
    if (lines > calls.length) child.stdin?.end();
  });
  const { code, out, log } = await ended;
  const messages = out
    .trimEnd()
    .split('\n')
    .map((text) => JSON.parse(text));
  const answered = messages.filter(({ result }) => result?.structuredContent?.results.length === 1);
  expect(new Set(answered.map(({ id }) => id)).size).toBe(100);
  expect(messages.every(({ jsonrpc }) => jsonrpc === '2.0')).toBe(true);
  expect(code).toBe(0);
  expect(log).not.toMatch(/half|neither|\bat \w/);
});
