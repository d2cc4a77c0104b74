/**
 * Whose domains and servers are whose, and what one logs in with: for the manual's table, for `relay init --mail` and for
 * `relay doctor`. The list is not complete.
 */

export interface MailService {
  readonly name: string;
  /** Its SMTP servers. */
  readonly hosts: RegExp;
  /** Those of them that take mail for its own customers from everybody, without a login. */
  readonly inbound?: RegExp;
  /** Where everybody can have a mailbox, and only its own servers may send from. */
  readonly mailboxes?: RegExp;
  /** Replaces the envelope sender by one of its own, so that its customers' SPF records do not matter. */
  readonly hasOwnEnvelope?: true;
  /** What an SPF record includes to allow its servers. */
  readonly spf?: string;
  /** Which of its servers that allows, where it is not all. */
  readonly spfHosts?: RegExp;
  /** How to send from an account there, by the name that `relay init --mail` knows it under. */
  readonly accounts?: Readonly<Record<string, MailAccount>>;
}

export interface MailAccount {
  readonly title: string;
  /** What people may call it instead. */
  readonly alsoCalled?: readonly string[];
  /** A name in capitals is to be replaced. */
  readonly host: string;
  /** In other regions, and for other plans. */
  readonly otherHosts?: readonly (readonly [whose: string, host: string])[];
  /** 465 speaks TLS from the first byte, 587 after STARTTLS. */
  readonly port: 465 | 587;
  readonly username: Username;
  readonly secret: Secret;
  /** Whether OAuth does as well as that. */
  readonly takesOAuth?: true;
  /** Whether it takes no password at all, and so wants OAuth. */
  readonly wantsOAuth?: true;
  /** Whether it hangs up on a client that calls itself `localhost`. */
  readonly wantsEhloName?: true;
  /** Whether it may know its customers by their addresses alone. */
  readonly takesNoLogin?: true;
  /** What is shown to it by mistake, as far as its looks tell. Says nothing of what it is. */
  readonly mistakeIn?: (shown: Shown) => string | undefined;
  /** An example of who mails may be from. Default: `website@example.com`. */
  readonly sender?: string;
  /** What else there is to know, as Markdown of the manual's page. */
  readonly note?: string;
}

interface Shown {
  readonly username: string;
  readonly password: string;
}

interface Username {
  /** What it is, in words. */
  readonly is: string;
  /** As a config has it. Default: the sender. */
  readonly written?: string;
}

/** What stands in the place of the password. */
interface Secret {
  readonly is: string;
  /** Where it is to be found. */
  readonly from: string;
}

const ownAddress: Username = { is: 'your address' };
const ownMailbox: Username = { is: 'the address of the mailbox' };
const ownPassword = { is: 'the password of the mailbox' };

