/** Files survive mails unchanged: every name and every byte, for strict and for common readers. */
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import fc from 'fast-check';
import { holds } from '../../../../test/support/fuzz.ts';
import { sentMail } from '../../../../test/support/mail.ts';
import { readStrictly } from '../../../../test/support/strict_mail.ts';
import type { UploadedFile } from '../../../base/src/values.ts';
import type { Mail } from '../../../core/src/services.ts';

const sample: Mail = {
  from: 'forms@acme.example',
  to: ['office@acme.example'],
  subject: 'Contact',
  text: 'name=Ann\n',
  messageId: '7e6c3a50-5a1c-4f0e-9d8b-1f2e3d4c5b6a-0@acme.example',
  date: Date.UTC(2026, 1, 3, 4, 5, 6),
};

/** A parser that common programs use. */
const { simpleParser } = createRequire(import.meta.resolve('aws-ses-v2-local'))('mailparser') as {
  simpleParser(mail: Buffer): Promise<{
    readonly text?: string;
    readonly attachments: readonly { filename?: string; contentType: string; content: Buffer }[];
  }>;
};

const spice = fc.constantFrom(
  ...['cv.pdf', 'Größe', '日本', '👩‍👩‍👧', 'שלום', '\u0301', ' ', '  ', "'", '%', '%22', '*', "utf-8''"],
  ...['=?', '?='],
  ...['=?utf-8?Q?=0D=0A?=', '"', '\\', ';', '; name=x', '=', '.', '..', ',', '(', '\u202e', 'x'.repeat(70)],
);
const name = fc
  .array(fc.oneof(spice, fc.string({ unit: 'grapheme', maxLength: 8 })), { minLength: 1, maxLength: 6 })
  .map((parts) => parts.join('').replaceAll(/\p{Cc}/gu, ''))
  // Names as cleaned by the relay.
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
    ...['application/pdf', 'image/png', 'text/plain', 'message/rfc822', 'multipart/mixed', 'a'],
    ...['x/y\r\nBcc: a@b.example'],
  ),
  bytes,
});
/** Digests are compared, so that a failing test does not print megabytes. */
const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const files = fc.array(file, { minLength: 1, maxLength: 4 });

test('any file comes out of a mail under its name, and unchanged', () =>
  holds(20, [files, fc.option(fc.constant('<p>x</p>'), { nil: undefined })], async (attachments, html) => {
    const { raw } = await sentMail({ ...sample, html, attachments });
    // Replaced as in subjects.
    const names = attachments.map(({ name }) => name.replaceAll('=?', '= ?'));
    const contents = attachments.map(({ bytes }) => digest(bytes));
    const mail = readStrictly(raw);
    expect(mail.parts.map(({ type }) => type)).toEqual(html ? ['text/plain', 'text/html'] : ['text/plain']);
    expect(mail.files.map(({ bytes }) => digest(bytes))).toEqual(contents);
    expect(mail.files.map(({ name }) => name)).toEqual(names);
    const read = await simpleParser(Buffer.from(raw, 'latin1'));
    expect(read.attachments.map(({ content }) => digest(content))).toEqual(contents);
    expect(read.attachments.map(({ filename }) => filename)).toEqual(names);
    // SMTP does not need to escape dots, and relaxed body canonicalization changes nothing.
    expect(raw).not.toMatch(/^\.| \r\n/m);
  }));

test.each([
  ['text/plain', 'größer', 'text/plain; charset=utf-8'],
  ['text/csv', 'a;b', 'text/csv; charset=utf-8'],
  ['application/pdf', 'größer', 'application/pdf'],
  ['message/rfc822', 'From: a@b.example', 'application/octet-stream'],
  ['multipart/mixed', 'x', 'application/octet-stream'],
  ['', 'x', 'application/octet-stream'],
  ['text/html\r\nBcc: a@b.example', 'x', 'application/octet-stream'],
])('a file of type %j with the content %j is sent as %j', async (type, text, sent) => {
  const attachments = [{ name: 'a', type, bytes: Buffer.from(text) }];
  const { raw } = await sentMail({ ...sample, attachments });
  expect(readStrictly(raw).files.map(({ type }) => type)).toEqual([sent]);
});
