import { createHmac } from 'node:crypto';
import { readSecret } from './webhook_secret.ts';

export interface UnsignedWebhook {
  /** The same at every try. Without a dot, which would leave open where it ends. */
  readonly id: string;
  /** Of this try, in Unix seconds. */
  readonly timestamp: number;
  /** As it is sent. */
  readonly body: string;
  /** As the owner has them, the newest first: a receiver takes a request that any of its own has signed. */
  readonly secrets: readonly string[];
}

/** The headers of Standard Webhooks. Throws a `ClientError` for what is no secret. */
export function signWebhook({
  id,
  timestamp,
  body,
  secrets,
}: UnsignedWebhook): Readonly<Record<SignatureHeader, string>> {
  const signatures = secrets.map(
    (secret) => `v1,${signatureOf(id, String(timestamp), body, readSecret(secret, '`sign.secret`'))}`,
  );
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}

/** HMAC-SHA-256 over all three, in base64. */
export const signatureOf = (
  id: string,
  timestamp: string,
  body: string | Uint8Array,
  key: Uint8Array,
): string => createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');

export const signatureHeaders = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;
export type SignatureHeader = (typeof signatureHeaders)[number];
