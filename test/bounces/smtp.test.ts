/** Mails that come back to envelope senders of the relay's own. */
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { failed } from '../../packages/relay/src/base/client_error.ts';
import type { Effects, MailboxReading } from '../../packages/relay/src/base/effects.ts';
import { hashOf } from '../../packages/relay/src/features/bounces/addresses.ts';
import { BlockList } from '../../packages/relay/src/features/bounces/block_list.ts';
import { dsn, type Newsletter, openNewsletter, posted, secrets } from './stage.ts';

const ada = 'ada@visitor.example';
const verp = /^bounces\+[vo][0-9a-z]{46}@seeds\.example$/;

/** The envelope sender of the mail to an address. */
async function senderTo(relay: Newsletter, address: string): Promise<string> {
  const find = () => relay.sink.mails.find(({ envelope }) => envelope.to.includes(address));
  await expect.poll(find).toBeDefined();
  return find()?.envelope.from ?? '';
}

async function letterTo(relay: Newsletter, address: string): Promise<string> {
  await relay.signUp(address);
  return senderTo(relay, address);
}

describe('the envelope sender', () => {
  it('is one of each mail to a visitor and to the owner, and the From stays', async () => {
    const relay = await openNewsletter();
    const [one, other] = [await letterTo(relay, ada), await letterTo(relay, 'eve@visitor.example')];
    expect([one, other]).toEqual([expect.stringMatching(verp), expect.stringMatching(verp)]);
    expect(one).not.toBe(other);
    await relay.submit('plain', [['words', 'Hello']]);
    expect(await senderTo(relay, 'office@seeds.example')).toMatch(verp);
    for (const { raw, envelope } of relay.sink.mails) {
      expect(raw).toMatch(/^From: .*shop@seeds\.example/m);
      expect(raw).not.toContain('bounces+');
      expect(envelope.from.split('@')[0]?.length).toBeLessThanOrEqual(64);
    }
  });

  it('stays as it was without an address for what comes back', async () => {
    const relay = await openNewsletter({ bounces: '\n  postmark: {password_env: POSTMARK_PASSWORD}' });
    expect(await letterTo(relay, ada)).toBe('');
    await relay.submit('plain', [['words', 'Hello']]);
    expect(await senderTo(relay, 'office@seeds.example')).toBe('shop@seeds.example');
  });
});

