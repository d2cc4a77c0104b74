import { failures } from '@form-relay/base/client_error';

const failed = failures({
  signing_secret_malformed: ({ name }: { name: string }) =>
    `${name} holds no signing secret, which is whsec_ and the base64 of 24 to 64 bytes`,
  signing_secret_of_wrong_size: ({ name, bytes }: { name: string; bytes: number }) =>
    `${name} holds a signing secret of ${bytes} bytes; it needs 24 to 64`,
});

/** The prefix of a secret, before its base64 (Standard Webhooks, "Signature scheme"). */
export const secretPrefix = 'whsec_';

const leastSecretBytes = 24;
const mostSecretBytes = 64;

/** The bytes of a secret. Throws a `ClientError` with its name, never its value. */
export function readSecret(written: string, name: string): Buffer {
  // A secret from a file often ends with a line break.
  const text = written.trim();
  const base64 = text.startsWith(secretPrefix) ? text.slice(secretPrefix.length) : '';
  const bytes = Buffer.from(base64, 'base64');
  // Buffer skips characters that are not base64, so only the exact text may pass.
  if (base64 === '' || bytes.toString('base64') !== base64)
    throw failed('signing_secret_malformed', { name });
  if (bytes.length < leastSecretBytes || bytes.length > mostSecretBytes)
    throw failed('signing_secret_of_wrong_size', { name, bytes: bytes.length });
  return bytes;
}
