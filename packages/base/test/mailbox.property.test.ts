import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../test/support/fuzz.ts';
import { submittedName } from '../../more-outputs/src/mail_headers.ts';
import { addressOf, mailboxParts, mailboxText, parseMailbox } from '../src/address.ts';

const name = fc
  .oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
    fc.constantFrom('Acme, Inc.', 'Anna "Ann" Berg', 'a\\b', 'a <b@c.example>', '(x)', ':;@', 'Grüße 👋'),
  )
  .map((text) => text.replaceAll(/[\0-\x1f\x7f-\x9f\u2028\u2029]/g, '').trim())
  .filter((text) => text !== '' && !text.includes('=?'));
const address = fc.constantFrom('a@b.example', 'forms+x@acme.example', 'v@xn--bcher-kva.example');
const mailbox = fc.oneof(address, fc.record({ name, address }));

test('a mailbox written as RFC 5322 has it reads as it was', () => {
  fc.assert(
    fc.property(mailbox, (one) => {
      expect(parseMailbox(mailboxText(one))).toEqual(one);
    }),
    runs(50),
  );
});

test('a list is taken apart at its commas, but not at those of names', () => {
  fc.assert(
    fc.property(fc.array(mailbox, { minLength: 1, maxLength: 5 }), (list) => {
      expect(mailboxParts(list.map(mailboxText).join(', ')).map(parseMailbox)).toEqual(list);
    }),
    runs(50),
  );
});

test('any text is one mailbox or none, and what is one has an address that needs no quoting', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
      const one = parseMailbox(text);
      if (one !== undefined) expect(addressOf(one)).toMatch(/^[\w!#$%&'*+/=?^`{|}~.-]+@[a-z\d.-]+$/);
    }),
    runs(50),
  );
});

test.each([
  'Anna <a@b.example',
  'a@b.example>',
  'Anna a@b.example',
  '<a@b.example> Anna',
  'a\r\nBcc: x <a@b.example>',
  '=?utf-8?q?x?= <a@b.example>',
  'A <a@b.example>, b@c.example',
  '"A" B <a@b.example>',
  '',
])('no mailbox: %j', (text) => {
  expect(parseMailbox(text)).toBeUndefined();
});

test('a name that visitors wrote stays on one line, and holds neither an address nor an encoded word', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      const written = submittedName(text);
      expect(written).not.toMatch(/[\0-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069<>"\\]|=\?/);
      expect(written.length).toBeLessThanOrEqual(100);
    }),
    runs(50),
  );
});
