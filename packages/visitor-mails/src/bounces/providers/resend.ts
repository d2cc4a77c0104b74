/** Resend, whose webhooks are signed by Svix: https://docs.svix.com/receiving/verifying-payloads/how-manual */
import { createHmac } from 'node:crypto';
import {
  codeIn,
  isSame,
  isSeconds,
  isTimely,
  type Json,
  kindOf,
  mapOf,
  mostRecipients,
  type Provider,
  type Reported,
  refused,
  reported,
  requestIdIn,
  textOf,
  timeOf,
  withSecret,
} from './provider.ts';

/** Svix signs each try with a time of its own. */
const mostMs = 300_000;

export const resend: Provider = {
  summary: 'Takes webhooks of Resend.',
  ...withSecret(
    'secret_env',
    'The environment variable with the webhook’s signing secret (`whsec_…`).',
    'RESEND_WEBHOOK_SECRET',
  ),
  receive: ({ secret, body, json, headers, now }) => {
    const key = keyIn(secret);
    if (!key) return refused('unset');
    const { 'svix-id': id, 'svix-timestamp': timestamp, 'svix-signature': signatures } = headers;
    if (!id || !timestamp || !signatures) return refused('unsigned');
    // Dots join id, timestamp and body.
    if (id.includes('.') || !isSeconds(timestamp)) return refused('forged');
    const expected = signatureOf(key, id, timestamp, body);
    const given = signatures.split(' ').slice(0, 10);
    if (!given.some((one) => isSame(one, `v1,${expected}`))) return refused('forged');
    const at = Number(timestamp) * 1_000;
    if (!isTimely(at, now, mostMs) || at > now + mostMs) return refused('stale');
    return reported([eventIn(mapOf(json), id, now)]);
  },
};

/** Svix makes keys of 24 bytes or more. What decodes to fewer is something else, down to an empty key that anybody can sign with. */
const leastBytes = 16;

function keyIn(secret: string): Buffer | undefined {
  const key = Buffer.from(secret.trim().replace(/^whsec_/, ''), 'base64');
  return key.length < leastBytes ? undefined : key;
}

const signatureOf = (key: Buffer, id: string, timestamp: string, body: Buffer) =>
  createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');

function eventIn(report: Json, id: string, now: number): Reported {
  const data = mapOf(report.data);
  const bounce = mapOf(data.bounce);
  const code = codeIn(bounce.message);
  const isHard = ['', 'Permanent'].includes(textOf(bounce.type));
  const to = [data.to].flat().slice(0, mostRecipients).map(textOf);
  const [address = ''] = to;
  return {
    id,
    kind: report.type === 'email.bounced' ? kindOf(isHard, code) : kinds.get(report.type),
    recipient: to.length > 1 ? { oneOf: to } : { address },
    at: timeOf(report.created_at, now),
    code,
    requestId: requestIdIn(data.message_id),
  };
}

const kinds = new Map<unknown, Reported['kind']>([
  // Resend no longer mails the address, after an earlier bounce or complaint.
  ['email.suppressed', 'hard'],
  ['email.complained', 'complaint'],
]);
