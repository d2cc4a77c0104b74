/** Amazon SES, through Amazon SNS: https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html */
import type { Services } from '@form-relay/core/index';
import { array, parseJson, required, textSchema } from '@form-relay/core/kit';
import { failed } from '../../failures.ts';
import { certificateProblem, isSigned, snsHostOf } from '../sns.ts';
import {
  codeIn,
  isTimely,
  type Json,
  kindOf,
  listOf,
  mapOf,
  mostRecipients,
  type Provider,
  type Received,
  type Reported,
  refused,
  reported,
  requestIdIn,
  textOf,
  timeOf,
} from './provider.ts';

const topic = /^arn:aws(-cn|-us-gov)?:sns:[a-z\d-]{3,30}:\d{12}:[\w-]{1,256}$/;

const timeoutMs = 5_000;

export const ses: Provider = {
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
  receive: async ({ settings, json, now, services }) => {
    const envelope = mapOf(json);
    const arn = textOf(envelope.TopicArn);
    if (arn === '') return refused('malformed');
    // Anybody's topic has a signature of Amazon's. Nothing is fetched for those.
    if (!listOf(settings.topics).includes(arn)) return refused('foreign_topic');
    const problem = certificateProblem(envelope, arn);
    if (problem) return refused(problem);
    if (!(await isSigned(envelope, services))) return refused('forged');
    if (!isTimely(Date.parse(textOf(envelope.Timestamp)), now)) return refused('stale');
    switch (envelope.Type) {
      case 'Notification':
        return reported(eventsIn(envelope, now));
      case 'SubscriptionConfirmation':
        return subscribe(arn, textOf(envelope.SubscribeURL), services);
      case 'UnsubscribeConfirmation':
        return { kind: 'unsubscribed', topic: arn };
      default:
        return refused('malformed');
    }
  },
};

async function subscribe(arn: string, address: string, { http }: Pick<Services, 'http'>): Promise<Received> {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isOurs =
    url?.origin === `https://${snsHostOf(arn)}` &&
    // Rejects user names and other spellings of the host.
    address.startsWith(`${url.origin}/?`) &&
    url.searchParams.get('Action') === 'ConfirmSubscription' &&
    url.searchParams.get('TopicArn') === arn;
  if (!url || !isOurs) return refused('foreign_subscription');
  const { status } = await http({ method: 'GET', url, headers: {}, body: '', timeoutMs });
  if (status !== 200) throw failed('sns_subscription_unconfirmed');
  return { kind: 'subscribed', topic: arn };
}

/** Finds no event in SNS's own text (`Successfully validated SNS topic …`), which is no JSON. */
function eventsIn(envelope: Json, now: number): readonly Reported[] {
  const report = mapOf(parseJson(textOf(envelope.Message)));
  const mail = mapOf(report.mail);
  const requestId = requestIdIn(mapOf(mail.commonHeaders).messageId);
  const about = (at: unknown) => ({ at: timeOf(at, now), requestId });
  const each = (recipients: unknown, make: (one: Json) => Omit<Reported, 'id' | 'recipient'>) =>
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
        const kind = bounceType === 'Permanent' ? kindOf(true, code) : undefined;
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
    default:
      return [];
  }
}
