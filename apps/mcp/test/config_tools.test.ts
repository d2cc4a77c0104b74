/** Drafts are checked and tried; only a config that loads is written, and never over one that the assistant has not read. */

import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { ownerOf } from '../../../packages/cli/src/commands/mcp.ts';
import { smtpScript } from '../../../test/support/index.ts';
import { makeServer } from '../src/server.ts';
import { Session } from '../src/session.ts';
import { assistant, folderWith } from './assistant.ts';

const webhook = '{type: webhook, url: "https://hooks.acme.dev/", mapping: "*"}';
const form = (name: string, keys = '', outputs = webhook) =>
  `  ${name}:\n    fields: [{name: email, type: email}, {name: tags, type: checkboxes, options: [a, b, c]}]\n${keys}    outputs: [${outputs}]\n`;
const config = `forms:\n${form('contact')}`;

async function stage(text: string | undefined = config) {
  const { folder, file } = await folderWith(text);
  return { folder, file, ...(await assistant({ file })) };
}

describe('write_config', () => {
  const unwritten = { written: false, backup: null };

  test('creates a missing file without making a copy', async () => {
    const { folder, file, call } = await stage();
    await rm(file);
    const edits = [{ old: 'a', new: 'b' }];
    expect((await call('write_config', { edits })).text).toBe(`${file} has nothing to edit; give text`);
    for (const tool of ['read_config', 'validate_config'])
      expect((await call(tool)).text).toMatch(/webform\.yaml: the file does not exist/);
    expect((await call('write_config', { text: config })).found).toEqual({
      written: true,
      file,
      backup: null,
      problems: [],
    });
    expect(await readFile(file, 'utf8')).toBe(config);
    expect(await readdir(folder)).toEqual(['webform.yaml']);
    // Both have seen that there is no file; the second does not know what the first wrote.
    await rm(file);
    const texts = [config, config.replace('contact', 'other')];
    const both = await Promise.all(texts.map((text) => call('write_config', { text })));
    const isWritten = both.map(({ isError }) => !isError);
    expect(isWritten.toSorted()).toEqual([false, true]);
    expect(both[isWritten.indexOf(false)]?.text).toBe(`${file} was changed in the meantime; read it again`);
    expect(await readFile(file, 'utf8')).toBe(texts[isWritten.indexOf(true)]);
  });

  test('requires a text or edits, and does not write an unchanged text', async () => {
    const { folder, file, call } = await stage();
    expect((await call('write_config')).text).toBe('give text or edits');
    const edits = [{ old: 'contact', new: 'contact' }];
    const same = { written: true, file, backup: null, problems: [] };
    for (const args of [{ edits }, { text: config }])
      expect((await call('write_config', args)).found).toEqual(same);
    expect(await readdir(folder)).toEqual(['webform.yaml']);
    expect((await call('write_config', { text: config, edits })).text).toBe(
      'give either text or edits, not both',
    );
  });

  test('reports mistakes in what it refuses to write, and warnings about what it writes', async () => {
    const { file, call } = await stage();
    const wrong = await call('write_config', {
      text: config.replace('mapping: "*"', 'mapping: {a: emial}, x: 1'),
    });
    expect(wrong.found).toMatchObject(unwritten);
    expect(wrong.found.problems).toContainEqual(
      expect.objectContaining({ severity: 'error', file, line: 4, path: 'forms.contact.outputs[0].x' }),
    );
    const doubtful = await call('write_config', {
      text: config.replace('mapping: "*"', 'mapping: {a: emial}'),
    });
    expect(doubtful.found).toMatchObject({ written: true, problems: [{ severity: 'warning', line: 4 }] });
    expect((await call('validate_config')).found).toEqual({ ok: true, problems: doubtful.found.problems });
  });

  test('copies to a new name, follows no link, and gives up after fifty copies', async () => {
    const { folder, file, call } = await stage();
    const copy = (number: number) => `${file}.before-assistant${number === 1 ? '' : `.${number}`}`;
    await mkdir(copy(1));
    await writeFile(join(folder, 'other'), config);
    await symlink(join(folder, 'other'), copy(2));
    await symlink(join(folder, 'none'), copy(3));
    await writeFile(copy(4), 'something else');
    for (let number = 5; number <= 50; number += 1) await writeFile(copy(number), '');
    const edits = [{ old: 'contact', new: 'other' }];
    expect((await call('write_config', { edits })).text).toBe(
      `${file} has 50 copies named .before-assistant; the owner must delete old ones`,
    );
    expect(await readFile(file, 'utf8')).toBe(config);
    await rm(copy(50));
    expect((await call('write_config', { edits })).found).toMatchObject({ written: true, backup: copy(50) });
    expect(await readFile(copy(50), 'utf8')).toBe(config);
    expect(await readFile(copy(4), 'utf8')).toBe('something else');
    expect((await readdir(folder)).length).toBe(52);
    // An existing copy of the same text is reused.
    await writeFile(file, config);
    const again = await assistant({ file });
    expect((await again.call('write_config', { edits })).found.backup).toBe(copy(50));
  });
});

const explain = async (args: object, text = config) => {
  const { call } = await stage(text);
  return call('explain_submission', { form: 'contact', fields: { email: 'ada@example.org' }, ...args });
};

