import { createPublicKey, diffieHellman, generateKeyPairSync, type KeyObject } from 'node:crypto';

/** A public key to seal for: `age1…` (age-encryption.org/v1, "The X25519 recipient type"). */
export interface Recipient {
  readonly point: Buffer;
  readonly key: KeyObject;
}

/** A config names a few. The limit is for one whose file changes all the time. */
const mostKept = 100;
const kept = new Map<string, Recipient>();

export type RecipientProblem =
  | 'identity_as_recipient'
  | 'recipient_of_other_kind'
  | 'recipient_malformed'
  | 'not_a_recipient';

/** The key, or why the text is none. */
export function readRecipient(text: string): Recipient | RecipientProblem {
  const known = kept.get(text);
  if (known) return known;
  if (/^age-secret-key-/i.test(text)) return 'identity_as_recipient';
  if (/^(age1(pq|tag|tagpq|yubikey|se)1|ssh-)/.test(text)) return 'recipient_of_other_kind';
  if (!/^age1/i.test(text)) return 'not_a_recipient';
  const point = pointIn(text);
  const key = point && keyOf(point);
  if (!point || !key) return 'recipient_malformed';
  if (kept.size >= mostKept) kept.clear();
  kept.set(text, { point, key });
  return { point, key };
}

/** 52 of the 58 letters hold 32 bytes; 6 are a checksum (BIP 173, "Bech32"). */
function pointIn(text: string): Buffer | undefined {
  if (!/^age1[02-9ac-hj-np-z]{58}$/.test(text)) return undefined;
  const fives = [...text.slice(4)].map((letter) => letters.indexOf(letter));
  const prefix = [...'age'].map((letter) => letter.charCodeAt(0));
  const all = [...prefix.map((code) => code >> 5), 0, ...prefix.map((code) => code & 31), ...fives];
  if (checksum(all) !== 1) return undefined;
  const bits = fives.slice(0, 52).map((five) => five.toString(2).padStart(5, '0'));
  const bytes = bits.join('').match(/.{8}/g) ?? [];
  const padding = bits.join('').slice(256);
  return /1/.test(padding) ? undefined : Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)));
}

const letters = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const generator = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];

function checksum(fives: readonly number[]): number {
  let sum = 1;
  for (const five of fives) {
    const top = sum >>> 25;
    sum = ((sum & 0x1ffffff) << 5) ^ five;
    for (const [bit, term] of generator.entries()) if ((top >>> bit) & 1) sum ^= term;
  }
  return sum;
}

/** `undefined` for a point that gives every sender the same secret (RFC 7748, 6.1). */
function keyOf(point: Buffer): KeyObject | undefined {
  try {
    const key = createPublicKey({
      key: { kty: 'OKP', crv: 'X25519', x: point.toString('base64url') },
      format: 'jwk',
    });
    diffieHellman({ privateKey: generateKeyPairSync('x25519').privateKey, publicKey: key });
    return key;
  } catch {
    return undefined;
  }
}
