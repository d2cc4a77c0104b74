import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { holds, property } from '../../../../test/support/fuzz.ts';
import { readSecret, signWebhook } from '../../src/webhook/signature.ts';

const secretOf = (bytes: Uint8Array) => `whsec_${Buffer.from(bytes).toString('base64')}`;

const anySecret = fc.uint8Array({ minLength: 24, maxLength: 64 }).map(secretOf);
/** Includes lone surrogates, which are U+FFFD in both the sent and the signed text. */
const anyText = fc.array(fc.nat(0xffff)).map((units) => String.fromCharCode(...units));
const anyWebhook = fc.record({
  id: fc.uuid().map((id) => `${id}-0`),
  timestamp: fc.integer({ min: 0, max: 4_000_000_000 }),
  body: anyText,
});

describe('the package standardwebhooks', () => {
  property('signs the same', 30, [anyWebhook, anySecret], (webhook, secret) => {
    const signed = signWebhook({ ...webhook, secrets: [secret] });
    const sentAt = new Date(webhook.timestamp * 1_000);
    const sentBytes = Buffer.from(webhook.body);
    expect(signed['webhook-signature']).toBe(new Webhook(secret).sign(webhook.id, sentAt, sentBytes));
  });

  test('accepts what is signed, with the new secret and with the old one', async () => {
    const timestamp = Math.floor(Date.now() / 1_000);
    await holds(20, [anyWebhook, anySecret, anySecret], (webhook, first, second) => {
      const headers = signWebhook({ ...webhook, timestamp, secrets: [first, second] });
      expect(headers['webhook-signature']).toMatch(/^v1,[^ ]{44} v1,[^ ]{44}$/);
      for (const secret of [first, second])
        new Webhook(secret).verify(Buffer.from(webhook.body), { ...headers }, { jsonParse: false });
    });
  });
});

test('a secret is whsec_ and the base64 of 24 to 64 bytes; white space around it is ignored', () =>
  holds(
    20,
    [fc.uint8Array({ minLength: 24, maxLength: 64 }), fc.constantFrom('', ' ', '\n', '\r\n')],
    (key, space) => {
      expect(readSecret(space + secretOf(key) + space, 'HOOK_SECRET')).toEqual(Buffer.from(key));
    },
  ));
