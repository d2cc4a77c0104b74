import { domainToASCII } from 'node:url';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../test/support/fuzz.ts';
import { parseAddress, parseRecipient } from '../src/address.ts';

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

test('an accepted text is one bare ASCII address, and stays the same', () => {
  fc.assert(
    fc.property(anyAddress, (text) => {
      const address = parseAddress(text);
      if (address === undefined) return;
      expect(address).toMatch(/^[!#-'*+/-9=?A-Z^-~.-]{1,64}@[A-Za-z0-9._-]+$/);
      expect(address).not.toMatch(/\.\.|^\.|\.@|@\./);
      expect(address.length).toBeLessThanOrEqual(254);
      expect(parseAddress(address)).toBe(address);
      expect(text.split('@')[0]).toBe(address.split('@')[0]);
    }),
    runs(500),
  );
});

test('a recipient may have letters of any language before the @, and nothing that ends an address', () => {
  fc.assert(
    fc.property(anyAddress, (text) => {
      const address = parseRecipient(text);
      if (address === undefined) return;
      expect(address).toMatch(
        /^(?!.*[\p{C}\p{Z}])[!#-'*+/-9=?A-Z^-~.\u0080-\u{10ffff}-]{1,64}@[A-Za-z0-9._-]+$/u,
      );
      expect(address).not.toMatch(/\.\.|^\.|\.@|@\./);
      expect(Buffer.byteLength(address)).toBeLessThanOrEqual(254);
      expect(parseRecipient(address)).toBe(address);
      if (/^[ -~]*@/.test(text)) expect(address).toBe(parseAddress(text));
    }),
    runs(500),
  );
});

test('a domain stands as the URL standard writes it', () => {
  const label = fc.string({ unit: fc.constantFrom(...'aZ09x-n'), minLength: 1, maxLength: 6 });
  const domain = fc.array(fc.oneof(label, fc.constantFrom('xn--', 'xn--bcher-kva', '0x1', '127', 'com')), {
    minLength: 1,
    maxLength: 4,
  });
  fc.assert(
    fc.property(
      domain.map((labels) => labels.join('.')),
      (name) => {
        const address = parseAddress(`a@${name}`);
        if (address !== undefined) expect(address).toBe(`a@${domainToASCII(name)}`);
      },
    ),
    runs(500),
  );
});

test('every ordinary address is taken, its domain in Punycode', () => {
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
  fc.assert(
    fc.property(ordinary, (text) => {
      const [local, domain = ''] = text.split('@');
      fc.pre(text.length < 200 && !text.startsWith('-'));
      expect(parseAddress(text)).toBe(`${local}@${domainToASCII(domain)}`);
    }),
    runs(200),
  );
});
