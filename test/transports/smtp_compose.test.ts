import fc from 'fast-check';
import MimeNode from 'nodemailer/lib/mime-node';
import { expect, test } from 'vitest';
import type { Mailbox } from '../../packages/base/src/address.ts';
import { parseAddress } from '../../packages/base/src/address.ts';
import type { SmtpMessage } from '../../packages/core/src/services.ts';
import { runs } from '../support/fuzz.ts';
import { decodeMail, decodeWords, sentMail } from '../support/mail.ts';

const sample = {
  host: '127.0.0.1',
  port: 25,
  tls: 'opportunistic',
  from: 'relay@forms.example',
  to: ['office@firm.example'],
  subject: 'Contact',
  text: 'email=a@b.example\nname=Ann\n',
  messageId: 'b7-0@forms.example',
  date: Date.UTC(2026, 1, 3, 4, 5, 6),
  timeoutMs: 5000,
} satisfies SmtpMessage;

const mailbox = (one: Mailbox) => (typeof one === 'string' ? { address: one } : one);

/** The same message through all of nodemailer's composer. */
async function nodemailers({ from, to, replyTo, subject, messageId, date, text }: SmtpMessage) {
  const mime = new MimeNode('text/plain; charset=utf-8')
    .setHeader({
      From: mailbox(from),
      To: to.map(mailbox),
      'Reply-To': replyTo === undefined ? undefined : mailbox(replyTo),
      Subject: subject,
      Date: new Date(date),
      'Message-ID': `<${messageId}>`,
      'Auto-Submitted': 'auto-generated',
    })
    .setContent(text);
  // Spam filters mind.
  if (mime.getTransferEncoding() === 'base64')
    mime.setHeader('Content-Transfer-Encoding', 'quoted-printable');
  // As its SMTP connection sends it.
  const mail = (await mime.build()).toString().replaceAll(/\r\n|\r|\n/g, '\r\n');
  return { mail, envelope: mime.getEnvelope() };
}

async function composed(message: SmtpMessage) {
  const { raw, envelope } = await sentMail(message);
  return { mail: raw, envelope };
}

const words = fc.string({ unit: 'grapheme', maxLength: 120 });
const line = fc.oneof(
  words,
  fc.string({ unit: 'grapheme-ascii', maxLength: 200 }),
  fc.constantFrom(
    '',
    ' ',
    '.',
    '=20',
    'From here',
    'x'.repeat(80),
    'é'.repeat(300),
    'Grüße, 日本 👋',
    'a\tb ',
  ),
);
const text = fc
  .array(fc.tuple(line, fc.constantFrom('\n', '\n\t', '\r\n', '\r', '')), { maxLength: 12 })
  // After a lone CR, nodemailer may break a line elsewhere, to the same effect; no output sends one (outputs/mail.ts).
  .map((parts) =>
    parts
      .flat()
      .join('')
      .replaceAll(/\r(?!\n)/g, '\r\n'),
  );
const domain = fc.oneof(
  fc.domain(),
  fc.constantFrom('FIRM.example', '[192.0.2.1]', 'xn--bcher-kva.example', '1.2'),
);
const local = fc.string({
  unit: fc.constantFrom(..."abcXYZ019.!#$%&'*+/=?^_`{|}~-"),
  minLength: 1,
  maxLength: 64,
});
const address = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(local, domain).map((parts) => parts.join('@')) },
  { weight: 2, arbitrary: fc.emailAddress() },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'relay@[IPv6:2001:db8::1]',
      'relay@[192.0.2.1]',
      'relay@bücher.example',
      'relay@my_host.example',
      'relay@127.1',
      'relay@localhost',
      'a@b.example, evil@evil.example',
      'a@b.example\r\nBcc: evil@evil.example',
      '"a b"@c.example',
      'a..b@c.example',
      'ünal@c.example',
    ),
  },
);
const message = fc.record({
  from: address,
  to: fc.array(address, { minLength: 1, maxLength: 12 }),
  replyTo: fc.option(address, { nil: undefined }),
  subject: fc.oneof(
    words,
    line,
    fc.constantFrom('=?utf-8?Q?a b?=', 'say "hi"', 'x'.repeat(300), 'two\r\nlines'),
  ),
  messageId: fc.tuple(fc.uuid(), domain).map(([id, name]) => `${id}-0@${name}`),
  date: fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('9999-12-31') }).map(Number),
  text,
});

test('every mail is what nodemailer’s composer makes of it, but for base64 and soft line breaks', async () => {
  await fc.assert(
    fc.asyncProperty(message, async (parts) => {
      const given: SmtpMessage = { ...sample, ...parts, replyTo: parts.replyTo };
      const [ours, theirs] = [await composed(given), await nodemailers(given)];
      const [mail, mailOfTheirs] = [withoutSoftBreaks(ours.mail), withoutSoftBreaks(theirs.mail)];
      expect({ ...ours, mail }).toEqual({ ...theirs, mail: mailOfTheirs });
    }),
    {
      ...runs(40),
      examples: [
        // Long, and without a letter.
        `${'0'.repeat(100)}\n`,
        // Broken before the last space, or behind it.
        `${'xé'.repeat(17)}  `,
        // Broken although it would fit, or not.
        'Grüße, 日本 👋a\tb ',
      ].map((text): [typeof sample & { replyTo: undefined }] => [{ ...sample, replyTo: undefined, text }]),
    },
  );
});

const withoutSoftBreaks = (mail: string) => mail.replaceAll('=\r\n', '');

test('no line of a mail is over 998 bytes, and every subject reads as it was written', async () => {
  const run = fc
    .tuple(fc.constantFrom('x', '=', '_', '?', '"', 'é', '👋', 'word '), fc.integer({ min: 1, max: 3_000 }))
    .map(([unit, times]) => unit.repeat(times));
  const subject = fc
    .array(fc.oneof(words, run), { minLength: 1, maxLength: 4 })
    // As outputs have it: on one line, without the beginning of an encoded word, and not of spaces alone.
    .map((parts) =>
      `about ${parts
        .join(' ')
        .replaceAll(/=\?|\p{Cc}/gu, ' ')
        .trim()}`.trim(),
    );
  await fc.assert(
    fc.asyncProperty(message, subject, async (parts, subject) => {
      const { mail } = await composed({ ...sample, ...parts, subject } as SmtpMessage);
      const lengths = mail.split('\r\n').map((line) => Buffer.byteLength(line));
      expect(Math.max(...lengths)).toBeLessThanOrEqual(998);
      const headers = new Map(decodeMail(mail).headers);
      expect(decodeWords(headers.get('Subject') ?? '')).toBe(subject);
    }),
    runs(30),
  );
});

test('a mail is ASCII, and addresses that the relay accepts stand in it as they are', async () => {
  await fc.assert(
    fc.asyncProperty(address.map(parseAddress), line, text, async (to, subject, text) => {
      fc.pre(to !== undefined);
      const { mail, envelope } = await composed({ ...sample, to: [to as string], subject, text });
      expect(envelope.to).toEqual([to]);
      expect(decodeMail(mail).headers).toContainEqual(['To', to]);
      // It is written with one byte a character.
      expect(mail).toMatch(/^[\0-\x7f]*$/);
    }),
    runs(10),
  );
});
