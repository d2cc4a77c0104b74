/** Encryption in the age format, for keys of X25519 (age-encryption.org/v1). */

import {
  createCipheriv,
  createHmac,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import type { Streamed } from '@form-relay/core/index';

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

/** The bytes that are encrypted together (age-encryption.org/v1, "Payload"). */
const chunkBytes = 65_536;
const tagBytes = 16;
/** A piece is a write: half a megabyte takes little memory and few writes. */
const chunksAPiece = 8;

/** Encrypts as `age` does. The package `age-encryption` takes 90 ms and 25 MB to load, and ten times as long to encrypt. */
export function seal(content: Uint8Array, recipients: readonly Recipient[]): Streamed {
  // It could not be decrypted.
  if (recipients.length === 0) throw new Error('there is nobody to seal for');
  const fileKey = randomBytes(16);
  const head = `${version}\n${recipients.map((one) => stanza(fileKey, one)).join('')}---`;
  const mac = createHmac('sha256', derive(fileKey, '', 'header'))
    .update(head)
    .digest();
  const nonce = randomBytes(16);
  const start = Buffer.concat([Buffer.from(`${head} ${base64(mac)}\n`), nonce]);
  const key = derive(fileKey, nonce, 'payload');
  const chunks = Math.max(1, Math.ceil(content.length / chunkBytes));
  return {
    byteLength: start.length + content.length + chunks * tagBytes,
    *pieces() {
      let piece: Buffer[] = [start];
      for (let nth = 0; nth < chunks; nth += 1) {
        const chunk = content.subarray(nth * chunkBytes, (nth + 1) * chunkBytes);
        piece.push(...encrypt(key, chunkNonce(nth, nth === chunks - 1), chunk));
        if (nth % chunksAPiece > 0 && nth < chunks - 1) continue;
        yield Buffer.concat(piece);
        piece = [];
      }
    },
  };
}

const version = 'age-encryption.org/v1';

/** The file's key, encrypted for one recipient (age-encryption.org/v1, "The X25519 recipient type"). */
function stanza(fileKey: Buffer, { point, key }: Recipient): string {
  const { privateKey, publicKey } = generateKeyPairSync('x25519');
  const share = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
  const shared = diffieHellman({ privateKey, publicKey: key });
  const wrapKey = derive(shared, Buffer.concat([share, point]), `${version}/X25519`);
  // No other file has this key, so the nonce can be constant.
  const wrapped = Buffer.concat(encrypt(wrapKey, Buffer.alloc(12), fileKey));
  return `-> X25519 ${base64(share)}\n${base64(wrapped)}\n`;
}

/** A chunk's number in 11 bytes, and whether it is the last one (STREAM). */
function chunkNonce(nth: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUIntBE(nth, 5, 6);
  nonce[11] = isLast ? 1 : 0;
  return nonce;
}

function encrypt(key: Buffer, nonce: Buffer, clear: Uint8Array): readonly Buffer[] {
  const cipher = createCipheriv('chacha20-poly1305', key, nonce, { authTagLength: tagBytes });
  return [cipher.update(clear), cipher.final(), cipher.getAuthTag()];
}

const derive = (secret: Buffer, salt: Buffer | '', info: string) =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, 32));

/** Base64 without padding, as in age files. */
const base64 = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