test('explain_submission: accepts five hundred values, a list of values for a field, and the page', async () => {
  const fields = Object.fromEntries(Array.from({ length: 500 }, (_, nth) => [`f${nth}`, '']));
  expect((await explain({ fields })).isError).toBe(false);
  const { found, text } = await explain({ fields: { email: 'ada@example.org', tags: ['a', 'c'] } });
  expect(found).toMatchObject({
    outcome: 'delivered',
    says: expect.any(String),
    story: { outcome: 'delivered' },
  });
  expect(found.story.says).toBe(found.says);
  expect(found).not.toHaveProperty('confirmed');
  expect(JSON.stringify(found.story.outputs)).toMatch(/a.{0,20}c/);
  expect(text).toContain('hooks.acme.dev');
  const withPage = `forms:\n${form('contact', '    page: true\n')}`;
  for (const page of ['https://a.example/x', 'http://a.example/x'])
    expect((await explain({ page }, withPage)).text).toContain(page);
  for (const page of ['a.example', 'https://', 'ftp://a.example', 'x https://a.example'])
    expect((await explain({ page }, withPage)).text).toBe(
      'page must be an address that starts with https://',
    );
});

test('explain_submission: without values, fills in each field, and shows the form and what each output and mail contains', async () => {
  const { call } = await stage(`forms:
  contact:
    fields:
      - {name: email, type: email, label: Your mail}
      - {name: cv, type: file}
      - {name: note}
    confirmation_mail: {to: email, from: me@example.com, subject: Hello, text: Hi}
    outputs:
      - {type: folder, path: /nowhere}
      - {type: smtp, host: mail.example, from: me@example.com, to: you@example.com, subject: S, text: T, reply_to: "{{ .fields.email }}"}
      - {type: webhook, url: "https://hooks.acme.dev/", mapping: "*"}
`);
  const { found } = await call('explain_submission', { form: 'contact' });
  expect(found).toMatchObject({
    outcome: 'delivered',
    says: expect.stringMatching(/\w/),
    html: expect.stringMatching(/^<.*name="cv"/s),
    story: {
      answer: { status: 200 },
      outputs: [
        { type: 'folder', target: '/nowhere', result: 'delivered', warnings: [] },
        { type: 'smtp', result: 'delivered', warnings: [] },
        { type: 'webhook', result: 'delivered' },
      ],
      mails: [{ result: expect.any(String) }],
    },
  });
  expect(Object.fromEntries(found.story.values)).toEqual({
    email: [expect.stringContaining('@')],
    cv: [expect.stringMatching(/^[\w.-]+ \(/)],
    note: [expect.any(String)],
  });
  expect(found.story.outputs[0].sent[0].text).toContain('"type": "application/pdf"');
  const many = Array.from({ length: 51 }, (_, nth) => `form${nth + 1}`);
  const { call: ofMany } = await stage(`forms:\n${many.map((name) => form(name)).join('')}`);
  expect((await ofMany('explain_submission', { form: 'x' })).text).toMatch(/form49, form50$/);
});

test('a tool that uses the owner’s servers requires the initial config, even if there was none', async () => {
  const { file, call } = await stage();
  await call('write_config', { edits: [{ old: 'hooks.acme.dev', new: 'evil.example' }] });
  const waiting = { isError: true, text: expect.stringContaining('restart relay mcp') };
  expect(await call('run_doctor')).toMatchObject(waiting);
  await rm(file);
  expect((await call('run_doctor')).text).toContain(`${file} has changed since relay mcp started`);
  const early = await assistant({ file });
  expect((await early.call('run_doctor')).text).toMatch(/^\S*webform\.yaml: the file does not exist/);
  await writeFile(file, config);
  expect((await early.call('run_doctor')).text).toContain('has changed since relay mcp started');
});

test('the doctor reports findings, but no secret, and nothing that a server says', async () => {
  const smtp = await smtpScript({ greeting: '554 5.7.1 SECRET-12345 is no password' });
  const output = `{type: smtp, host: 127.0.0.1, port: ${smtp.port}, username: ada, password: 127.0.0.1, from: me@example.com, to: you@example.com, subject: S, text: T}`;
  const { call } = await stage(`forms:\n${form('contact', '', output)}`);
  const { found, whole } = await call('run_doctor');
  expect(whole).not.toMatch(/SECRET|127\.0\.0\.1/);
  expect(found.diagnoses.length).toBe(found.ok + found.warnings + found.failures);
  expect(found.diagnoses).toContainEqual(
    expect.objectContaining({
      verdict: 'failure',
      subject: `[hidden]:${smtp.port}`,
      remedy: expect.any(String),
    }),
  );
});

test('an internal error is printed to stderr, and not shown to the assistant', async () => {
  const { file } = await folderWith(config);
  const session = new Session(ownerOf(file), false);
  session.text = () => Promise.reject(new TypeError('SECRET-12345'));
  const [ofClient, ofServer] = InMemoryTransport.createLinkedPair();
  await makeServer(session).connect(ofServer);
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(ofClient);
  onTestFinished(() => client.close());
  const said: string[] = [];
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    said.push(String(text));
    // The config's texts decide which parts of an answer are hidden.
    session.text = Session.prototype.text;
    return true;
  });
  onTestFinished(() => write.mockRestore());
  expect(await client.callTool({ name: 'read_config', arguments: {} })).toMatchObject({
    isError: true,
    content: [
      {
        type: 'text',
        text: 'read_config failed: this is a bug in Form Relay. See the log on stderr.',
      },
    ],
  });
  expect(said.join('')).toMatch(/^relay mcp: read_config failed: .*\n$/);
});
