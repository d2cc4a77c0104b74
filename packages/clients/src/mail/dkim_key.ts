import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { failed } from './failures.ts';

/** Verifiers must reject shorter keys (RFC 8301, 3.2). */
const leastBits = 1_024;

/** A relay has a few keys. The limit is for one whose environment changes all the time. */
const mostKept = 100;
const kept = new Map<string, KeyObject>();

/** Reads a key to sign mails. Throws a `ClientError` for a malformed one, without its text. */
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
    // A variable on one line has \n for each line break.
    return createPrivateKey(pem.replaceAll('\\n', '\n').trim());
  } catch {
    return undefined;
  }
}

/** The public key of a private one, in base64 for the DNS (RFC 6376, 3.6.1). Throws like `readDkimKey`. */
export const publicDkimKey = (pem: string): string =>
  createPublicKey(readDkimKey(pem)).export({ type: 'spki', format: 'der' }).toString('base64');
