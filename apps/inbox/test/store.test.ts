/** The inbox's own store, and mails that are sent only once. */
import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  createRelay,
  decodeMail,
  decodeWords,
  type SmtpSinkOptions,
  startSmtpSink,
  tempFolder,
  untilEnd,
} from '../../../test/support/index.ts';
import { openDatabase } from '../src/index/sqlite.ts';
import { createOutbox } from '../src/store/outbox.ts';
import { openStore, type Store } from '../src/store/store.ts';

const note = {
  name: 'note',
  migrations: [
    'CREATE TABLE note (id TEXT PRIMARY KEY, text TEXT)',
    'ALTER TABLE note ADD COLUMN at INTEGER',
  ],
};

function open(folder = tempFolder()): Store {
  const store = openStore(folder);
  let isOpen = true;
  const close = () => {
    if (isOpen) store.close();
    isOpen = false;
  };
  onTestFinished(close);
  return { ...store, close };
}

test('a store keeps its data through versions of its tables, readable only by its owner', () => {
  const first = open();
  first
    .tables({ ...note, migrations: note.migrations.slice(0, 1) })
    .run('INSERT INTO note VALUES (?, ?)', 'a', 'one');
  first.close();
  const second = open(first.folder);
  const tables = second.tables(note);
  tables.run('UPDATE note SET at = 7');
  expect(tables.all('SELECT * FROM note')).toEqual([{ id: 'a', text: 'one', at: 7 }]);
  expect(() =>
    tables.write(() => {
      tables.run('DELETE FROM note');
      throw new Error('stop');
    }),
  ).toThrow('stop');
  expect(tables.all('SELECT id FROM note')).toEqual([{ id: 'a' }]);
  for (const name of readdirSync(first.folder).filter(
    (one) => one.startsWith('inbox.sqlite') && !one.endsWith('.lock'),
  ))
    expect(statSync(join(first.folder, name)).mode & 0o777, name).toBe(0o600);
});

test('erased data cannot be read in any file', () => {
  const store = open();
  const tables = store.tables(note);
  tables.run('INSERT INTO note (id, text) VALUES (?, ?)', 'a', 'a word that goes');
  tables.erase(() => tables.run('DELETE FROM note'));
  for (const name of readdirSync(store.folder).filter((one) => !one.endsWith('.lock')))
    expect(readFileSync(join(store.folder, name), 'latin1'), name).not.toContain('a word that goes');
});

test('a store that cannot be used is left unchanged, and its owner gets the reason', () => {
  const folders = { newer: tempFolder(), foreign: tempFolder(), noise: tempFolder(), torn: tempFolder() };
  const file = (folder: string) => join(folder, 'inbox.sqlite');
  const first = open(folders.newer);
  first.tables(note);
  expect(() => openStore(folders.newer)).toThrow(
    `another inbox (process ${process.pid}) uses ${folders.newer}`,
  );
  first.close();
  const older = open(folders.newer);
  expect(() => older.tables({ ...note, migrations: note.migrations.slice(1) })).toThrow(
    'newer version of the relay',
  );
  older.close();
  const foreign = openDatabase(file(folders.foreign), '');
  foreign.exec('CREATE TABLE theirs (x)');
  foreign.close();
  writeFileSync(file(folders.noise), 'no database at all'.repeat(400));
  copyFileSync(file(folders.newer), file(folders.torn));
  const bytes = readFileSync(file(folders.torn));
  writeFileSync(file(folders.torn), bytes.fill(0x5a, 4096, bytes.length));
  writeFileSync(join(folders.torn, 'owner'), '1');
  for (const [name, words] of [
    ['foreign', 'belongs to another program'],
    ['noise', 'is damaged'],
    ['torn', 'another inbox (process 1)'],
  ] as const) {
    const before = readFileSync(file(folders[name]));
    expect(() => openStore(folders[name]), name).toThrow(words);
    expect(readFileSync(file(folders[name])).equals(before), name).toBe(true);
    expect(existsSync(join(folders[name], 'owner')), name).toBe(name === 'torn');
  }
  writeFileSync(join(folders.torn, 'owner'), '999999999');
  expect(() => openStore(folders.torn)).toThrow('is damaged');
  writeFileSync(join(folders.noise, 'owner'), '999999999');
  expect(() => openStore(join(file(folders.noise), 'below'))).toThrow('cannot be written');
});

