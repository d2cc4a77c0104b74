/** Mails with names, copies, headers and HTML conform to RFC 5322 for any Unicode text, as checked by a strict reader. */
import fc from 'fast-check';
import { holds } from '../../../../test/support/fuzz.ts';
import { sentMail } from '../../../../test/support/mail.ts';
import { readStrictly } from '../../../../test/support/strict_mail.ts';
import type { Mailbox } from '../../../base/src/address.ts';
import { parseMailbox } from '../../../base/src/address.ts';
import type { Mail } from '../../../core/src/services.ts';
import { submittedName } from '../../../more-outputs/src/mail_headers.ts';

const sample: Mail = {
  from: 'forms@acme.example',
  to: ['office@acme.example'],
  subject: 'Contact',
  text: 'name=Ann\n',
  messageId: '7e6c3a50-5a1c-4f0e-9d8b-1f2e3d4c5b6a-0@acme.example',
  date: Date.UTC(2026, 1, 3, 4, 5, 6),
};

async function composed(mail: Mail) {
  const { raw, envelope } = await sentMail(mail);
  return { source: raw, envelope };
}

const spice = fc.constantFrom(
  ...['"', '\\', ',', ';', ':', '<x@evil.example>', '@', '(c)', "'", '.', '[', '=', '?', '_', '=?', '?='],
  ...['=?utf-8?Q?=0D=0ABcc:_x=40evil.example?=', '=?UTF-8?B?DQpCY2M6IHhAZXZpbC5leGFtcGxl?=', '=20', '=0A'],
  ...['ü', 'ß', '日本', '👋', '👩‍👩‍👧', 'שלום', 'مرحبا', '\u202e', '\u2066', '\u200b', '\ufeff'],
  ...['\u00a0', '\u0301'],
  ...['\r\n', '\n', '\r', '\t', '\0', '\u0085', '\u2028', '\ud83d', '\udc4b', ' ', '  ', '\r\n '],
  ...['\r\nBcc: x@evil.example\r\n'],
  ...['x'.repeat(80), '='.repeat(1_200), 'é'.repeat(50), 'long '.repeat(30), ' '.repeat(120), '--=_'],
  '--=_7e6c3a50-5a1c-4f0e-9d8b-1f2e3d4c5b6a',
);
const any = fc
  .array(fc.oneof(spice, fc.string({ unit: 'binary', maxLength: 12 }), fc.string({ maxLength: 12 })), {
    maxLength: 8,
  })
  .map((parts) => parts.join(''));

const address = fc.constantFrom(
  'a@b.example',
  "o'hara+x@acme.example",
  'v@xn--bcher-kva.example',
  'r@[192.0.2.1]',
);
/** Mailboxes that configs may have: what `parseMailbox` makes of any text. */
const owners = fc
  .tuple(any, address)
  .map(([name, address]) => parseMailbox(`${quoted(name)} <${address}>`) ?? address);
const quoted = (name: string) => `"${name.replaceAll(/["\\]/g, '\\$&')}"`;
/** Mailboxes that visitors may enter. */
const visitors = fc.tuple(any, address).map(([name, address]): Mailbox => {
  const written = submittedName(name);
  return written === '' ? address : { name: written, address };
});
const mailbox = fc.oneof(owners, visitors);

/** Half a surrogate pair cannot be encoded. */
const wellFormed = (text: string) => text.replaceAll(/[\ud800-\udfff]/gu, '\ufffd');
const parts = (one: Mailbox) =>
  typeof one === 'string'
    ? { name: '', address: one }
    : { name: wellFormed(one.name).replaceAll(/\s+/g, ' '), address: one.address };
const oneSpace = (all: readonly { name: string; address: string }[]) =>
  all.map(({ name, address }) => ({ name: name.replaceAll(/\s+/g, ' '), address }));

