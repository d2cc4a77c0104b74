import {
  createCipheriv,
  createHmac,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  randomBytes,
} from 'node:crypto';
import type { Streamed } from '@form-relay/core/base/streamed';
import type { Recipient } from './age_recipient.ts';

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
