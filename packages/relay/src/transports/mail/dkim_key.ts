import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { failed } from '../../base/client_error.ts';

/** Verifiers must reject shorter keys (RFC 8301, 3.2). */
const leastBits = 1_024;

/** A relay has a few keys; this bounds one whose environment changes all the time. */
const mostKept = 100;
const kept = new Map<string, KeyObject>();

/** The key that signs mails. Throws a `ClientError` for what is none, and never shows it. */
export function readDkimKey(pem: string): KeyObject {
  const known = kept.get(pem);
  if (known) return known;
  const key = parsed(pem);
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key ?? {};
  const bits = details?.modulusLength ?? 0;
  if (!key || type !== 'rsa' || bits < leastBits) {
    throw failed('dkim_key_malformed', { found: type === 'rsa' ? `RSA of ${bits} bits` : type });
  }
  if (kept.size >= mostKept) kept.clear();
  kept.set(pem, key);
  return key;
}

function parsed(pem: string): KeyObject | undefined {
  try {
    // Some write a variable on one line, with \n for each line break.
    return createPrivateKey(pem.replaceAll('\\n', '\n').trim());
  } catch {
    return undefined;
  }
}

let madeUp: string | undefined;

/** A random key, to show what a signature looks like. */
export function madeUpDkimKey(): string {
  madeUp ??= generateKeyPairSync('rsa', { modulusLength: 2_048 })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString();
  return madeUp;
}

/** The public key of a private one, in base64, as the DNS has it (RFC 6376, 3.6.1). Throws as `readDkimKey` does. */
export const publicDkimKey = (pem: string): string =>
  createPublicKey(readDkimKey(pem)).export({ type: 'spki', format: 'der' }).toString('base64');