describe('a mail that came back', () => {
  it('blocks the address of the visitor', async () => {
    const relay = await openNewsletter();
    const sender = await letterTo(relay, ada);
    expect((await relay.post('smtp', posted(dsn(sender, ada)))).status).toBe(200);
    expect(relay.told).toMatchObject([
      {
        event: 'mail_bounced',
        level: 'info',
        provider: 'smtp',
        kind: 'hard',
        code: '5.1.1',
        form: 'letter',
        blocked: 'now',
      },
    ]);
    expect(await relay.isBlocked(ada)).toBe(true);
    expect(await relay.isBlocked('eve@visitor.example')).toBe(false);
  });

  it('blocks the address that the token names, whatever the mail says of others', async () => {
    const relay = await openNewsletter();
    const sender = await letterTo(relay, ada);
    await relay.post('smtp', posted(dsn(sender, 'eve@visitor.example')));
    expect(await relay.isBlocked('eve@visitor.example')).toBe(false);
    expect(await relay.isBlocked(ada)).toBe(true);
  });

  it.each([
    ['is late', { action: 'delayed', status: '4.4.1' }],
    ['has arrived', { action: 'delivered', status: '2.0.0' }],
    ['went to a full mailbox', { status: '5.2.2', reply: '552 5.2.2 Over quota' }],
    ['was taken for spam', { status: '5.7.1', reply: '550 5.7.1 Rejected' }],
    ['was not taken in time', { status: '4.4.7', reply: '' }],
    ['was refused without a reason', { status: '5.0.0', reply: '554 no' }],
  ])('blocks nobody if it %s', async (_, report) => {
    const relay = await openNewsletter();
    const sender = await letterTo(relay, ada);
    expect((await relay.post('smtp', posted(dsn(sender, ada, report)))).status).toBe(200);
    expect(await relay.isBlocked(ada)).toBe(false);
  });

  it.each([
    ['by the reply where the status is vague', { status: '5.0.0' }],
    ['where there is no such domain', { status: '5.4.4', reply: 'Host not found' }],
  ])('is understood %s', async (_, report) => {
    const relay = await openNewsletter();
    await relay.post('smtp', posted(dsn(await letterTo(relay, ada), ada, report)));
    expect(await relay.isBlocked(ada)).toBe(true);
  });

  it.each([
    ['another keyed hash', (sender: string) => sender.replace(/.@/, (end) => (end === '0@' ? '1@' : '0@'))],
    [
      'another address',
      (sender: string) => sender.replace(/\+v./, (start) => (start === '+v0' ? '+v1' : '+v0')),
    ],
    ['an output in place of a visitor', (sender: string) => sender.replace('+v', '+o')],
    ['no token', () => 'bounces@seeds.example'],
    ['another domain', (sender: string) => sender.replace('seeds.example', 'evil.example')],
  ])('counts for nothing with %s', async (_, change) => {
    const relay = await openNewsletter();
    const sender = await letterTo(relay, ada);
    expect((await relay.post('smtp', posted(dsn(change(sender), ada)))).status).toBe(200);
    expect(relay.told).toEqual([]);
    expect(await relay.isBlocked(ada)).toBe(false);
  });

  const original = /^Original-Recipient: .*\r\n/m;
  it.each([
    [
      'in X-Original-To',
      (mail: string) =>
        mail.replace('Delivered-To', 'X-Original-To').replace(/^To: .*/m, 'To: x@seeds.example'),
    ],
    [
      'in Envelope-To',
      (mail: string) =>
        mail.replace('Delivered-To', 'Envelope-To').replace(/^To: .*/m, 'To: x@seeds.example'),
    ],
    [
      'in To, after others and a name',
      (mail: string) =>
        mail
          .replace(/^Delivered-To: .*\r\n/m, '')
          .replace(/^To: (.*)/m, 'To: x@seeds.example,\r\n\t"Bounces" <$1>'),
    ],
    ['with lines that end with LF', (mail: string) => mail.replaceAll('\r\n', '\n')],
    [
      'with a boundary without quotes',
      (mail: string) =>
        mail
          .replaceAll('"4XxY1234.1670000000/mx.seeds.example"', 'b0')
          .replaceAll('4XxY1234.1670000000/mx.seeds.example', 'b0'),
    ],
    [
      'with a type in capitals',
      (mail: string) =>
        mail.replace(
          'multipart/report; report-type=delivery-status',
          'Multipart/Report; Report-Type="delivery-status"',
        ),
    ],
    [
      'with a status of RFC 6533',
      (mail: string) => mail.replace('message/delivery-status', 'message/global-delivery-status'),
    ],
    [
      'with spaces and capitals in fields',
      (mail: string) =>
        mail.replace('Action: failed', 'ACTION:   Failed ').replace('Status: 5.1.1', 'status:5.1.1'),
    ],
    [
      'with spaces in the line between recipients',
      (mail: string) => mail.replace('(UTC)\r\n\r\nFinal', '(UTC)\r\n \t\r\nFinal'),
    ],
    [
      'with a folded reply',
      (mail: string) =>
        mail.replace('Status: 5.1.1\r\n', '').replace('550 5.1.1 User', '550\r\n   5.1.1 User'),
    ],
    [
      'with a recipient before it that got the mail',
      (mail: string) =>
        mail.replace(
          'Final-Recipient',
          'Final-Recipient: rfc822; a@b.example\r\nAction: delivered\r\nStatus: 2.0.0\r\n\r\nFinal-Recipient',
        ),
    ],
    [
      'without headers in its first part',
      (mail: string) => mail.replace(/Content-Description: Notification\r\nContent-Type: text.*\r\n/, ''),
    ],
    ['without an end', (mail: string) => mail.slice(0, mail.indexOf('Diagnostic-Code'))],
  ] as const)('is understood %s', async (_, change) => {
    const relay = await openNewsletter();
    const mail = dsn(await letterTo(relay, ada), ada);
    const changed = change(mail);
    expect(changed).not.toBe(mail);
    expect((await relay.post('smtp', posted(changed))).status).toBe(200);
    expect(relay.told).toMatchObject([{ event: 'mail_bounced', kind: 'hard', code: '5.1.1' }]);
    expect(await relay.isBlocked(ada)).toBe(true);
  });

  it.each([
    ['only a final recipient', (mail: string) => mail.replace(original, '')],
    [
      'its recipient in brackets and capitals',
      (mail: string) => mail.replace(original, 'Original-Recipient: RFC822 ;  <Boss@Seeds.example> \r\n'),
    ],
    [
      'an original recipient and a forwarded one',
      (mail: string) =>
        mail.replace(/^Final-Recipient: .*/m, 'Final-Recipient: rfc822; private@elsewhere.example'),
    ],
  ])('names the owner’s address by %s', async (_, change) => {
    const relay = await openNewsletter();
    await relay.submit('plain', [['words', 'Hello']]);
    const mail = change(dsn(await senderTo(relay, 'boss@seeds.example'), 'boss@seeds.example'));
    await relay.post('smtp', posted(mail));
    expect(relay.told).toMatchObject([{ event: 'owner_mail_bounced', address: 'boss@seeds.example' }]);
  });

  it.each([
    ['another type of address', 'x400; boss@seeds.example'],
    ['words around it', 'rfc822; boss@seeds.example and others'],
    ['words before it', 'not rfc822; boss@seeds.example'],
  ])('does not take %s for the owner’s address', async (_, recipient) => {
    const relay = await openNewsletter();
    await relay.submit('plain', [['words', 'Hello']]);
    const mail = dsn(await senderTo(relay, 'boss@seeds.example'), 'x@y.example');
    await relay.post(
      'smtp',
      posted(
        mail
          .replace(/^(Final|Original)-Recipient: .*\r\n/gm, '')
          .replace('Action:', `Final-Recipient: ${recipient}\r\nAction:`),
      ),
    );
    expect(relay.told).toHaveLength(1);
    expect(relay.told[0]).not.toHaveProperty('address');
  });

  it('counts for nothing once the form is gone', async () => {
    const relay = await openNewsletter({
      form: '  old:\n    fields: [{name: words}]\n    outputs: [{type: smtp, host: 127.0.0.1, port: $port, from: shop@seeds.example, to: old@seeds.example, mapping: "*"}]',
    });
    await relay.submit('old', [['words', 'Hello']]);
    const sender = await senderTo(relay, 'old@seeds.example');
    const without = await openNewsletter();
    await without.post('smtp', posted(dsn(sender, 'old@seeds.example')));
    expect(without.told).toEqual([]);
  });

  it.each(['Basic x', 'xBearer a-secret-of-postfix', 'Bearer a-secret-of-postfix x', 'Bearer', ''])(
    'is refused with the header %j',
    async (authorization) => {
      const relay = await openNewsletter();
      expect((await relay.post('smtp', { body: 'To: a', headers: { authorization } })).status).toBe(401);
      expect(relay.told).toMatchObject([{ reason: 'it has no signature or password' }]);
    },
  );

  /** After the address was blocked and unblocked, at half past the hour. */
  async function unblocked() {
    const hour = Date.parse('2030-01-01T10:00:00Z');
    let now = hour + 10 * 60_000;
    const relay = await openNewsletter({ effects: { now: () => now } });
    const sender = await letterTo(relay, ada);
    await relay.post('smtp', posted(dsn(sender, ada)));
    const store = await relay.relay.effects.openTexts({
      kind: 'folder',
      name: relay.folder,
      path: relay.folder,
    });
    const list = new BlockList(store, () => now);
    const hash = hashOf(secrets.FORM_TOKEN_SECRET, ada);
    expect(await list.find(hash)).toMatchObject({ at: now });
    now = hour + 90 * 60_000;
    await list.unblock(hash);
    now += 60_000;
    return { relay, sender };
  }

  it('blocks an address again that was unblocked within the same hour', async () => {
    const { relay } = await unblocked();
    await relay.signUp(ada);
    await expect.poll(() => relay.sink.mails.length).toBe(2);
    await relay.post('smtp', posted(dsn(relay.sink.mails[1]?.envelope.from ?? '', ada)));
    expect(await relay.isBlocked(ada)).toBe(true);
  });

  it('does not block an address again if it was sent before that was unblocked', async () => {
    const { relay, sender } = await unblocked();
    await relay.post('smtp', posted(dsn(sender, ada, { reply: '550 5.1.1 Late' })));
    expect(await relay.isBlocked(ada)).toBe(false);
  });

  it('counts for nothing a month later', async () => {
    const relay = await openNewsletter();
    const sender = await letterTo(relay, ada);
    relay.advance(31 * 86_400_000);
    await relay.post('smtp', posted(dsn(sender, ada)));
    expect(await relay.isBlocked(ada)).toBe(false);
  });

  it.each([
    [
      'a letter from a person',
      (sender: string) => `To: ${sender}\r\nSubject: Hello\r\n\r\nAction: failed\r\nStatus: 5.1.1\r\n`,
    ],
    [
      'a report of another type',
      (sender: string) => dsn(sender, ada).replace('delivery-status;', 'feedback-report;'),
    ],
  ])('counts for nothing as %s', async (_, mail) => {
    const relay = await openNewsletter();
    await relay.post('smtp', posted(mail(await letterTo(relay, ada))));
    expect(relay.told).toEqual([]);
  });

  it('is refused without the secret of whoever posts it', async () => {
    const relay = await openNewsletter();
    const sender = await letterTo(relay, ada);
    expect((await relay.post('smtp', posted(dsn(sender, ada), 'another-secret'))).status).toBe(401);
    expect((await relay.post('smtp', { body: dsn(sender, ada) })).status).toBe(401);
    expect(await relay.isBlocked(ada)).toBe(false);
  });
});

