import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../test/support/fuzz.ts';
import { issueToken, readToken } from '../src/features/form_token.ts';

const text = fc.string({ unit: 'binary', maxLength: 12 });
const token = fc.record({
  issuedAt: fc.nat({ max: 4_102_444_800_000 }),
  waitedMs: fc.nat({ max: 86_400_000 }),
});

test('a token is what was issued, only for its form and its secret', () => {
  fc.assert(
    fc.property(text, text, token, text, (secret, form, claims, other) => {
      const issued = issueToken(secret, form, claims);
      expect(issued).toMatch(/^[\w.-]{1,66}$/);
      expect(readToken(secret, form, issued)).toEqual(claims);
      if (other !== form) expect(readToken(secret, other, issued)).toBeUndefined();
      // HMAC pads a short key with NULs.
      if (other.replace(/\0+$/, '') !== secret.replace(/\0+$/, '')) {
        expect(readToken(other, form, issued)).toBeUndefined();
      }
    }),
    runs(100),
  );
});

test('a token with any character changed, and any other text, is none', () => {
  const base = fc.constantFrom(...'.-_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ= \n');
  fc.assert(
    fc.property(
      token,
      fc.nat(),
      base,
      fc.constantFrom('replace', 'insert', 'cut'),
      text,
      (claims, at, some, how, other) => {
        const issued = issueToken('secret', 'form', claims);
        const index = at % (issued.length + 1);
        const changed =
          how === 'cut'
            ? issued.slice(0, index)
            : issued.slice(0, index) + some + issued.slice(index + (how === 'replace' ? 1 : 0));
        if (changed !== issued) expect(readToken('secret', 'form', changed)).toBeUndefined();
        expect(readToken('secret', 'form', other)).toBeUndefined();
      },
    ),
    runs(200),
  );
});
