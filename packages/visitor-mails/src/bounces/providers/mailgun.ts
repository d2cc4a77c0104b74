/** Mailgun: https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/securing-webhooks */
import { createHmac } from 'node:crypto';
import {
  codeIn,
  isSame,
  isSeconds,
  isTimely,
  type Json,
  kindOf,
  mapOf,
  type Provider,
  type Reported,
  refused,
  reported,
  requestIdIn,
  textOf,
  timeOf,
  withSecret,
} from './provider.ts';

export const mailgun: Provider = {
  summary: 'Takes webhooks of Mailgun.',
  ...withSecret(
    'signing_key_env',
    'The environment variable with Mailgun’s HTTP webhook signing key.',
    'MAILGUN_SIGNING_KEY',
  ),
  receive: ({ secret, json, now }) => {
    const report = mapOf(json);
    const signed = mapOf(report.signature);
    const [timestamp, token, signature] = [signed.timestamp, signed.token, signed.signature].map(textOf);
    if (!timestamp || !token || !signature) return refused('unsigned');
    // The signature joins them without a boundary: in other forms, part of one would pass for part of the other.
    if (!isSeconds(timestamp) || !isToken(token)) return refused('forged');
    if (!isSame(signature, signatureOf(secret, timestamp, token))) return refused('forged');
    if (!isTimely(Number(timestamp) * 1_000, now)) return refused('stale');
    const data = mapOf(report['event-data']);
    return { ...reported([eventIn(data, token, now)]), signed: { token, event: JSON.stringify(data) } };
  },
};

const isToken = (text: string) => /^[0-9a-f]{50}$/.test(text);

const signatureOf = (key: string, timestamp: string, token: string) =>
  createHmac('sha256', key).update(`${timestamp}${token}`).digest('hex');

function eventIn(data: Json, token: string, now: number): Reported {
  const status = mapOf(data['delivery-status']);
  const code = codeIn(status['enhanced-code'], status.message);
  return {
    id: textOf(data.id) || token,
    kind: kindIn(data, code),
    recipient: { address: textOf(data.recipient) },
    at: timeOf(data.timestamp, now),
    code,
    requestId: requestIdIn(mapOf(mapOf(data.message).headers)['message-id']),
  };
}

function kindIn({ event, severity, reason }: Json, code: string | undefined): Reported['kind'] {
  if (event === 'complained') return 'complaint';
  if (event !== 'failed') return undefined;
  if (reason === 'suppress-complaint') return 'complaint';
  if (severity !== 'permanent') return undefined;
  // Permanent failures include retries that ran out (`old`) and blocks by the receiver (`espblock`).
  return kindOf(reason === 'bounce' || reason === 'suppress-bounce', code);
}
