/** Files come out of mails as they went in: every name and every byte, as strict and as common readers see them. */
import { createHash, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { createRequire } from 'node:module';
import fc from 'fast-check';
import DKIM from 'nodemailer/lib/dkim';
import { expect, test } from 'vitest';
import { verifyDkim } from '../../../../test/support/dkim.ts';
import { runs } from '../../../../test/support/fuzz.ts';
import { sentMail } from '../../../../test/support/mail.ts';
import { readStrictly } from '../../../../test/support/strict_mail.ts';
import { base64Of, base64OfStreamed, type Streamed } from '../../../base/src/streamed.ts';
import type { UploadedFile } from '../../../base/src/values.ts';
import type { Mail } from '../../../core/src/services.ts';
import { base64Lines } from '../../src/mail/attachments.ts';

const sample: Mail = {
  from: 'forms@acme.example',
  to: ['office@acme.example'],
  subject: 'Contact',
  text: 'name=Ann\n',
  messageId: '7e6c3a50-5a1c-4f0e-9d8b-1f2e3d4c5b6a-0@acme.example',
  date: Date.UTC(2026, 1, 3, 4, 5, 6),
};

/** As programs have it that read mails every day. */
const { simpleParser } = createRequire(import.meta.resolve('aws-ses-v2-local'))('mailparser') as {
  simpleParser(mail: Buffer): Promise<{
    readonly text?: string;
    readonly attachments: readonly { filename?: string; contentType: string; content: Buffer }[];
  }>;
};

const spice = fc.constantFrom(
  ...[
    'cv.pdf',
    'Größe',
    '日本',
    '👩‍👩‍👧',
    'שלום',
    '\u0301',
    ' ',
    '  ',
    "'",
    '%',
    '%22',
    '*',
    "utf-8''",
    '=?',
    '?=',
  ],
  ...['=?utf-8?Q?=0D=0A?=', '"', '\\', ';', '; name=x', '=', '.', '..', ',', '(', '\u202e', 'x'.repeat(70)],
);
const name = fc
  .array(fc.oneof(spice, fc.string({ unit: 'grapheme', maxLength: 8 })), { minLength: 1, maxLength: 6 })
  .map((parts) => parts.join('').replaceAll(/\p{Cc}/gu, ''))
  // As names are once they are cleaned.
  .filter((one) => one.trim() === one && one !== '' && Buffer.byteLength(one) <= 200);
const bytes = fc.oneof(
  fc.uint8Array({ minLength: 1, maxLength: 300 }),
  fc
    .tuple(fc.integer({ min: 1, max: 70_000 }), fc.integer({ min: 0, max: 255 }))
    .map(([length, byte]) => new Uint8Array(length).fill(byte)),
);
const file: fc.Arbitrary<UploadedFile> = fc.record({
  name,
  type: fc.constantFrom(
    'application/pdf',
    'image/png',
    'text/plain',
    'message/rfc822',
    'multipart/mixed',
    'a',
    'x/y\r\nBcc: a@b.example',
  ),
  bytes,
});
/** Compared in its place: a test that fails need not print megabytes. */
const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const files = fc.array(file, { minLength: 1, maxLength: 4 });

test('any file comes out of a mail under its name, and byte for byte', async () => {
  await fc.assert(
    fc.asyncProperty(
      files,
      fc.option(fc.constant('<p>x</p>'), { nil: undefined }),
      async (attachments, html) => {
        const { raw } = await sentMail({ ...sample, html, attachments });
        // As in subjects.
        const names = attachments.map(({ name }) => name.replaceAll('=?', '= ?'));
        const contents = attachments.map(({ bytes }) => digest(bytes));
        const mail = readStrictly(raw);
        expect(mail.parts.map(({ type }) => type)).toEqual(
          html ? ['text/plain', 'text/html'] : ['text/plain'],
        );
        expect(mail.files.map(({ bytes }) => digest(bytes))).toEqual(contents);
        expect(mail.files.map(({ name }) => name)).toEqual(names);
        const read = await simpleParser(Buffer.from(raw, 'latin1'));
        expect(read.attachments.map(({ content }) => digest(content))).toEqual(contents);
        expect(read.attachments.map(({ filename }) => filename)).toEqual(names);
        // Nothing in it needs what SMTP does to dots, nor what relaxes bodies.
        expect(raw).not.toMatch(/^\.| \r\n/m);
      },
    ),
    runs(20),
  );
});

test.each([
  ['text/plain', 'größer', 'text/plain; charset=utf-8'],
  ['text/csv', 'a;b', 'text/csv; charset=utf-8'],
  ['application/pdf', 'größer', 'application/pdf'],
  ['message/rfc822', 'From: a@b.example', 'application/octet-stream'],
  ['multipart/mixed', 'x', 'application/octet-stream'],
  ['', 'x', 'application/octet-stream'],
  ['text/html\r\nBcc: a@b.example', 'x', 'application/octet-stream'],
])('a file of type %j that holds %j is sent as %j', async (type, text, sent) => {
  const attachments = [{ name: 'a', type, bytes: Buffer.from(text) }];
  const { raw } = await sentMail({ ...sample, attachments });
  expect(readStrictly(raw).files.map(({ type }) => type)).toEqual([sent]);
});

const key = generateKeyPairSync('rsa', { modulusLength: 1_024 }).privateKey;
const pem = key.export({ type: 'pkcs8', format: 'pem' }).toString();
const record = `p=${createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64')}`;
const dkim = { domain: 'acme.example', selector: 's1', key: pem };
const text = fc
  .array(fc.constantFrom('x', '  two  ', '\t', ' ', '', 'größer', '.', 'y'.repeat(100)), { maxLength: 8 })
  .map((lines) => lines.join('\n'));

test('a signature holds for the files, too', async () => {
  await fc.assert(
    fc.asyncProperty(files, text, async (attachments, text) => {
      const { raw } = await sentMail({ ...sample, text, attachments, dkim });
      expect(verifyDkim(raw, () => record)).toMatchObject({ isBodyTrue: true, isSignatureTrue: true });
    }),
    runs(10),
  );
});

test('a mail without files is signed as nodemailer’s signer does it', async () => {
  const signer = new DKIM({ domainName: dkim.domain, keySelector: dkim.selector, privateKey: pem });
  await fc.assert(
    fc.asyncProperty(text, async (text) => {
      const { raw } = await sentMail({ ...sample, text });
      const chunks: Buffer[] = [];
      for await (const chunk of signer.sign(Buffer.from(raw, 'latin1'))) chunks.push(chunk as Buffer);
      expect((await sentMail({ ...sample, text, dkim })).raw).toBe(Buffer.concat(chunks).toString('latin1'));
    }),
    runs(10),
  );
});

const written = ({ byteLength, pieces }: Streamed) => {
  const all = Buffer.concat(Array.from(pieces(), (piece) => Buffer.from(piece)));
  expect(all.length).toBe(byteLength);
  return all.toString();
};

test('base64 by the piece is base64, as long as it says', () => {
  const long = fc
    .integer({ min: 49_000, max: 120_000 })
    .map((length) => new Uint8Array(length).fill(length % 256));
  fc.assert(
    fc.property(fc.oneof(bytes, long), fc.array(fc.uint8Array({ maxLength: 9 })), (bytes, pieces) => {
      const whole = Buffer.from(bytes);
      expect(written(base64Of(bytes))).toBe(whole.toString('base64'));
      expect(written(base64Lines(bytes))).toBe(whole.toString('base64').replace(/.{1,76}/g, '$&\r\n'));
      const all = Buffer.concat([...pieces, whole]);
      const streamed = { byteLength: all.length, pieces: () => [...pieces, bytes] };
      expect(written(base64OfStreamed(streamed))).toBe(all.toString('base64'));
    }),
    runs(10),
  );
});
