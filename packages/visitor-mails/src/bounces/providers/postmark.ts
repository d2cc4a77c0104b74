/** Postmark: https://postmarkapp.com/developer/webhooks/bounce-webhook */
import {
  codeIn,
  isSame,
  type Json,
  kindOf,
  mapOf,
  type Provider,
  type Reported,
  refused,
  reported,
  textOf,
  timeOf,
  withSecret,
} from './provider.ts';

export const postmark: Provider = {
  summary: 'Takes webhooks of Postmark, which sign nothing: the password is in their address.',
  ...withSecret(
    'password_env',
    'The environment variable with the password that Postmark sends (HTTP Basic authentication).',
    'POSTMARK_WEBHOOK_PASSWORD',
  ),
  probe: (password) => {
    const authorization = `Basic ${Buffer.from(`postmark:${password}`).toString('base64')}`;
    return { headers: { authorization }, body: '{"RecordType":"Open"}' };
  },
  receive: ({ secret, json, headers, now }) => {
    const [, encoded] = /^Basic ([\w+/=-]{1,1000})$/i.exec(headers.authorization ?? '') ?? [];
    if (encoded === undefined) return refused('unsigned');
    const credentials = Buffer.from(encoded, 'base64').toString();
    if (!isSame(credentials.slice(credentials.indexOf(':') + 1), secret)) return refused('forged');
    const report = mapOf(json);
    return report.RecordType === undefined ? refused('malformed') : reported([eventIn(report, now)]);
  },
};

function eventIn(report: Json, now: number): Reported {
  const code = codeIn(report.Details);
  const kind = kindIn(report);
  return {
    id: textOf(report.ID) || `${textOf(report.MessageID)} ${textOf(report.RecordType)}`,
    kind: kind === undefined || kind === 'complaint' ? kind : kindOf(kind === 'hard', code),
    recipient: { address: textOf(report.Email) || textOf(report.Recipient) },
    at: timeOf(report.BouncedAt ?? report.ChangedAt, now),
    code,
  };
}

/** By the `Type` of a bounce, or the reason for which Postmark mails an address no more. */
const kinds = new Map<string, Reported['kind']>([
  ['HardBounce', 'hard'],
  ['BadEmailAddress', 'hard'],
  ['SpamComplaint', 'complaint'],
  ['SoftBounce', 'soft'],
  ['Transient', 'soft'],
  ['DnsError', 'soft'],
  ['Blocked', 'soft'],
  ['Undeliverable', 'soft'],
  ['Unknown', 'soft'],
  ['DMARCPolicy', 'soft'],
  ['SMTPApiError', 'soft'],
  // The receiving server refused it as spam; no reader marked it.
  ['SpamNotification', 'soft'],
]);

function kindIn({ RecordType, Type, SuppressSending, SuppressionReason: reason }: Json) {
  if (RecordType === 'SpamComplaint') return 'complaint';
  if (RecordType === 'Bounce') return kinds.get(textOf(Type));
  const isSuppressed = RecordType === 'SubscriptionChange' && SuppressSending === true;
  return isSuppressed && (reason === 'HardBounce' || reason === 'SpamComplaint')
    ? kinds.get(reason)
    : undefined;
}
