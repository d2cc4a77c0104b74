import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bodyWords } from '../src/answer_words.ts';
import { Secrets } from '../src/secrets.ts';
import { KnownSecrets } from '../src/test_services.ts';

test('an answer is one bounded line that a terminal shows as it is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (body) => {
      const words = bodyWords(body, new Secrets());
      expect(words.length).toBeLessThanOrEqual(161);
      expect(words).toMatch(/^[^\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]*$/u);
    }),
  );
});

const secret = fc.stringMatching(/^[A-Za-z0-9_-]{16,40}$/);
const text = fc.string({ maxLength: 200 });

test('no answer shows a variable, a credential or a part of a secret address, wherever it is cut', async () => {
  await fc.assert(
    fc.asyncProperty(secret, secret, secret, text, text, async (variable, token, part, before, after) => {
      const known = new KnownSecrets();
      const env = known.env((name) => ({ A: variable, B: `https://chat.example/hooks/${part}` })[name]);
      env('A');
      env('B');
      const http = known.http(async () => ({ status: 200, headers: {}, body: '' }));
      await http({
        url: new URL('https://crm.example/'),
        headers: { authorization: `Bearer ${token}` },
        body: '',
        timeoutMs: 1,
      });
      const said = bodyWords(`${before} ${variable} ${token} ${part} ${after}`, known.mask);
      for (const one of [variable, token, part]) expect(said).not.toContain(one.slice(0, 12));
    }),
  );
});