const addressed = fc.record({
  from: mailbox,
  to: fc.array(mailbox, { minLength: 1, maxLength: 8 }),
  cc: fc.option(fc.array(mailbox, { minLength: 1, maxLength: 8 }), { nil: undefined }),
  replyTo: fc.option(mailbox, { nil: undefined }),
});

test('names and addresses are read as written, and none are added', () =>
  holds(40, [addressed], async (given) => {
    const { source, envelope } = await composed({ ...sample, ...given });
    const mail = readStrictly(source);
    expect(oneSpace(mail.mailboxes('From'))).toEqual([parts(given.from)]);
    expect(oneSpace(mail.mailboxes('To'))).toEqual(given.to.map(parts));
    expect(oneSpace(mail.mailboxes('Cc'))).toEqual((given.cc ?? []).map(parts));
    expect(oneSpace(mail.mailboxes('Reply-To'))).toEqual(given.replyTo ? [parts(given.replyTo)] : []);
    const everybody = [...given.to, ...(given.cc ?? [])].map((one) => parts(one).address);
    expect(envelope).toEqual({ from: parts(given.from).address, to: [...new Set(everybody)] });
    expect(mail.headers.map(([name]) => name)).toEqual([
      ...['From', 'To', ...(given.cc ? ['Cc'] : []), ...(given.replyTo ? ['Reply-To'] : [])],
      ...['Subject', 'Date', 'Message-ID', 'Auto-Submitted'],
      ...['Content-Transfer-Encoding', 'MIME-Version', 'Content-Type'],
    ]);
  }));

/** Texts as outputs pass them (outputs/mail_outputs.ts). */
const oneLine = any.map((text) =>
  text
    .replaceAll(/[\0-\x1f\x7f-\x9f\u2028\u2029]+/g, ' ')
    .replaceAll('=?', '= ?')
    .trim(),
);
const headerName = fc.constantFrom(
  ...['X-Priority', 'List-Id', 'OTP-Token', 'Importance', `X-${'Y'.repeat(68)}`, '!#$'],
);

test('custom headers are read as written, and add no others', () =>
  holds(40, [headerName, oneLine, oneLine], async (name, value, subject) => {
    fc.pre(subject !== '');
    const { source } = await composed({ ...sample, subject, headers: new Map([[name, value]]) });
    const mail = readStrictly(source);
    expect(mail.words(name).replaceAll(/\s+/g, ' ')).toBe(wellFormed(value).replaceAll(/\s+/g, ' '));
    expect(mail.words('Subject').replaceAll(/\s+/g, ' ')).toBe(wellFormed(subject).replaceAll(/\s+/g, ' '));
    expect(mail.headers).toHaveLength(value === '' ? 9 : 10);
  }));

const bodyLine = fc.oneof(
  any,
  fc.constantFrom('.', '..', 'From x', '--', '-- ', 'x'.repeat(2_000), '=', ' ', '\t'),
);
const body = fc
  .tuple(fc.array(bodyLine, { maxLength: 8 }), fc.constantFrom('\n', '', '  ', ' \t'))
  .map(([lines, end]) => wellFormed(lines.join('\n')).replaceAll(/\r\n?/g, '\n') + end);
const html = body.map((text) => text.replaceAll(/[^\n -~]/gu, (one) => `&#${one.codePointAt(0)};`));

test('both parts are read as written, whatever they contain', () =>
  holds(40, [body, fc.option(html, { nil: undefined })], async (text, html) => {
    const { source } = await composed({ ...sample, text, html });
    const read = readStrictly(source).parts.map(({ type, text }) => [type, text.replaceAll('\r\n', '\n')]);
    const expected =
      html === undefined
        ? [['text/plain', text]]
        : [
            ['text/plain', text],
            ['text/html', html],
          ];
    // The line break before a boundary belongs to the boundary (RFC 2046, 5.1.1), unless it is encoded.
    const ended = (parts: string[][]) => parts.map(([type, text = '']) => [type, text.replace(/\n*$/, '')]);
    expect(ended(read)).toEqual(ended(expected));
  }));
