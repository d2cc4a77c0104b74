import { createPublicKey, type KeyObject } from 'node:crypto';
import { failed } from '../failures.ts';
import { LatestMap } from '../latest_map.ts';
import { readPrivateKey } from '../private_key.ts';

/** Verifiers must reject shorter keys (RFC 8301, 3.2). */
const leastBits = 1_024;

/** A relay has a few keys. The limit is for one whose environment changes all the time. */
const mostKept = 100;
const kept = new LatestMap<KeyObject>(mostKept);

/** Reads a key to sign mails. Throws a `ClientError` for a malformed one, without its text. */
export function readDkimKey(pem: string): KeyObject {
  const known = kept.get(pem);
  if (known) return known;
  const key = readPrivateKey(pem);
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key ?? {};
  const bits = details?.modulusLength ?? 0;
  if (!key || type !== 'rsa' || bits < leastBits) {
    throw failed('dkim_key_malformed', { found: type === 'rsa' ? `RSA of ${bits} bits` : type });
  }
  kept.set(pem, key);
  return key;
}

/** The public key of a private one, in base64 for the DNS (RFC 6376, 3.6.1). Throws like `readDkimKey`. */
export const publicDkimKey = (pem: string): string =>
  createPublicKey(readDkimKey(pem)).export({ type: 'spki', format: 'der' }).toString('base64');