describe('a mailbox', () => {
  /** A relay that reads a mailbox, and a way to have it look again. */
  async function withMailbox(
    make: (path: string) => void,
    effects: Partial<Effects> = {},
    stop = () => {},
    env: Record<string, string> = {},
  ) {
    const looks: (() => void)[] = [];
    const repeat: Effects['repeat'] = (_, work) => {
      looks.push(work);
      return stop;
    };
    const relay = await openNewsletter({
      bounces: '\n  smtp: {address: bounces@seeds.example, mailbox: $mailbox}',
      effects: { repeat, ...effects },
      env,
      make,
    });
    return Object.assign(relay, { look: () => void looks.map((work) => work()) });
  }

  /** How many events are told of, after another look. */
  const told = (relay: Newsletter & { look(): void }) => {
    relay.look();
    return relay.told.length;
  };

  it('is read as an mbox file, to which programs append', async () => {
    const relay = await withMailbox((path) => writeFileSync(path, ''));
    const [one, other] = [await letterTo(relay, ada), await letterTo(relay, 'eve@visitor.example')];
    const append = (sender: string, recipient: string) =>
      appendFileSync(
        relay.mailbox,
        `From MAILER-DAEMON  Tue Nov 26 10:00:00 2030\n${dsn(sender, recipient).replaceAll('\r\n', '\n')}\n`,
      );
    append(one, ada);
    append(other, 'eve@visitor.example');
    // The last one may still be being written.
    await expect.poll(() => told(relay)).toBe(1);
    expect(await relay.isBlocked(ada)).toBe(true);
    expect(await relay.isBlocked('eve@visitor.example')).toBe(false);
    const longAgo = Date.now() / 1_000 - 60;
    utimesSync(relay.mailbox, longAgo, longAgo);
    await expect.poll(() => told(relay)).toBe(2);
  });

  it('is read on past mails that are longer than what is read at once', async () => {
    const relay = await withMailbox((path) => writeFileSync(path, ''));
    const sender = await letterTo(relay, ada);
    const other = await letterTo(relay, 'eve@visitor.example');
    const mbox = (mail: string) =>
      `From MAILER-DAEMON  Tue Nov 26 10:00:00 2030\n${mail.replaceAll('\r\n', '\n')}\n`;
    const junk = (bytes: number) => `${'x'.repeat(99)}\n`.repeat(bytes / 100);
    writeFileSync(
      relay.mailbox,
      mbox(`Subject: Hello\n\n${junk(13_000_000)}`) +
        mbox(dsn(sender, ada) + junk(5_000_000)) +
        mbox(dsn(other, 'eve@visitor.example')),
    );
    const longAgo = Date.now() / 1_000 - 60;
    utimesSync(relay.mailbox, longAgo, longAgo);
    // One look, since what was read of each mail is behind it.
    relay.look();
    await expect.poll(() => relay.told.length, { timeout: 5_000 }).toBe(2);
    expect(await relay.isBlocked(ada)).toBe(true);
  });

  it('is read by one process, and by the next once that one ends', async () => {
    const relay = await withMailbox((path) => writeFileSync(path, ''));
    const longAgo = Date.now() / 1_000 - 60;
    const append = (sender: string, recipient: string) => {
      const mail = dsn(sender, recipient).replaceAll('\r\n', '\n');
      appendFileSync(relay.mailbox, `From MAILER-DAEMON  Tue Nov 26 10:00:00 2030\n${mail}\n`);
      utimesSync(relay.mailbox, longAgo, longAgo);
    };
    append(await letterTo(relay, ada), ada);
    await expect.poll(() => told(relay)).toBe(1);
    const next = await relay.again();
    const [one, other] = [
      await letterTo(next, 'eve@visitor.example'),
      await letterTo(next, 'bob@visitor.example'),
    ];
    append(one, 'eve@visitor.example');
    await expect.poll(() => told(relay)).toBe(2);
    expect(next.told).toEqual([]);
    await relay.close();
    append(other, 'bob@visitor.example');
    await expect.poll(() => told({ ...relay, told: next.told })).toBe(1);
    expect(relay.told).toHaveLength(2);
  });

  it('is read to the end of what was begun when the process ends', async () => {
    const found: Buffer[] = [];
    let begun = () => {};
    let goOn = () => {};
    const reading = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const closing = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const readMailbox: Effects['readMailbox'] = async () => {
      if (found.length > 0) {
        begun();
        await closing;
      }
      return { mails: found, after: String(found.length), finish: async () => {} };
    };
    const relay = await withMailbox(
      () => {},
      { readMailbox },
      () => goOn(),
    );
    await relay.submit('plain', [['words', 'Hello']]);
    found.push(Buffer.from(dsn(await senderTo(relay, 'boss@seeds.example'), 'boss@seeds.example')));
    relay.look();
    await reading;
    await relay.close();
    expect(relay.told).toMatchObject([{ event: 'owner_mail_bounced', address: 'boss@seeds.example' }]);
  });

  const longAgo = Date.now() / 1_000 - 60;
  const entry = (sender: string, recipient: string) =>
    `From MAILER-DAEMON  Tue Nov 26 10:00:00 2030\n${dsn(sender, recipient).replaceAll('\r\n', '\n')}\n`;
  const write = (path: string, text: string) => {
    writeFileSync(path, text);
    utimesSync(path, longAgo, longAgo);
  };

  it('is read from its beginning once its owner has rotated or emptied it', async () => {
    const relay = await withMailbox((path) => write(path, ''));
    const addresses = ['ada', 'eve', 'bob'].map((name) => `${name}@visitor.example`);
    const senders: string[] = [];
    for (const address of addresses) senders.push(await letterTo(relay, address));
    const text = (at: number) => entry(senders[at] ?? '', addresses[at] ?? '');
    write(relay.mailbox, `${text(0)}From a@b.example  Tue Nov 26 10:00:00 2030\nSubject: Hello\n\nHi\n\n`);
    await expect.poll(() => told(relay)).toBe(1);
    write(relay.mailbox, text(1));
    await expect.poll(() => told(relay)).toBe(2);
    renameSync(relay.mailbox, `${relay.mailbox}.1`);
    write(relay.mailbox, text(2) + text(1) + text(0));
    await expect.poll(() => told(relay)).toBe(3);
    expect(await relay.isBlocked('bob@visitor.example')).toBe(true);
  });

  it('is read on after a mail that is longer than all that is read at once', async () => {
    const relay = await withMailbox((path) => write(path, ''));
    const sender = await letterTo(relay, ada);
    const long = `From a@b.example  Tue Nov 26 10:00:00 2030\nSubject: Hello\n\n${`${'x'.repeat(99)}\n`.repeat(50_000)}\n`;
    write(relay.mailbox, long + entry(sender, ada));
    await expect.poll(() => told(relay)).toBe(1);
    expect(await relay.isBlocked(ada)).toBe(true);
  });

  it('with more mails than are read at once is read to its end, as a file', async () => {
    const relay = await withMailbox((path) => write(path, ''));
    const sender = await letterTo(relay, ada);
    write(
      relay.mailbox,
      'From a@b.example  Tue Nov 26 10:00:00 2030\nSubject: Hello\n\nHi\n\n'.repeat(450) + entry(sender, ada),
    );
    await expect.poll(() => told(relay)).toBe(1);
  });

  it('with more mails than are read at once is read to its end, as a Maildir, without what is no mail', async () => {
    const relay = await withMailbox((path) => {
      for (const one of ['new', 'cur', 'tmp']) mkdirSync(join(path, one), { recursive: true });
    });
    const sender = await letterTo(relay, ada);
    const at = (name: string) => join(relay.mailbox, 'new', name);
    writeFileSync(at('.hidden'), dsn(sender, ada));
    mkdirSync(at('000.folder'));
    for (let index = 100; index < 350; index += 1)
      writeFileSync(at(`${index}.M1.mx`), 'Subject: Hello\n\nHi\n');
    writeFileSync(at('999.M1.mx'), dsn(sender, ada));
    await expect.poll(() => told(relay)).toBe(1);
    await expect.poll(() => readdirSync(join(relay.mailbox, 'new'))).toEqual(['.hidden']);
  });

  it('that is neither a file nor a folder is told of', async () => {
    const relay = await withMailbox((path) => void symlinkSync('/dev/null', path));
    await relay.signUp(ada);
    await expect.poll(() => told(relay)).toBe(1);
    expect(relay.told).toMatchObject([{ event: 'mailbox_unread', mailbox: relay.mailbox }]);
  });

  it('is written to no more often than its lease needs', async () => {
    const relay = await withMailbox((path) => write(path, ''));
    await relay.signUp(ada);
    const store = await relay.relay.effects.openTexts({
      kind: 'folder',
      name: relay.folder,
      path: relay.folder,
    });
    const text = async () => (await store.read('bounces/mailbox', 1_000)).text;
    await expect.poll(text).toContain('"after"');
    const first = await text();
    relay.look();
    await relay.signUp('eve@visitor.example');
    expect(await text()).toBe(first);
    relay.advance(151_000);
    const next = () => {
      relay.look();
      return text();
    };
    await expect.poll(next).not.toBe(first);
  });

  it('is read as a Maildir, where mails stay as seen', async () => {
    const relay = await withMailbox((path) => {
      for (const one of ['new', 'cur', 'tmp']) mkdirSync(join(path, one), { recursive: true });
    });
    const sender = await letterTo(relay, ada);
    writeFileSync(join(relay.mailbox, 'new', '1670000000.M1P1.mx'), dsn(sender, ada));
    writeFileSync(join(relay.mailbox, 'new', '1670000001.M1P1.mx'), 'Subject: Hello\n\nfrom a person\n');
    await expect.poll(() => told(relay)).toBe(1);
    await expect.poll(() => readdirSync(join(relay.mailbox, 'cur')).length).toBe(2);
    expect(readdirSync(join(relay.mailbox, 'new'))).toEqual([]);
    expect(await relay.isBlocked(ada)).toBe(true);
  });

  it('is read past a file in a Maildir that cannot be read, which is named once', async () => {
    const relay = await withMailbox((path) => {
      for (const one of ['new', 'cur', 'tmp']) mkdirSync(join(path, one), { recursive: true });
      symlinkSync('/nowhere/at/all', join(path, 'new', '1670000000.M1P1.mx'));
    });
    const sender = await letterTo(relay, ada);
    writeFileSync(join(relay.mailbox, 'new', '1670000001.M1P1.mx'), dsn(sender, ada));
    await expect.poll(() => told(relay)).toBe(2);
    expect(relay.told).toContainEqual(
      expect.objectContaining({
        event: 'mailbox_unread',
        level: 'error',
        mailbox: join(relay.mailbox, 'new', '1670000000.M1P1.mx'),
        reason: 'it is a link to a file that is not there',
      }),
    );
    const next = await letterTo(relay, 'eve@visitor.example');
    writeFileSync(join(relay.mailbox, 'new', '1670000002.M1P1.mx'), dsn(next, 'eve@visitor.example'));
    await expect.poll(() => told(relay)).toBe(3);
    expect(relay.told.filter(({ event }) => event === 'mailbox_unread')).toHaveLength(1);
  });

  it.each([
    ['is gone', () => {}],
    [
      'is a Maildir without a place for mails that were read',
      (path: string) => mkdirSync(join(path, 'new'), { recursive: true }),
    ],
  ])('that %s is told of once', async (_, make) => {
    const relay = await withMailbox(make);
    await relay.signUp(ada);
    await expect.poll(() => told(relay)).toBe(1);
    relay.look();
    expect(relay.told).toMatchObject([
      {
        event: 'mailbox_unread',
        level: 'error',
        reason: expect.stringMatching(/^there is no .*; its first mail makes it/),
      },
    ]);
  });

  type Reading = () => Partial<MailboxReading>;
  const nothingNew: Reading = () => ({});

  /** A relay whose mailbox gives what is said last, at each look. */
  async function withReadings(effects: Partial<Effects> = {}, env: Record<string, string> = {}) {
    let reading = nothingNew;
    const asked: (string | undefined)[] = [];
    const readMailbox: Effects['readMailbox'] = async ({ after }) => {
      asked.push(after);
      return { mails: [], after: after ?? '', finish: async () => {}, ...reading() };
    };
    const relay = await withMailbox(
      () => {},
      { readMailbox, ...effects },
      () => {},
      env,
    );
    const counted = { kind: 'folder', name: relay.folder, path: relay.folder } as const;
    /** Looks until all of it has counted. */
    const say = async (next: Reading) => {
      reading = next;
      const from = asked.length;
      const looks = () => {
        relay.look();
        return asked.length - from;
      };
      await expect.poll(looks, { interval: 1, timeout: 3_000 }).toBeGreaterThan(2);
    };
    const place = async () => {
      const store = await relay.relay.effects.openTexts(counted);
      return (await store.read('bounces/mailbox', 1_000)).text;
    };
    const write = async (text: string) => {
      const counter = await relay.relay.effects.openCounter(counted);
      await counter.change('bounces/mailbox', () => text);
    };
    return Object.assign(relay, { asked, say, place, write });
  }

  it('that fails is told of once, and again if it was read in between or fails otherwise', async () => {
    const relay = await withReadings();
    await relay.signUp(ada);
    const missing = () => {
      throw failed('mailbox_missing', { path: '/a' });
    };
    const denied = () => {
      throw failed('mailbox_denied', { path: '/a' });
    };
    for (const one of [missing, denied, nothingNew, denied]) await relay.say(one);
    const line = (reason: RegExp) => ({
      event: 'mailbox_unread',
      level: 'error',
      mailbox: relay.mailbox,
      reason: expect.stringMatching(reason),
    });
    expect(relay.told).toEqual([line(/^there is no/), line(/may not read/), line(/may not read/)]);
    await relay.say(() => {
      throw new Error('a bug');
    });
    expect(relay.told).toHaveLength(3);
    expect(relay.logged).toContainEqual({
      event: 'internal_error',
      level: 'error',
      stack: expect.arrayContaining(['Error']),
    });
    await relay.say(nothingNew);
  });

  it('has 20 mails that cannot be read named at a look, and each when it is new', async () => {
    const relay = await withReadings();
    await relay.signUp(ada);
    const unread = (...names: readonly string[]): Reading => {
      const all = names.map((path) => ({ path, reason: 'no' }));
      return () => ({ unread: all });
    };
    const many = Array.from({ length: 25 }, (_, index) => `mail ${index}`);
    await relay.say(unread(...many));
    await relay.say(unread('mail 0', 'another'));
    await relay.say(unread('another'));
    await relay.say(unread('mail 0', 'another'));
    expect(relay.told.map(({ mailbox }) => mailbox)).toEqual([...many.slice(0, 20), 'another', 'mail 0']);
    expect(relay.told[0]).toEqual({
      event: 'mailbox_unread',
      level: 'error',
      mailbox: 'mail 0',
      reason: 'no',
    });
  });

  it.each([
    ['its end moves on', (at: number) => ({ after: String(at) })],
    ['it has mails', () => ({ mails: [Buffer.from('Subject: Hello\n\n')] })],
  ])('is read 50 times in a row at most while %s', async (_, next) => {
    const relay = await withReadings();
    await relay.signUp(ada);
    // The look that it starts with: the second reading has nothing new.
    await expect.poll(() => relay.asked.length).toBe(2);
    let at = 0;
    await relay.say(() => {
      at += 1;
      return next(at);
    });
    await expect.poll(() => at).toBe(50);
    await relay.signUp('eve@visitor.example');
    expect(at).toBe(50);
  });

  it('is read again where its mails could not be marked as read', async () => {
    const relay = await withReadings();
    await relay.signUp(ada);
    const sender = await senderTo(relay, ada);
    const mails = [Buffer.from(dsn(sender, ada))];
    const finish = async () => {
      throw failed('mailbox_denied', { path: '/a' });
    };
    await relay.say(() => ({ mails, after: '7', finish }));
    expect(relay.asked).not.toContain('7');
    expect(relay.told).toMatchObject([
      { event: 'mail_bounced', provider: 'smtp' },
      { event: 'mailbox_unread' },
    ]);
  });

  const now = Date.parse('2030-01-01T00:00:00Z');
  it.each([
    ['nowhere', 'x', true, undefined],
    ['another mailbox', { path: '/other', until: now + 1 }, true, undefined],
    ['where another process ended', { until: now }, true, '9'],
    ['where another process is reading', { until: now + 1 }, false, undefined],
    ['where another process has begun', { until: now + 300_000 }, false, undefined],
    ['where a process began before its clock was set back', { until: now + 300_001 }, true, '9'],
  ])('is read on from %s, or not', async (_, held, isRead, after) => {
    const relay = await withReadings({ now: () => now });
    const place = { path: relay.mailbox, after: '9', by: 'another' };
    const text = typeof held === 'string' ? held : JSON.stringify({ ...place, ...held });
    await relay.write(text);
    await relay.signUp(ada);
    if (isRead) await expect.poll(() => relay.asked.length).toBeGreaterThan(0);
    relay.look();
    await relay.signUp('eve@visitor.example');
    expect(relay.asked[0]).toBe(after);
    expect(relay.asked.length > 0).toBe(isRead);
    expect(relay.logged.filter(({ event }) => event === 'internal_error')).toEqual([]);
    const own = { path: relay.mailbox, after: after ?? '', by: expect.stringMatching(/^[0-9a-f-]{36}$/) };
    const read = async () => JSON.parse((await relay.place()) ?? '');
    if (isRead) expect(await read()).toEqual({ ...own, until: now + 300_000 });
    else expect(await relay.place()).toBe(text);
    await relay.close();
    if (isRead) expect(await read()).toEqual({ ...own, until: now });
    else expect(await relay.place()).toBe(text);
  });

  it('is not read without FORM_TOKEN_SECRET', async () => {
    const relay = await withReadings({}, { FORM_TOKEN_SECRET: '' });
    for (const words of ['a', 'b', 'c']) {
      await relay.submit('plain', [['words', words]]);
      relay.look();
    }
    expect(relay.asked).toEqual([]);
  });
});
