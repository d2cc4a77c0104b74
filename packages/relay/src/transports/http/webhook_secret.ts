import { failed } from '../../base/client_error.ts';

/** What a webhook is signed with is written as this and base64 (Standard Webhooks, "Signature scheme"). */
export const secretPrefix = 'whsec_';

const leastSecretBytes = 24;
const mostSecretBytes = 64;

/** A relay has a few secrets; this bounds one whose environment changes all the time. */
const mostKept = 100;
const kept = new Map<string, Buffer>();

/** The bytes that a secret stands for. Throws a `ClientError` that calls it by its name, and never shows it. */
export function readSecret(written: string, name: string): Buffer {
  const known = kept.get(written);
  if (known) return known;
  // A secret that was read from a file often ends with a line break.
  const text = written.trim();
  const base64 = text.startsWith(secretPrefix) ? text.slice(secretPrefix.length) : '';
  const bytes = Buffer.from(base64, 'base64');
  // Buffer leaves out what is no base64. Two texts for the same bytes are one mistake away from each other.
  if (base64 === '' || bytes.toString('base64') !== base64)
    throw failed('signing_secret_malformed', { name });
  if (bytes.length < leastSecretBytes || bytes.length > mostSecretBytes)
    throw failed('signing_secret_of_wrong_size', { name, bytes: bytes.length });
  if (kept.size >= mostKept) kept.clear();
  kept.set(written, bytes);
  return bytes;
}
