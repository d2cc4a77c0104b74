/** Reading arbitrary text as a solution never throws, and accepts a genuine one. */
import fc from 'fast-check';
import { holds } from '../../../test/support/fuzz.ts';
import { decode, encode, solve } from '../../../test/support/puzzles.ts';
import { makeChallenge, readSolution, solutionFor, typedNumber } from '../src/proof/challenge.ts';

const secret = 'a secret of many characters';
const now = Date.UTC(2030, 0, 1);

const formId = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 });
const puzzle = fc.record({
  nonce: fc.uuid(),
  expiresAt: fc.integer({ min: now + 1_000, max: now + 86_400_000 }),
  most: fc.integer({ min: 0, max: 200 }),
});

test('every puzzle has one solution, and searching finds the same one as computing', () =>
  holds(20, [formId, puzzle], (form, about) => {
    const payload = solve(makeChallenge(secret, form, about));
    expect(readSolution(secret, form, payload, now)).toMatchObject({ code: 'solved', most: about.most });
    const { took: _, ...sent } = decode(payload);
    expect(decode(solutionFor(secret, form, about))).toEqual(sent);
  }));

test('a solution is valid for one form, however names are spelled', () =>
  holds(20, [formId, formId, puzzle], (one, other, about) => {
    fc.pre(one !== other);
    const payload = solutionFor(secret, one, about);
    expect(readSolution(secret, other, payload, now)).toEqual({ code: 'other_form' });
  }));

const part = fc.oneof(fc.string(), fc.integer(), fc.double(), fc.constant(null));

test('anything else is rejected, and nothing is thrown', async () => {
  const changed = fc.record<Record<string, unknown>>(
    { algorithm: part, challenge: part, salt: part, number: part, signature: part, extra: part },
    { requiredKeys: [] },
  );
  await holds(50, [fc.oneof(fc.string({ unit: 'binary' }), changed), puzzle], (sent, about) => {
    const genuine = decode(solutionFor(secret, 'contact', about));
    const payload = typeof sent === 'string' ? sent : encode({ ...genuine, ...sent });
    const { extra: _, ...changes } = typeof sent === 'string' ? { nothing: true } : sent;
    const isSame = JSON.stringify({ ...genuine, ...changes }) === JSON.stringify(genuine);
    expect(readSolution(secret, 'contact', payload, now).code === 'solved').toBe(isSame);
  });
});

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
