import { domainToASCII } from 'node:url';
import fc from 'fast-check';
import { holds, property } from '../../../test/support/fuzz.ts';
import {
  addressOf,
  mailboxParts,
  mailboxText,
  parseAddress,
  parseMailbox,
  parseRecipient,
} from '../src/address.ts';

const pieces = [
  ...'a b.c @ . .. - < > , ; : " ( ü bücher 。 ％ 🙂 =? [127.0.0.1] xn--'.split(' '),
  ...[' ', '\r\n', '\0', '\u200b', 'x'.repeat(64)],
];
const anyAddress = fc.oneof(
  fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((parts) => parts.join('')),
  fc
    .tuple(fc.string({ unit: 'binary', maxLength: 10 }), fc.string({ unit: 'binary', maxLength: 10 }))
    .map((sides) => sides.join('@')),
);

property('an accepted text is one bare ASCII address, and stays the same', 500, [anyAddress], (text) => {
  const address = parseAddress(text);
  if (address === undefined) return;
  expect(address).toMatch(/^[!#-'*+/-9=?A-Z^-~.-]{1,64}@[A-Za-z0-9._-]+$/);
  expect(address).not.toMatch(/\.\.|^\.|\.@|@\./);
  expect(address.length).toBeLessThanOrEqual(254);
  expect(parseAddress(address)).toBe(address);
  expect(text.split('@')[0]).toBe(address.split('@')[0]);
});

test('a recipient may have letters of any language before the @, but no character that ends an address', () =>
  holds(500, [anyAddress], (text) => {
    const address = parseRecipient(text);
    if (address === undefined) return;
    expect(address).toMatch(
      /^(?!.*[\p{C}\p{Z}])[!#-'*+/-9=?A-Z^-~.\u0080-\u{10ffff}-]{1,64}@[A-Za-z0-9._-]+$/u,
    );
    expect(address).not.toMatch(/\.\.|^\.|\.@|@\./);
    expect(Buffer.byteLength(address)).toBeLessThanOrEqual(254);
    expect(parseRecipient(address)).toBe(address);
    if (/^[ -~]*@/.test(text)) expect(address).toBe(parseAddress(text));
  }));

test('every ordinary address is accepted, with its domain in Punycode', async () => {
  const label = fc.string({ unit: fc.constantFrom(...'abz09üéßж日'), minLength: 1, maxLength: 8 });
  const domain = fc.array(label, { minLength: 1, maxLength: 3 }).map((labels) => labels.join('.'));
  const ordinary = fc.oneof(
    fc.emailAddress(),
    fc
      .tuple(
        fc.stringMatching(/^[a-z0-9!#$%&'*+/=?^_`{|}~-]{1,20}$/),
        domain.filter((name) => /^(?!.*(^|\.)\d+$)./.test(domainToASCII(name))),
      )
      .map((sides) => sides.join('@')),
  );
  await holds(200, [ordinary], (text) => {
    const [local, domain = ''] = text.split('@');
    fc.pre(text.length < 200 && !text.startsWith('-'));
    expect(parseAddress(text)).toBe(`${local}@${domainToASCII(domain)}`);
  });
});

const name = fc
  .oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
    fc.constantFrom('Acme, Inc.', 'Anna "Ann" Berg', 'a\\b', 'a <b@c.example>', '(x)', ':;@', 'Grüße 👋'),
  )
  .map((text) => text.replaceAll(/[\0-\x1f\x7f-\x9f\u2028\u2029]/g, '').trim())
  .filter((text) => text !== '' && !text.includes('=?'));
const address = fc.constantFrom('a@b.example', 'forms+x@acme.example', 'v@xn--bcher-kva.example');
const mailbox = fc.oneof(address, fc.record({ name, address }));

property('a mailbox written as RFC 5322 has it reads as it was', 50, [mailbox], (one) => {
  expect(parseMailbox(mailboxText(one))).toEqual(one);
});

test('a list is split at its commas, but not at commas in names', () =>
  holds(50, [fc.array(mailbox, { minLength: 1, maxLength: 5 })], (list) => {
    expect(mailboxParts(list.map(mailboxText).join(', ')).map(parseMailbox)).toEqual(list);
  }));

test('any text is one mailbox or none, and the address of a mailbox needs no quotes', () =>
  holds(50, [fc.string({ unit: 'binary', maxLength: 60 })], (text) => {
    const one = parseMailbox(text);
    if (one !== undefined) expect(addressOf(one)).toMatch(/^[\w!#$%&'*+/=?^`{|}~.-]+@[a-z\d.-]+$/);
  }));

test.each([
  ...['Anna <a@b.example', 'a@b.example>', 'Anna a@b.example', '<a@b.example> Anna'],
  ...['a\r\nBcc: x <a@b.example>', '=?utf-8?q?x?= <a@b.example>', 'A <a@b.example>, b@c.example'],
  ...['"A" B <a@b.example>', ''],
])('not a mailbox: %j', (text) => expect(parseMailbox(text)).toBeUndefined());
