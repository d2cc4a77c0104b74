import { createHmac } from 'node:crypto';

/** The signature of Standard Webhooks, in base64. */
export const signatureOf = (id: string, timestamp: string, body: string | Uint8Array, key: Uint8Array) =>
  createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
