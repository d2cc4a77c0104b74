/** Amazon SES, through Amazon SNS: https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html */

import { array, required, textSchema } from '@form-relay/core/kit';
import { failed } from '../../failures.ts';
import { certificateProblem, isSigned, snsHostOf } from '../sns.ts';
import type { Bounces, MailEvent } from '../types.ts';
import {
  codeIn,
  isTimely,
  kindOf,
  listOf,
  mapOf,
  type Provider,
  parseJson,
  type Received,
  refused,
  requestIdIn,
  textOf,
  timeOf,
} from './provider.ts';

const topic = /^arn:aws(-cn|-us-gov)?:sns:[a-z\d-]{3,30}:\d{12}:[\w-]{1,256}$/;

/** A mail has 50 recipients at most. */
const mostRecipients = 50;

const timeoutMs = 5_000;

export const ses: Provider<NonNullable<Bounces['ses']>> = {
  summary: 'Takes events of Amazon SES that an Amazon SNS topic sends.',
  keys: {
    topics: required(
      'The ARNs of the topics. The relay confirms their subscriptions, and no others.',
      array(
        textSchema((found, at) =>
          topic.test(found)
            ? found
            : at.error(
                'expected the ARN of an Amazon SNS topic, such as arn:aws:sns:eu-west-1:123456789012:bounces',
              ),
        ),
        { least: 1 },
      ),
    ),
  },
  example: '{topics: [arn:aws:sns:eu-west-1:123456789012:bounces]}',
  variables: [],
  receive: async ({ settings, body, services }) => {
    const envelope = mapOf(parseJson(body));
    const arn = textOf(envelope.TopicArn);
    if (arn === '') return refused('malformed');
    // Anybody's topic has a signature of Amazon's. Nothing is fetched for those.
    if (!settings.topics.includes(arn)) return refused('foreign_topic');
    const problem = certificateProblem(envelope, arn);
    if (problem) return refused(problem);
    if (!(await isSigned(envelope, services))) return refused('forged');
    const now = services.now();
    if (!isTimely(Date.parse(textOf(envelope.Timestamp)), now)) return refused('stale');
    switch (envelope.Type) {
      case 'Notification':
        return { kind: 'events', events: eventsIn(envelope, now) };
      case 'SubscriptionConfirmation':
        return subscribe(arn, textOf(envelope.SubscribeURL), services);
      case 'UnsubscribeConfirmation':
        return { kind: 'unsubscribed', topic: arn };
      default:
        return refused('malformed');
    }
  },
};

async function subscribe(
  arn: string,
  address: string,
  services: Parameters<Provider['receive']>[0]['services'],
): Promise<Received> {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isOurs =
    url?.origin === `https://${snsHostOf(arn)}` &&
    // Rejects user names and other spellings of the host.
    address.startsWith(`${url.origin}/?`) &&
    url.searchParams.get('Action') === 'ConfirmSubscription' &&
    url.searchParams.get('TopicArn') === arn;
  if (!url || !isOurs) return refused('foreign_subscription');
  const { status } = await services.http({ method: 'GET', url, headers: {}, body: '', timeoutMs });
  if (status !== 200) throw failed('sns_subscription_unconfirmed');
  return { kind: 'subscribed', topic: arn };
}

/** Finds no event in SNS's own text (`Successfully validated SNS topic …`), which is no JSON. */
function eventsIn(envelope: Readonly<Record<string, unknown>>, now: number): readonly MailEvent[] {
  const report = mapOf(parseJson(textOf(envelope.Message)));
  const mail = mapOf(report.mail);
  const requestId = requestIdIn(mapOf(mail.commonHeaders).messageId);
  const about = (at: unknown) => ({ at: timeOf(at, now), requestId });
  const each = (
    recipients: unknown,
    make: (one: Readonly<Record<string, unknown>>) => Omit<MailEvent, 'id' | 'recipient'>,
  ) =>
    listOf(recipients)
      .slice(0, mostRecipients)
      .map(mapOf)
      .map((one, index) => ({
        ...make(one),
        id: `${textOf(envelope.MessageId)} ${index}`,
        recipient: { address: textOf(one.emailAddress) },
      }));
  switch (report.eventType ?? report.notificationType) {
    case 'Bounce': {
      const { bounceType, bouncedRecipients, timestamp } = mapOf(report.bounce);
      return each(bouncedRecipients, (one) => {
        const code = codeIn(one.status, one.diagnosticCode);
        const kind = bounceType === 'Permanent' ? kindOf(true, code) : 'soft';
        return { ...about(timestamp), kind, code };
      });
    }
    case 'Complaint': {
      const { complaintFeedbackType, complainedRecipients, timestamp } = mapOf(report.complaint);
      if (complaintFeedbackType === 'not-spam') return [];
      const event = { ...about(timestamp), kind: 'complaint' } as const;
      const named = listOf(complainedRecipients).slice(0, mostRecipients).map(mapOf);
      if (named.length < 2) return each(complainedRecipients, () => event);
      // SES names all recipients who may have complained.
      const oneOf = named.map(({ emailAddress }) => textOf(emailAddress));
      return [{ ...event, id: textOf(envelope.MessageId), recipient: { oneOf } }];
    }
    case 'DeliveryDelay': {
      const { delayedRecipients, timestamp } = mapOf(report.deliveryDelay);
      return each(delayedRecipients, (one) => ({
        ...about(timestamp),
        kind: 'soft',
        code: codeIn(one.status),
      }));
    }
    default:
      return [];
  }
}
