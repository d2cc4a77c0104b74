/** Twilio SendGrid: https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/getting-started-event-webhook-security-features */
import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { required, textSchema } from '@form-relay/core/kit';
import {
  codeIn,
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
    return reported(json.map((one: unknown) => eventIn(mapOf(one), now)));
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

const eventIn = (report: Json, now: number): Reported => ({
  id:
    textOf(report.sg_event_id) ||
    `${textOf(report.sg_message_id)} ${textOf(report.event)} ${textOf(report.timestamp)}`,
  kind: kindIn(report),
  recipient: { address: textOf(report.email) },
  at: timeOf(report.timestamp, now),
  code: codeOf(report),
  requestId: requestIdIn(report['smtp-id']),
});

const codeOf = ({ status, reason }: Json) => codeIn(status, reason);

function kindIn(report: Json): Reported['kind'] {
  const { event, type, reason } = report;
  // A block is temporary, whatever its code says.
  if (event === 'bounce') return type === 'blocked' ? undefined : kindOf(true, codeOf(report));
  if (event === 'spamreport') return 'complaint';
  return event === 'dropped' ? reasons.get(reason) : undefined;
}

/** For which SendGrid drops a mail. */
const reasons = new Map<unknown, Reported['kind']>([
  ['Spam Reporting Address', 'complaint'],
  ['Bounced Address', 'hard'],
  ['Invalid', 'hard'],
]);
