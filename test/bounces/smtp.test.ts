/** Mails that come back to envelope senders of the relay's own. */
import { appendFileSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Effects } from '../../packages/relay/src/base/effects.ts';
import { dsn, type Newsletter, openNewsletter, posted } from './stage.ts';

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
  async function withMailbox(make: (path: string) => void, effects: Partial<Effects> = {}, stop = () => {}) {
    const looks: (() => void)[] = [];
    const repeat: Effects['repeat'] = (_, work) => {
      looks.push(work);
      return stop;
    };
    const relay = await openNewsletter({
      bounces: '\n  smtp: {address: bounces@seeds.example, mailbox: $mailbox}',
      effects: { repeat, ...effects },
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
});
