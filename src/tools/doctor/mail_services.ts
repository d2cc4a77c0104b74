/** Whose domains and servers are whose: enough to know a sender that cannot work. The list is not complete. */

interface MailService {
  readonly name: string;
  /** Its SMTP servers. */
  readonly hosts: RegExp;
  /** Where everybody can have a mailbox, and only its own servers may send from. */
  readonly mailboxes?: RegExp;
  /** Replaces the envelope sender by one of its own, so that its customers' SPF records do not matter. */
  readonly hasOwnEnvelope?: true;
}

const services: readonly MailService[] = [
  { name: 'Google', hosts: /(^|\.)(gmail|google|googlemail)\.com$/, mailboxes: /^(gmail|googlemail)\.com$/ },
  {
    name: 'Microsoft',
    hosts: /(^|\.)(outlook|office365|office|hotmail|live)\.com$/,
    mailboxes: /^((outlook|hotmail|live)\.[a-z.]+|msn\.com)$/,
  },
  {
    name: 'Yahoo',
    hosts: /(^|\.)(yahoo|aol)\.com$/,
    mailboxes: /^(yahoo\.[a-z.]+|ymail\.com|rocketmail\.com|aol\.com)$/,
  },
  { name: 'Apple', hosts: /(^|\.)mail\.me\.com$/, mailboxes: /^(icloud|me|mac)\.com$/ },
  { name: 'GMX', hosts: /(^|\.)gmx\.(net|com)$/, mailboxes: /^gmx\.[a-z]+$/ },
  { name: 'WEB.DE', hosts: /(^|\.)web\.de$/, mailboxes: /^web\.de$/ },
  { name: 'T-Online', hosts: /(^|\.)t-online\.de$/, mailboxes: /^t-online\.de$/ },
  {
    name: 'Proton',
    hosts: /(^|\.)(protonmail\.ch|proton\.me)$/,
    mailboxes: /^(proton\.me|protonmail\.com|pm\.me)$/,
  },
  { name: 'mail.com', hosts: /(^|\.)mail\.com$/, mailboxes: /^mail\.com$/ },
  { name: 'Yandex', hosts: /(^|\.)yandex\.(ru|com)$/, mailboxes: /^(yandex\.[a-z]+|ya\.ru)$/ },
  { name: 'Fastmail', hosts: /(^|\.)(fastmail|messagingengine)\.com$/, mailboxes: /^fastmail\.(com|fm)$/ },
  { name: 'Zoho', hosts: /(^|\.)zoho\.[a-z.]+$/ },
  { name: 'Amazon SES', hosts: /^email-smtp(-fips)?\.[a-z0-9-]+\.amazonaws\.com$/, hasOwnEnvelope: true },
  { name: 'SendGrid', hosts: /(^|\.)sendgrid\.net$/, hasOwnEnvelope: true },
  { name: 'Mailgun', hosts: /(^|\.)mailgun\.org$/, hasOwnEnvelope: true },
  { name: 'Postmark', hosts: /(^|\.)postmarkapp\.com$/, hasOwnEnvelope: true },
  { name: 'Brevo', hosts: /(^|\.)(brevo|sendinblue)\.com$/, hasOwnEnvelope: true },
  { name: 'Mailjet', hosts: /(^|\.)mailjet\.com$/, hasOwnEnvelope: true },
  { name: 'Mandrill', hosts: /(^|\.)mandrillapp\.com$/, hasOwnEnvelope: true },
  { name: 'SparkPost', hosts: /(^|\.)sparkpostmail\.com$/, hasOwnEnvelope: true },
  { name: 'Resend', hosts: /(^|\.)resend\.com$/, hasOwnEnvelope: true },
];

/** The service that runs an SMTP server. */
export const serviceOfHost = (host: string): MailService | undefined =>
  services.find(({ hosts }) => hosts.test(host.toLowerCase()));

/** The service whose mailboxes are at a domain. */
export const serviceOfMailbox = (domain: string): MailService | undefined =>
  services.find(({ mailboxes }) => mailboxes?.test(domain));
