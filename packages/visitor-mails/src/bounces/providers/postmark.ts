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
  return {
    id: textOf(report.ID) || `${textOf(report.MessageID)} ${textOf(report.RecordType)}`,
    kind: kindIn(report, code),
    recipient: { address: textOf(report.Email) },
    at: timeOf(report.BouncedAt, now),
    code,
  };
}

/** Types of mails that were not delivered, though not for the address, unless a code says so. */
const lost =
  /^(SoftBounce|Transient|DnsError|Blocked|Undeliverable|Unknown|DMARCPolicy|SMTPApiError|SpamNotification)$/;

function kindIn({ RecordType, Type }: Json, code: string | undefined): Reported['kind'] {
  if (RecordType === 'SpamComplaint') return 'complaint';
  const type = RecordType === 'Bounce' ? textOf(Type) : '';
  if (type === 'SpamComplaint') return 'complaint';
  const saysHard = type === 'HardBounce' || type === 'BadEmailAddress';
  return saysHard || lost.test(type) ? kindOf(saysHard, code) : undefined;
}
