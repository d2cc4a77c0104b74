/** Resend, whose webhooks are signed by Svix: https://docs.svix.com/receiving/verifying-payloads/how-manual */
import { createHmac } from 'node:crypto';
import { required, secretVariable } from '@form-relay/core/kit';
import type { Bounces, MailEvent } from '../types.ts';
import {
  codeIn,
  isSame,
  isSeconds,
  isTimely,
  kindOf,
  mapOf,
  type Provider,
  parseJson,
  refused,
  requestIdIn,
  textOf,
  timeOf,
} from './provider.ts';

/** Svix signs each try with a time of its own. */
const mostMs = 300_000;

/** A mail has 50 recipients at most. */
const mostRecipients = 50;

export const resend: Provider<NonNullable<Bounces['resend']>> = {
  summary: 'Takes webhooks of Resend.',
  keys: {
    secret_env: required(
      'The environment variable with the webhook’s signing secret (`whsec_…`).',
      secretVariable(),
    ),
  },
  example: '{secret_env: RESEND_WEBHOOK_SECRET}',
  variables: ['secret_env'],
  probe: ({ settings, services }) => {
    const secret = keyIn(services.env(settings.secret_env));
    if (!secret) return undefined;
    const [id, timestamp] = ['msg_probe', String(Math.floor(services.now() / 1_000))];
    const body = '{"type":"email.opened"}';
    const signature = `v1,${signatureOf(secret, id, timestamp, Buffer.from(body))}`;
    return { headers: { 'svix-id': id, 'svix-timestamp': timestamp, 'svix-signature': signature }, body };
  },
  receive: ({ settings, body, headers, services }) => {
    const secret = keyIn(services.env(settings.secret_env));
    if (!secret) return refused('unset');
    const { 'svix-id': id, 'svix-timestamp': timestamp, 'svix-signature': signatures } = headers;
    if (!id || !timestamp || !signatures) return refused('unsigned');
    // Dots join id, timestamp and body.
    if (id.includes('.') || !isSeconds(timestamp)) return refused('forged');
    const expected = signatureOf(secret, id, timestamp, body);
    const given = signatures.split(' ').slice(0, 10);
    if (!given.some((one) => isSame(one, `v1,${expected}`))) return refused('forged');
    const now = services.now();
    const at = Number(timestamp) * 1_000;
    if (!isTimely(at, now, mostMs) || at > now + mostMs) return refused('stale');
    const report = mapOf(parseJson(body));
    return { kind: 'events', events: eventsIn(report, id, now) };
  },
};

/** Svix makes keys of 24 bytes or more. What decodes to fewer is something else, down to an empty key that anybody can sign with. */
const leastBytes = 16;

function keyIn(secret: string | undefined): Buffer | undefined {
  const key = Buffer.from((secret ?? '').trim().replace(/^whsec_/, ''), 'base64');
  return key.length < leastBytes ? undefined : key;
}

const signatureOf = (key: Buffer, id: string, timestamp: string, body: Buffer) =>
  createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');

function eventsIn(report: Readonly<Record<string, unknown>>, id: string, now: number): readonly MailEvent[] {
  const data = mapOf(report.data);
  const bounce = mapOf(data.bounce);
  const code = codeIn(bounce.message);
  const kind = kindIn(report.type, textOf(bounce.type), code);
  if (kind === undefined) return [];
  const to = [data.to].flat().slice(0, mostRecipients).map(textOf);
  const [address = ''] = to;
  const event: MailEvent = {
    id,
    kind,
    recipient: to.length > 1 ? { oneOf: to } : { address },
    at: timeOf(report.created_at, now),
    code,
    requestId: requestIdIn(data.message_id),
  };
  return [event];
}

function kindIn(type: unknown, bounce: string, code: string | undefined): MailEvent['kind'] | undefined {
  switch (type) {
    case 'email.bounced':
      return kindOf(bounce === '' || bounce === 'Permanent', code);
    // Resend no longer mails the address, after an earlier bounce or complaint.
    case 'email.suppressed':
      return 'hard';
    case 'email.delivery_delayed':
      return 'soft';
    case 'email.complained':
      return 'complaint';
    default:
      return undefined;
  }
}
