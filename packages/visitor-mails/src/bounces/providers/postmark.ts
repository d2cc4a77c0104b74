/** Postmark: https://postmarkapp.com/developer/webhooks/bounce-webhook */

import { required, secretVariable } from '@form-relay/core/kit';
import type { Bounces, MailEvent } from '../types.ts';
import {
  codeIn,
  isSame,
  kindOf,
  mapOf,
  type Provider,
  parseJson,
  refused,
  textOf,
  timeOf,
} from './provider.ts';

const hardTypes = ['HardBounce', 'BadEmailAddress'];
const softTypes = [
  'SoftBounce',
  'Transient',
  'DnsError',
  'Blocked',
  'Undeliverable',
  'Unknown',
  'DMARCPolicy',
  'SMTPApiError',
  // The receiving server refused it as spam; no reader marked it.
  'SpamNotification',
];

export const postmark: Provider<NonNullable<Bounces['postmark']>> = {
  summary: 'Takes webhooks of Postmark, which sign nothing: the password is in their address.',
  keys: {
    password_env: required(
      'The environment variable with the password that Postmark sends (HTTP Basic authentication).',
      secretVariable(),
    ),
  },
  example: '{password_env: POSTMARK_WEBHOOK_PASSWORD}',
  variables: ['password_env'],
  probe: ({ settings, services }) => {
    const password = services.env(settings.password_env);
    const authorization = `Basic ${Buffer.from(`postmark:${password}`).toString('base64')}`;
    return password ? { headers: { authorization }, body: '{"RecordType":"Open"}' } : undefined;
  },
  receive: ({ settings, body, headers, services }) => {
    const password = services.env(settings.password_env);
    if (!password) return refused('unset');
    const [, encoded] = /^Basic ([\w+/=-]{1,1000})$/i.exec(headers.authorization ?? '') ?? [];
    if (encoded === undefined) return refused('unsigned');
    const credentials = Buffer.from(encoded, 'base64').toString();
    if (!isSame(credentials.slice(credentials.indexOf(':') + 1), password)) return refused('forged');
    const report = mapOf(parseJson(body));
    if (report.RecordType === undefined) return refused('malformed');
    const kind = kindIn(report);
    if (kind === undefined) return { kind: 'events', events: [] };
    const code = codeIn(report.Details);
    const event: MailEvent = {
      id: textOf(report.ID) || `${textOf(report.MessageID)} ${textOf(report.RecordType)}`,
      kind: kind === 'complaint' ? kind : kindOf(kind === 'hard', code),
      recipient: { address: textOf(report.Email) || textOf(report.Recipient) },
      at: timeOf(report.BouncedAt ?? report.ChangedAt, services.now()),
      code,
    };
    return { kind: 'events', events: [event] };
  },
};

function kindIn(report: Readonly<Record<string, unknown>>): MailEvent['kind'] | undefined {
  const type = textOf(report.Type);
  switch (report.RecordType) {
    case 'SpamComplaint':
      return 'complaint';
    case 'Bounce':
      if (hardTypes.includes(type)) return 'hard';
      if (type === 'SpamComplaint') return 'complaint';
      return softTypes.includes(type) ? 'soft' : undefined;
    case 'SubscriptionChange':
      if (report.SuppressSending !== true) return undefined;
      if (report.SuppressionReason === 'HardBounce') return 'hard';
      return report.SuppressionReason === 'SpamComplaint' ? 'complaint' : undefined;
    default:
      return undefined;
  }
}
