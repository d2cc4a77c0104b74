import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';
import { sealOverhead } from './sealed_size.ts';

/** The uses of sealed bytes. Each derives its own keys, so a text sealed for one use never opens for another. */
export type SealUse = 'double opt-in' | 'sent page' | 'link';

/**
 * Bytes that travel through the hands of others: nobody can read them, and what is opened is what was sealed, for this form,
 * for this use and with this secret. A version, a nonce, AES-256-GCM's text and its tag, in base64url.
 */
export function seal(
  secret: string,
  use: SealUse,
  formId: string,
  content: Uint8Array,
  fresh: string,
): string {
  const { key, nonceKey } = keysOf(secret, use);
  // Never the same for two contents, even where `fresh` is no fresh text.
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

/** The sealed content; `undefined` if it was not sealed here, for this use and form. */
export function open(secret: string, use: SealUse, formId: string, sealed: string): Uint8Array | undefined {
  if (!/^[\w-]+$/.test(sealed) || sealed.length > longestSealed) return undefined;
  const bytes = Buffer.from(sealed, 'base64url');
  // Two texts can be base64url of the same bytes, and only one of them was sent.
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

const algorithm = 'aes-256-gcm';
const version = 1;
const nonceLength = 12;
const tagLength = 16;

/** Longer than any link. */
const longestSealed = 4_096;

const aboutForm = (formId: string) => Buffer.from(`${String.fromCharCode(version)}${formId}`);

interface Keys {
  readonly key: Uint8Array;
  readonly nonceKey: Uint8Array;
}

const latest = new Map<SealUse, Keys & { readonly secret: string }>();

/** RFC 5869: keys of their own, so that nothing that the secret signs elsewhere says anything about them. */
function keysOf(secret: string, use: SealUse): Keys {
  const known = latest.get(use);
  if (known?.secret === secret) return known;
  const derived = Buffer.from(hkdfSync('sha256', secret, '', `form-relay ${use}`, 64));
  const keys = { secret, key: derived.subarray(0, 32), nonceKey: derived.subarray(32) };
  latest.set(use, keys);
  return keys;
}