async function outbox(keys: string, sinkOptions: SmtpSinkOptions = {}, folder?: string) {
  const sink = await untilEnd(startSmtpSink(sinkOptions));
  const server = `type: smtp, host: 127.0.0.1, port: ${sink.port}`;
  const config = `forms: {contact: {title: Contact, fields: [{name: email, type: email}], ${keys.replaceAll('SERVER', server)}}}`;
  const relay = createRelay({ config, freezes: true, effects: { log: () => {} } });
  onTestFinished(relay.close);
  const loaded = await relay.config.get();
  const store = open(folder);
  const { services, settings } = relay;
  return { sink, store, box: createOutbox(store, { config: () => loaded, services, settings }) };
}

const mail = {
  key: 'one',
  to: 'ada@example.org',
  subject: 'Hello\r\nBcc: eve@example.org',
  text: 'Hello.\n',
};

test("a mail is sent once through its form's output, to one address, in its thread", async () => {
  const { sink, box } = await outbox(
    'outputs: [{SERVER, to: Office <office@example.com>, from: Forms <forms@example.com>}]',
  );
  expect(box.carrier('contact')).toMatchObject({
    from: { address: 'forms@example.com' },
    replyTo: { address: 'office@example.com' },
  });
  const answers = ['first@example.com', 'second@example.com>\r\nBcc: eve@example.org', 'third@example.com'];
  const both = await Promise.all(
    [1, 2].map(() => box.send({ ...mail, answers, isPersonal: true }, 'contact')),
  );
  const again = await box.send(mail, 'contact');
  expect(sink.mails).toHaveLength(1);
  const [{ envelope, raw } = { envelope: undefined, raw: '' }] = sink.mails;
  expect(envelope).toEqual({ from: 'forms@example.com', to: ['ada@example.org'] });
  const headers = Object.fromEntries(
    decodeMail(raw).headers.map(([name, value]) => [name, decodeWords(value)]),
  );
  expect(headers).toMatchObject({
    From: 'Forms <forms@example.com>',
    To: 'ada@example.org',
    'Reply-To': 'Office <office@example.com>',
    Subject: 'Hello Bcc: eve@example.org',
    'Auto-Submitted': 'no',
    'In-Reply-To': '<third@example.com>',
    References: '<first@example.com> <third@example.com>',
  });
  expect(Object.keys(headers)).not.toContain('Bcc');
  for (const one of [...both, again])
    expect(one).toMatchObject({ state: 'sent', messageId: headers['Message-ID']?.slice(1, -1) });
});

test("a mail is sent like the form's mails to visitors", async () => {
  const { sink, box } = await outbox(
    'outputs: [{type: smtp, host: nowhere.invalid, to: office@example.com}], confirmation_mail: {to: email, subject: s, text: t, from: team@example.com, reply_to: answers@example.com, through: {SERVER}}',
  );
  expect(await box.send(mail)).toMatchObject({ state: 'sent' });
  expect(sink.mails[0]?.raw).toMatch(/^From: team@example.com\r\n[\s\S]*Reply-To: answers@example.com\r\n/);
});

test('a mail that fails says why; if it may have arrived, sending it again needs confirmation', async () => {
  let reply: string | undefined = '550 5.1.1 no such user';
  const { sink, box, store } = await outbox('outputs: [{SERVER, to: office@example.com, retries: 0}]', {
    onRecipient: () => reply,
  });
  const send = (more: Partial<typeof mail> = {}, isAgain?: boolean) =>
    box.send({ ...mail, ...more }, 'contact', isAgain);
  expect(await send()).toMatchObject({
    state: 'failed',
    why: expect.stringMatching(/550 5\.1\.1.*relay doctor/),
  });
  reply = undefined;
  expect(await send()).toMatchObject({ state: 'sent' });
  expect(await send({ key: 'two', to: 'ada@example.org, eve@example.org' })).toMatchObject({
    state: 'failed',
  });
  expect(await box.send({ ...mail, key: 'three' }, 'other')).toMatchObject({
    why: expect.stringContaining('docs/mail.md'),
  });
  // As after SIGKILL while sending.
  const tables = store.tables({ name: 'mail', migrations: [''] });
  tables.run(`INSERT INTO mail_sent VALUES ('four', ?, 'sending', 'x@example.org', '')`, Date.now());
  expect(await send({ key: 'four' })).toMatchObject({ state: 'unsure' });
  expect(sink.mails).toHaveLength(1);
  expect(await send({ key: 'four' }, true)).toMatchObject({ state: 'sent' });
});
