import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../../test/support/fuzz.ts';
import { readSecret, signWebhook } from '../../src/webhook/signature.ts';

const secretOf = (bytes: Uint8Array) => `whsec_${Buffer.from(bytes).toString('base64')}`;

const anySecret = fc.uint8Array({ minLength: 24, maxLength: 64 }).map(secretOf);
/** Lone surrogates too: on the wire, and in what is signed, they are U+FFFD. */
const anyText = fc.array(fc.nat(0xffff)).map((units) => String.fromCharCode(...units));
const anyWebhook = fc.record({
  id: fc.uuid().map((id) => `${id}-0`),
  timestamp: fc.integer({ min: 0, max: 4_000_000_000 }),
  body: anyText,
});

test('signs as the published vector', () => {
  const body =
    '{"type":"form.submitted","timestamp":"2023-01-19T00:13:51Z","data":{"form":"contact","fields":{"name":"Zoë & Co."}}}';
  expect(Buffer.byteLength(body)).toBe(117);
  const signed = signWebhook({
    id: 'msg_2KWPBgLlAfxdpx2AI54pPJ85f4W',
    timestamp: 1_674_087_231,
    body,
    secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  });
  expect(signed).toEqual({
    'webhook-id': 'msg_2KWPBgLlAfxdpx2AI54pPJ85f4W',
    'webhook-timestamp': '1674087231',
    'webhook-signature': 'v1,/5QKqiL5uON3wXuIwbeKW3fDWr6XAauW0fWbUxAC/Ec=',
  });
});

describe('the package standardwebhooks', () => {
  test('signs the same', () => {
    fc.assert(
      fc.property(anyWebhook, anySecret, (webhook, secret) => {
        const signed = signWebhook({ ...webhook, secrets: [secret] });
        const sentAt = new Date(webhook.timestamp * 1_000);
        const sentBytes = Buffer.from(webhook.body);
        expect(signed['webhook-signature']).toBe(new Webhook(secret).sign(webhook.id, sentAt, sentBytes));
      }),
      runs(30),
    );
  });

  test('takes what is signed, with the new secret and with the old one', () => {
    const timestamp = Math.floor(Date.now() / 1_000);
    fc.assert(
      fc.property(anyWebhook, anySecret, anySecret, (webhook, first, second) => {
        const headers = signWebhook({ ...webhook, timestamp, secrets: [first, second] });
        expect(headers['webhook-signature']).toMatch(/^v1,[^ ]{44} v1,[^ ]{44}$/);
        for (const secret of [first, second]) {
          new Webhook(secret).verify(Buffer.from(webhook.body), { ...headers }, { jsonParse: false });
        }
      }),
      runs(20),
    );
  });

  test('refuses what another secret signed', () => {
    const timestamp = Math.floor(Date.now() / 1_000);
    fc.assert(
      fc.property(anyWebhook, anySecret, anySecret, (webhook, ours, theirs) => {
        fc.pre(ours !== theirs);
        const headers = signWebhook({ ...webhook, timestamp, secrets: [ours] });
        const verify = () =>
          new Webhook(theirs).verify(Buffer.from(webhook.body), { ...headers }, { jsonParse: false });
        expect(verify).toThrow('No matching signature');
      }),
      runs(10),
    );
  });
});

describe('a secret', () => {
  test('is whsec_ and the base64 of 24 to 64 bytes; white space around it does not count', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 24, maxLength: 64 }),
        fc.constantFrom('', ' ', '\n', '\r\n'),
        (key, space) => {
          expect(readSecret(space + secretOf(key) + space, 'HOOK_SECRET')).toEqual(Buffer.from(key));
        },
      ),
      runs(20),
    );
  });
});
