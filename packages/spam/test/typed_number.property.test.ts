import fc from 'fast-check';
import { expect, test } from 'vitest';
import { typedNumber } from '../src/proof/challenge.ts';

const zeros = ['0', '\u0660', '\u06f0', '\u0966', '\uff10'];

test('four digits of any script are a number, whatever stands between them', () => {
  const digit = fc.nat(9);
  const between = fc.constantFrom('', ' ', '\u00a0', '\u200f', '.', ',');
  fc.assert(
    fc.property(
      fc.array(fc.tuple(digit, between), { minLength: 4, maxLength: 4 }),
      fc.constantFrom(...zeros),
      (typed, zero) => {
        const text = typed.map(([value, space]) => String.fromCharCode(zero.charCodeAt(0) + value) + space);
        expect(typedNumber(text.join(''))).toBe(typed.map(([value]) => value).join(''));
      },
    ),
  );
});

test('nothing else is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 30 }), (text) => {
      const digits = [...text].filter((one) => /\p{Nd}/u.test(one)).length;
      expect(typedNumber(text)).toSatisfy((number) => number === undefined || digits === 4);
    }),
  );
  expect(['', '12', '12345', '1a234', '-1234', '1234'.padEnd(21)].map(typedNumber)).toEqual(
    Array(6).fill(undefined),
  );
});