const services: readonly MailService[] = [
  {
    name: 'Google',
    hosts: /(^|\.)(gmail|google|googlemail)\.com$/,
    inbound: /(^|\.)aspmx\d?\.|^(gmail-)?smtp(-in)?\.(l\.)?google\.com$/,
    mailboxes: /^(gmail|googlemail)\.com$/,
    spf: '_spf.google.com',
    accounts: {
      gmail: {
        title: 'Gmail',
        alsoCalled: ['google', 'googlemail'],
        host: 'smtp.gmail.com',
        port: 465,
        username: ownAddress,
        secret: {
          is: 'an app password',
          from: 'https://myaccount.google.com/apppasswords, once 2-Step Verification is on',
        },
        takesOAuth: true,
        mistakeIn: ({ password }) =>
          /^[a-z]{16}$/.test(password.replaceAll(' ', ''))
            ? undefined
            : 'the password does not look like an app password, which is 16 letters',
        sender: 'you@gmail.com',
        note: '[More](#gmail).',
      },
      google_workspace: {
        title: 'Google Workspace relay',
        alsoCalled: ['workspace', 'gsuite', 'google_relay', 'gmail_relay'],
        host: 'smtp-relay.gmail.com',
        port: 587,
        username: ownAddress,
        secret: {
          is: 'an app password',
          from: 'https://myaccount.google.com/apppasswords; the relay itself: Admin console, Gmail → Routing',
        },
        wantsEhloName: true,
        takesNoLogin: true,
        note: 'Set `SMTP_EHLO_NAME` to a name of yours: `localhost` is answered with `421 4.7.0`. Neither username nor password where it goes by your IP address.',
      },
    },
  },
  {
    name: 'Microsoft',
    hosts: /(^|\.)(outlook|office365|office|hotmail|live)\.com$/,
    inbound: /\.mail\.protection\.outlook\.com$/,
    mailboxes: /^((outlook|hotmail|live)\.[a-z.]+|msn\.com)$/,
    spf: 'spf.protection.outlook.com',
    accounts: {
      microsoft365: {
        title: 'Microsoft 365',
        alsoCalled: ['microsoft', 'office365', 'o365', 'm365', 'outlook', 'exchange'],
        host: 'smtp.office365.com',
        port: 587,
        username: ownMailbox,
        secret: { is: 'OAuth', from: 'an app of yours at https://entra.microsoft.com' },
        wantsOAuth: true,
        note: 'Passwords are switched off by default at the end of December 2026: [what to do](#microsoft-365).',
      },
    },
  },
  {
    name: 'Amazon SES',
    hosts: /^email-smtp(-fips)?\.[a-z0-9-]+\.amazonaws\.com$/,
    hasOwnEnvelope: true,
    accounts: {
      ses: {
        title: 'Amazon SES',
        alsoCalled: ['aws', 'amazon', 'amazon_ses'],
        host: 'email-smtp.REGION.amazonaws.com',
        port: 587,
        username: { is: 'the SMTP user name', written: '{{ env "SMTP_USERNAME" }}' },
        secret: {
          is: 'the SMTP password, not the keys of AWS',
          from: 'the SES console, under SMTP settings, for each region',
        },
        mistakeIn: ({ password }) =>
          /^[\w/+]{40}$/.test(password) ? 'the password looks like a secret access key of AWS' : undefined,
        note: '`relay init --mail ses` writes [`email`](#through-amazon-ses), which needs no SMTP.',
      },
    },
  },
  {
    name: 'Mailgun',
    hosts: /(^|\.)mailgun\.org$/,
    hasOwnEnvelope: true,
    accounts: {
      mailgun: {
        title: 'Mailgun',
        host: 'smtp.mailgun.org',
        otherHosts: [['EU', 'smtp.eu.mailgun.org']],
        port: 587,
        username: { is: 'the login that Mailgun shows', written: 'postmaster@mg.example.com' },
        secret: {
          is: 'the SMTP password of that login, not an API key',
          from: 'Sending → Domain settings → SMTP credentials',
        },
        mistakeIn: ({ password }) =>
          /^key-[\da-f]{32}$|^[\da-f]{32}-[\da-f]{8}-[\da-f]{8}$/.test(password)
            ? 'the password looks like an API key'
            : undefined,
        sender: 'website@mg.example.com',
      },
    },
  },
  {
    name: 'Postmark',
    hosts: /(^|\.)postmarkapp\.com$/,
    hasOwnEnvelope: true,
    accounts: {
      postmark: {
        title: 'Postmark',
        host: 'smtp.postmarkapp.com',
        port: 587,
        username: { is: "the server's API token", written: '{{ env "SMTP_PASSWORD" }}' },
        secret: { is: "the server's API token", from: "the server's page, under API Tokens" },
      },
    },
  },
  {
    name: 'SendGrid',
    hosts: /(^|\.)sendgrid\.net$/,
    hasOwnEnvelope: true,
    accounts: {
      sendgrid: {
        title: 'SendGrid',
        alsoCalled: ['twilio'],
        host: 'smtp.sendgrid.net',
        otherHosts: [['EU', 'smtp.eu.sendgrid.net']],
        port: 587,
        username: { is: 'the word `apikey`', written: 'apikey' },
        secret: { is: 'an API key that may send mail', from: 'Settings → API Keys' },
        mistakeIn: ({ username, password }) => {
          if (username !== 'apikey') return 'the username is not the word apikey';
          return password.startsWith('SG.') ? undefined : 'the password does not look like an API key (SG.…)';
        },
      },
    },
  },
  {
    name: 'Brevo',
    hosts: /(^|\.)(brevo|sendinblue)\.com$/,
    hasOwnEnvelope: true,
    accounts: {
      brevo: {
        title: 'Brevo',
        alsoCalled: ['sendinblue'],
        host: 'smtp-relay.brevo.com',
        port: 465,
        username: { is: 'the login that Brevo shows', written: '{{ env "SMTP_USERNAME" }}' },
        secret: { is: 'an SMTP key, not an API key', from: 'SMTP & API → SMTP' },
        mistakeIn: ({ password }) =>
          password.startsWith('xkeysib-') ? 'the password is an API key (xkeysib-…)' : undefined,
      },
    },
  },
  {
    name: 'Fastmail',
    hosts: /(^|\.)(fastmail|messagingengine)\.com$/,
    mailboxes: /^fastmail\.(com|fm)$/,
    spf: 'spf.messagingengine.com',
    accounts: {
      fastmail: {
        title: 'Fastmail',
        host: 'smtp.fastmail.com',
        port: 465,
        username: ownAddress,
        secret: { is: 'an app password', from: 'Settings → Privacy & Security → app passwords' },
      },
    },
  },
  {
    name: 'Zoho',
    hosts: /(^|\.)zoho\.[a-z.]+$/,
    accounts: {
      zoho: {
        title: 'Zoho Mail',
        host: 'smtp.zoho.com',
        otherHosts: [
          ['paid plans with a domain of their own', 'smtppro.zoho.com'],
          ['EU', 'smtp.zoho.eu'],
          ['EU, paid plans', 'smtppro.zoho.eu'],
        ],
        port: 465,
        username: ownAddress,
        secret: {
          is: 'the password of the mailbox; with two factors an app password',
          from: 'https://accounts.zoho.com, under Security → App Passwords',
        },
      },
    },
  },
  {
    name: 'IONOS',
    hosts: /(^|\.)ionos\.[a-z.]+$/,
    spf: '_spf-eu.ionos.com',
    spfHosts: /\.(de|co\.uk|fr|es|it)$/,
    accounts: {
      ionos: {
        title: 'IONOS',
        alsoCalled: ['1und1', '1and1'],
        host: 'smtp.ionos.com',
        otherHosts: [
          ['Germany', 'smtp.ionos.de'],
          ['United Kingdom', 'smtp.ionos.co.uk'],
        ],
        port: 465,
        username: ownMailbox,
        secret: { ...ownPassword, from: 'the control panel, under Email' },
      },
    },
  },
  {
    name: 'OVH',
    hosts: /(^|\.)ovh\.(net|ca)$/,
    spf: 'mx.ovh.com',
    accounts: {
      ovh: {
        title: 'OVH',
        alsoCalled: ['ovhcloud'],
        host: 'ssl0.ovh.net',
        port: 465,
        username: ownMailbox,
        secret: { ...ownPassword, from: 'the control panel, under Web Cloud → Emails' },
        note: 'Email Pro and Exchange have servers of their own: the control panel names yours.',
      },
    },
  },
  {
    name: 'Gandi',
    hosts: /(^|\.)gandi\.net$/,
    spf: '_mailcust.gandi.net',
    accounts: {
      gandi: {
        title: 'Gandi',
        host: 'mail.gandi.net',
        port: 465,
        username: ownMailbox,
        secret: { ...ownPassword, from: 'the page of the domain, under Email' },
      },
    },
  },
  {
    name: 'Infomaniak',
    hosts: /(^|\.)infomaniak\.com$/,
    spf: 'spf.infomaniak.ch',
    accounts: {
      infomaniak: {
        title: 'Infomaniak',
        host: 'mail.infomaniak.com',
        port: 465,
        username: ownMailbox,
        secret: {
          is: 'a password for a device, not that of your account',
          from: 'Manager → Mail Service → the address → Devices → Add a device',
        },
      },
    },
  },
  {
    name: 'Hetzner',
    hosts: /(^|\.)your-server\.de$/,
    accounts: {
      hetzner: {
        title: 'Hetzner',
        host: 'mail.your-server.de',
        port: 587,
        username: ownMailbox,
        secret: { ...ownPassword, from: 'https://konsoleh.hetzner.com, under Email' },
      },
    },
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
  { name: 'Mailjet', hosts: /(^|\.)mailjet\.com$/, hasOwnEnvelope: true },
  { name: 'Mandrill', hosts: /(^|\.)mandrillapp\.com$/, hasOwnEnvelope: true },
  { name: 'SparkPost', hosts: /(^|\.)sparkpostmail\.com$/, hasOwnEnvelope: true },
  { name: 'Resend', hosts: /(^|\.)resend\.com$/, hasOwnEnvelope: true },
];

/** The service that runs an SMTP server. */
export const serviceOfHost = (host: string): MailService | undefined =>
  services.find(({ hosts }) => hosts.test(host.toLowerCase()));

/** Whether it takes mail for its own customers, from everybody. */
export const isInbound = (host: string): boolean =>
  serviceOfHost(host)?.inbound?.test(host.toLowerCase()) === true;

/** What an SPF record includes to allow a service's server. */
export function spfOfHost(host: string): string | undefined {
  const { spf, spfHosts } = serviceOfHost(host) ?? {};
  return spfHosts?.test(host.toLowerCase()) === false ? undefined : spf;
}

/** The service whose mailboxes are at a domain. */
export const serviceOfMailbox = (domain: string): MailService | undefined =>
  services.find(({ mailboxes }) => mailboxes?.test(domain));

/** Every account, by its name. */
export const mailAccounts: Readonly<Record<string, MailAccount>> = Object.assign(
  {},
  ...services.map(({ accounts }) => accounts),
);

/** What one signs in with at a server, where it is that of a known service. */
export function accountAt(server: string): MailAccount | undefined {
  if (isInbound(server)) return undefined;
  const host = server.toLowerCase();
  const { accounts = {} } = serviceOfHost(host) ?? {};
  const all = Object.values(accounts);
  return all.find((account) => account.host === host) ?? all[0];
}

/** What stands in the place of the password, in words. */
export const secretOf = ({ secret, takesOAuth }: MailAccount): string =>
  takesOAuth ? `${secret.is}, or OAuth` : secret.is;
