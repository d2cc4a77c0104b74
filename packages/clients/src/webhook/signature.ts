import { createHmac, type Hmac } from 'node:crypto';
import type { Streamed } from '@form-relay/base/streamed';
import { yieldingPieces } from '../socket.ts';
import { readSecret } from './secret.ts';

export interface UnsignedWebhook {
  /** The same for every try. Without a dot, which separates the signed parts. */
  readonly id: string;
  /** The time of this try in Unix seconds. */
  readonly timestamp: number;
  readonly body: string;
  /** The owner's secrets, newest first: a receiver accepts a signature by any of its own. */
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
