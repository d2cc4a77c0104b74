import { createCipheriv, createDecipheriv, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/** A version, a nonce and a tag. */
export const sealOverhead = 1 + 12 + 16;

/**
 * Encrypts bytes that travel through visitors' browsers and mails. The result opens only for the same form
 * and use, with the same secret. The parts of the result are a version, a nonce, the AES-256-GCM ciphertext
 * and its tag, in base64url.
 *
 * @param use Each use derives its own keys.
 * @param fresh A text that has never been used before.
 */
export function seal(
  secret: string,
  use: string,
  formId: string,
  content: Uint8Array,
  fresh: string,
): string {
  const { key, nonceKey } = keysOf(secret, use);
  // The nonce differs for different contents even if `fresh` was used before.
  const nonce = createHmac('sha256', nonceKey).update(`${fresh}\0`).update(content).digest();
  const cipher = createCipheriv(algorithm, key, nonce.subarray(0, nonceLength));
  cipher.setAAD(aboutForm(formId));
  const text = [cipher.update(content), cipher.final()];
  return Buffer.concat([
    Buffer.of(version),
    nonce.subarray(0, nonceLength),
    ...text,
    cipher.getAuthTag(),
  ]).toString('base64url');
}

/**
 * The sealed content. `undefined` if it was not sealed with this secret, for this use and form.
 *
 * @param most The maximum length in characters. Default: twice the longest link in a mail.
 */
export function unseal(
  secret: string,
  use: string,
  formId: string,
  sealed: string,
  most = 4_096,
): Uint8Array | undefined {
  if (!/^[\w-]+$/.test(sealed) || sealed.length > most) return undefined;
  const bytes = Buffer.from(sealed, 'base64url');
  // Two texts can decode to the same bytes in base64url, but only one of them was issued.
  if (bytes.length < sealOverhead || bytes[0] !== version || bytes.toString('base64url') !== sealed)
    return undefined;
  const decipher = createDecipheriv(algorithm, keysOf(secret, use).key, bytes.subarray(1, 1 + nonceLength), {
    authTagLength: tagLength,
  });
  decipher.setAAD(aboutForm(formId));
  decipher.setAuthTag(bytes.subarray(-tagLength));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(1 + nonceLength, -tagLength)), decipher.final()]);
  } catch {
    return undefined;
  }
}

/** Signs a text that anyone may read, for one use. Returns base64url. */
export const sign = (secret: string, use: string, text: string): string =>
  createHmac('sha256', keysOf(secret, `${use} signature`).key)
    .update(text)
    .digest('base64url');

export function verify(secret: string, use: string, text: string, signature: string): boolean {
  const [right, given] = [sign(secret, use, text), signature].map((one) => Buffer.from(one));
  return right !== undefined && given?.length === right.length && timingSafeEqual(given, right);
}

const algorithm = 'aes-256-gcm';
const version = 1;
const nonceLength = 12;
const tagLength = 16;

const aboutForm = (formId: string) => Buffer.from(`${String.fromCharCode(version)}${formId}`);

interface Keys {
  readonly key: Uint8Array;
  readonly nonceKey: Uint8Array;
}

const latest = new Map<string, Keys & { readonly secret: string }>();

/** Derives keys by RFC 5869, so that other uses of the secret reveal nothing about them. */
function keysOf(secret: string, use: string): Keys {
  const known = latest.get(use);
  if (known?.secret === secret) return known;
  const derived = Buffer.from(hkdfSync('sha256', secret, '', `form-relay ${use}`, 64));
  const keys = { secret, key: derived.subarray(0, 32), nonceKey: derived.subarray(32) };
  latest.set(use, keys);
  return keys;
}
