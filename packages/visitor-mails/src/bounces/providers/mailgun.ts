/** Mailgun: https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/securing-webhooks */
import { createHash, createHmac } from 'node:crypto';
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

export const mailgun: Provider<NonNullable<Bounces['mailgun']>> = {
  summary: 'Takes webhooks of Mailgun.',
  keys: {
    signing_key_env: required(
      'The environment variable with Mailgun’s HTTP webhook signing key.',
      secretVariable(),
    ),
  },
  example: '{signing_key_env: MAILGUN_SIGNING_KEY}',
  variables: ['signing_key_env'],
  probe: ({ settings, services }) => {
    const key = services.env(settings.signing_key_env);
    if (!key) return undefined;
    const [timestamp, token] = [
      String(Math.floor(services.now() / 1_000)),
      createHash('sha256').update(`${services.now()}`).digest('hex').slice(0, tokenDigits),
    ];
    const signature = signatureOf(key, timestamp, token);
    const body = JSON.stringify({
      signature: { timestamp, token, signature },
      'event-data': { event: 'opened' },
    });
    return { headers: {}, body };
  },
  receive: ({ settings, body, services }) => {
    const key = services.env(settings.signing_key_env);
    if (!key) return refused('unset');
    const report = mapOf(parseJson(body));
    const signed = mapOf(report.signature);
    const [timestamp, token, signature] = [signed.timestamp, signed.token, signed.signature].map(textOf);
    if (!timestamp || !token || !signature) return refused('unsigned');
    // The signature joins them without a boundary: in other forms, part of one would pass for part of the other.
    if (!isSeconds(timestamp) || !isToken(token)) return refused('forged');
    if (!isSame(signature, signatureOf(key, timestamp, token))) return refused('forged');
    const now = services.now();
    if (!isTimely(Number(timestamp) * 1_000, now)) return refused('stale');
    const data = mapOf(report['event-data']);
    const event = eventIn(data, token, now);
    return { kind: 'events', events: event ? [event] : [], signed: { token, event: JSON.stringify(data) } };
  },
};

const tokenDigits = 50;
const isToken = (text: string) => text.length === tokenDigits && /^[0-9a-f]+$/.test(text);

const signatureOf = (key: string, timestamp: string, token: string) =>
  createHmac('sha256', key).update(`${timestamp}${token}`).digest('hex');

function eventIn(data: Readonly<Record<string, unknown>>, token: string, now: number): MailEvent | undefined {
  const { event, severity, reason } = data;
  const status = mapOf(data['delivery-status']);
  const code = codeIn(status['enhanced-code'], status.message);
  const about = {
    id: textOf(data.id) || token,
    recipient: { address: textOf(data.recipient) },
    at: timeOf(data.timestamp, now),
    code,
    requestId: requestIdIn(mapOf(mapOf(data.message).headers)['message-id']),
  };
  if (event === 'complained') return { ...about, kind: 'complaint' };
  if (event !== 'failed') return undefined;
  if (reason === 'suppress-complaint') return { ...about, kind: 'complaint' };
  if (severity !== 'permanent') return { ...about, kind: 'soft' };
  // Permanent failures include retries that ran out (`old`) and blocks by the receiver (`espblock`).
  return { ...about, kind: kindOf(reason === 'bounce' || reason === 'suppress-bounce', code) };
}
