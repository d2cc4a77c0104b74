import { createHmac, type Hmac } from 'node:crypto';
import { failures } from '@form-relay/base/client_error';
import type { Streamed } from '@form-relay/base/streamed';
import { yieldingPieces } from '../socket.ts';

const failed = failures({
  signing_secret_malformed: ({ name }: { name: string }) =>
    `${name} is not a signing secret, which is whsec_ followed by base64 of 24 to 64 bytes`,
  signing_secret_of_wrong_size: ({ name, bytes }: { name: string; bytes: number }) =>
    `${name} has a signing secret of ${bytes} bytes; expected 24 to 64`,
});

/** The prefix of a secret before its base64 (Standard Webhooks, "Signature scheme"). */
export const secretPrefix = 'whsec_';

const leastSecretBytes = 24;
const mostSecretBytes = 64;

/** The bytes of a secret. Throws a `ClientError` that has the secret's name, never its value. */
export function readSecret(written: string, name: string): Buffer {
  // A secret from a file often ends with a line break.
  const text = written.trim();
  const base64 = text.startsWith(secretPrefix) ? text.slice(secretPrefix.length) : '';
  const bytes = Buffer.from(base64, 'base64');
  // Buffer skips characters that are not base64, so compare the text.
  if (base64 === '' || bytes.toString('base64') !== base64)
    throw failed('signing_secret_malformed', { name });
  if (bytes.length < leastSecretBytes || bytes.length > mostSecretBytes)
    throw failed('signing_secret_of_wrong_size', { name, bytes: bytes.length });
  return bytes;
}

interface UnsignedWebhook {
  /** The same for every retry. Contains no dot, because dots separate the signed parts. */
  readonly id: string;
  /** The time of this attempt, in Unix seconds. */
  readonly timestamp: number;
  readonly body: string;
  /** The owner's secrets, newest first. A receiver accepts a signature with any secret that it knows. */
  readonly secrets: readonly string[];
}

type Signature = Readonly<Record<`webhook-${'id' | 'timestamp' | 'signature'}`, string>>;

/** The headers of Standard Webhooks. Throws a `ClientError` for a malformed secret. */
export function signWebhook(webhook: UnsignedWebhook): Signature {
  const hmacs = hmacsOf(webhook);
  for (const hmac of hmacs) hmac.update(webhook.body);
  return headersOf(webhook, hmacs);
}

/** Signs streamed content instead of `body`. */
export async function signStreamed(webhook: UnsignedWebhook, streamed: Streamed): Promise<Signature> {
  const hmacs = hmacsOf(webhook);
  for await (const piece of yieldingPieces(streamed)) {
    for (const hmac of hmacs) hmac.update(piece);
  }
  return headersOf(webhook, hmacs);
}

const hmacsOf = ({ id, timestamp, secrets }: UnsignedWebhook): readonly Hmac[] =>
  secrets.map((secret) =>
    createHmac('sha256', readSecret(secret, '`sign.secret`')).update(`${id}.${timestamp}.`),
  );

const headersOf = ({ id, timestamp }: UnsignedWebhook, hmacs: readonly Hmac[]): Signature => ({
  'webhook-id': id,
  'webhook-timestamp': String(timestamp),
  'webhook-signature': hmacs.map((hmac) => `v1,${hmac.digest('base64')}`).join(' '),
});
