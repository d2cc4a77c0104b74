/** Twilio SendGrid: https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/getting-started-event-webhook-security-features */
import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { required, textSchema } from '@form-relay/core/kit';
import {
  codeIn,
  isSeconds,
  isTimely,
  type Json,
  kindOf,
  type MailEvent,
  mapOf,
  type Provider,
  refused,
  reported,
  requestIdIn,
  textOf,
  timeOf,
} from './provider.ts';

export const sendgrid: Provider = {
  summary: 'Takes signed event webhooks of SendGrid.',
  keys: {
    public_key: required(
      'The verification key that SendGrid shows for the webhook. It is no secret.',
      textSchema((found, at) =>
        keyOf(found)
          ? found
          : at.error(
              'expected the verification key that SendGrid shows for the webhook, such as MFkwEwYHKoZIzj0CAQYI…',
            ),
      ),
    ),
  },
  example: '{public_key: MFkwEwYHKoZIzj0CAQYI…}',
  receive: ({ settings, body, json, headers, now }) => {
    const signature = headers['x-twilio-email-event-webhook-signature'];
    const timestamp = headers['x-twilio-email-event-webhook-timestamp'];
    const key = keyOf(textOf(settings.public_key));
    if (!signature || !timestamp || !key) return refused('unsigned');
    // Joined to the body without a boundary.
    if (!isSeconds(timestamp)) return refused('forged');
    const signed = Buffer.concat([Buffer.from(timestamp), body]);
    if (!verify('sha256', signed, key, Buffer.from(signature, 'base64'))) return refused('forged');
    if (!isTimely(Number(timestamp) * 1_000, now)) return refused('stale');
    if (!Array.isArray(json)) return refused('malformed');
    return reported(json.flatMap((one: unknown) => eventIn(mapOf(one), now)));
  },
};

/** `undefined` if it is no key of the curve that SendGrid signs with. */
function keyOf(spki: string): KeyObject | undefined {
  try {
    const key = createPublicKey({ key: Buffer.from(spki, 'base64'), format: 'der', type: 'spki' });
    return key.asymmetricKeyType === 'ec' ? key : undefined;
  } catch {
    return undefined;
  }
}

function eventIn(report: Json, now: number): readonly MailEvent[] {
  const kind = kindIn(report);
  if (kind === undefined) return [];
  const event = {
    id:
      textOf(report.sg_event_id) ||
      `${textOf(report.sg_message_id)} ${textOf(report.event)} ${textOf(report.timestamp)}`,
    kind,
    recipient: { address: textOf(report.email) },
    at: timeOf(report.timestamp, now),
    code: codeOf(report),
    requestId: requestIdIn(report['smtp-id']),
  };
  return [event];
}

const codeOf = ({ status, reason }: Json) => codeIn(status, reason);

function kindIn(report: Json): MailEvent['kind'] | undefined {
  switch (report.event) {
    case 'bounce':
      // A block is temporary, whatever its code says.
      return report.type === 'blocked' ? 'soft' : kindOf(true, codeOf(report));
    case 'dropped':
      if (report.reason === 'Spam Reporting Address') return 'complaint';
      return report.reason === 'Bounced Address' || report.reason === 'Invalid' ? 'hard' : undefined;
    case 'deferred':
      return 'soft';
    case 'spamreport':
      return 'complaint';
    default:
      return undefined;
  }
}
