import { mailConfig } from '../../packages/cli/src/mail_config.ts';
import {
  type MailAccount,
  mailAccounts,
  secretOf,
  serviceOfHost,
} from '../../packages/relay/src/transports/smtp/mail_services.ts';

/** What the manual says of an account beyond what `relay init --mail` has to know. */
interface Guide {
  /** Who mails may be from. */
  readonly from: string;
  /** How many it takes. Default: the service decides, by plan and use. */
  readonly limit?: string;
  readonly tips?: readonly string[];
}

/** For personal mailboxes, whose domain is not their owners'. */
const personal =
  'It is a mailbox of a person: good for a few submissions a day. A site of a company sends from a domain of its own.';
const fromMailbox = 'The address of the mailbox, or another address of it that the control panel knows.';
const fromDomain = 'Any address of a domain that you have verified there.';
const moreOf = (anchor: string, words: string) => `[${words}](../outputs/email.md#${anchor})`;

/** By the name of the account. Limits are those that each says of itself, and change: look there. */
export const guides: Readonly<Record<string, Guide>> = {
  gmail: {
    from: 'The address of the account, or one that is confirmed under Settings → Accounts → Send mail as. Gmail writes the account’s own in the place of any other.',
    limit: '500 recipients a day; 2,000 with Google Workspace.',
    tips: [
      `Google refuses your normal password here. Where an administrator allows no app passwords: ${moreOf('gmail', 'OAuth instead')}.`,
    ],
  },
  google_workspace: {
    from: 'Any address of your domain, as the rule in the Admin console allows.',
    limit: '10,000 recipients a day for each user.',
    tips: [
      'A rule that goes by your IP address wants neither username nor password: take both lines out.',
      'Without `SMTP_EHLO_NAME` the relay may call itself `localhost`, which is answered with `421 4.7.0`.',
    ],
  },
  microsoft365: {
    from: 'The address of the mailbox, or one for which it has the right “Send As”.',
    limit: '10,000 recipients a day, and 30 messages a minute.',
    tips: [
      `Passwords are switched off by default at the end of December 2026, so the config signs in with OAuth. ${moreOf('microsoft-365', 'The five steps in Entra and PowerShell')}.`,
      '`535 5.7.139` means that SMTP is switched off for the mailbox, `535 5.7.3` that the app may not use it.',
    ],
  },
  icloud: {
    from: 'The address of the account or one of its aliases; with iCloud+ also one of your own domain.',
    limit: 'Apple sets a limit for each day; it is meant for personal mail.',
    tips: [personal, 'Only port 587 is documented; the password of your Apple Account does not work here.'],
  },
  fastmail: {
    from: 'Any address of the account: its own, its aliases, and those of your domains in it.',
    tips: ['Make the app password for SMTP alone: then it can send, and read nothing.'],
  },
  proton: {
    from: 'The address that the token is for. Tokens are for addresses of your own domain, in plans for businesses and some others, and not for `@proton.me`.',
    tips: [
      'Proton Mail Bridge is for programs on your own desk: it listens on that machine alone, with a certificate of its own. Servers take the token.',
      'What is sent this way is not end-to-end encrypted.',
    ],
  },
  zoho: {
    from: 'The address of the account or one of its aliases; anything else is answered with `553`.',
    tips: [
      'The server depends on where the account was made: an account of the EU is unknown at `zoho.com`.',
    ],
  },
  yahoo: {
    from: 'The address of the account, and no other.',
    tips: [personal, 'The password of the account does not work here.'],
  },
  gmx: {
    from: 'The address of the mailbox, and no other.',
    tips: [personal, 'Access from other programs is off until you allow it in the settings of the mailbox.'],
  },
  webde: {
    from: 'The address of the mailbox, and no other.',
    tips: [personal, 'Access from other programs is off until you allow it in the settings of the mailbox.'],
  },
  ionos: { from: fromMailbox },
  strato: {
    from: fromMailbox,
    tips: ['Where the DNS is at STRATO, too, its customer login switches SPF and DKIM on.'],
  },
  ovh: {
    from: fromMailbox,
    tips: ['Email Pro and Exchange have servers of their own: the control panel names yours.'],
  },
  gandi: { from: fromMailbox },
  infomaniak: {
    from: fromMailbox,
    limit: '1,440 recipients a day for an address; fewer in the free plans and the smallest.',
  },
  hetzner: { from: fromMailbox },
  ses: {
    from: 'An address or a domain that is verified in the same region.',
    limit:
      'A new account is in the sandbox: 200 messages a day, one a second, and to verified addresses only, until you ask for production access.',
    tips: [
      `${moreOf('through-amazon-ses', 'The output `email`')} signs requests with the credentials of AWS, and needs no SMTP.`,
      'On Lambda the function’s role is enough: [the sender](../deploy/aws-lambda-sam.md#3-let-ses-know-the-sender).',
      'To try it: `success@`, `bounce@` and `complaint@simulator.amazonses.com` ([all test values](../testing.md#tips)).',
    ],
  },
  mailgun: {
    from: fromDomain,
    tips: [
      'A domain belongs to a region: one of the EU is unknown at `smtp.mailgun.org`.',
      'Where SMTP is blocked: [Mailgun by web](../outputs/mailgun.md).',
    ],
  },
  postmark: {
    from: 'An address or a domain that is confirmed there, as a sender signature.',
    limit: 'Until an account is approved, only addresses of your own domain.',
    tips: [
      'The token is both username and password.',
      'Where SMTP is blocked: [Postmark by web](../outputs/postmark.md).',
    ],
  },
  sendgrid: {
    from: 'An address that is verified as a single sender, or any of an authenticated domain.',
    tips: [
      'The username is the word `apikey`, whatever your account is called.',
      'Where SMTP is blocked: [SendGrid by web](../outputs/sendgrid.md).',
    ],
  },
  brevo: {
    from: 'A sender or a domain that is verified there.',
    limit: '300 a day in the free plan.',
    tips: ['Where SMTP is blocked: [Brevo by web](../outputs/brevo_mail.md).'],
  },
  resend: {
    from: fromDomain,
    tips: [
      'To try it: `delivered@resend.dev` and `bounced@resend.dev` ([all test values](../testing.md#tips)).',
      'Where SMTP is blocked: [Resend by web](../outputs/resend.md).',
    ],
  },
};

/** The guide's page. */
export function mailGuide(name: string): string {
  const account = mailAccounts[name];
  const guide = guides[name];
  if (!account || !guide) throw new Error(`there is no guide for ${name}`);
  const { text, variables } = mailConfig(name);
  const { title, host, otherHosts = [], port, username } = account;
  const service = serviceOfHost(host.replace('REGION', 'eu-west-1'));
  const servers = [`\`${host}\``, ...otherHosts.map(([whose, other]) => `${whose}: \`${other}\``)].join('; ');
  const way = port === 465 ? 'TLS from the first byte' : 'STARTTLS, which the config requires';
  const rows = [
    ['`host`', servers],
    ['`port`', `${port}: ${way}`],
    ['`username`', username.is],
    ['`password`', secretOf(account)],
  ];
  const isSmtp = text.includes('- type: smtp');
  // What the account also takes, where the config has a better way.
  const instead = `By SMTP instead: \`type: smtp\` with ${rows.map(([key, is]) => `${key} ${is}`).join(', ')}.`;
  const tips = [...(guide.tips ?? []), ...(isSmtp ? [] : [instead]), ...dnsTips(service, account)];
  const keys = isSmtp
    ? rows
    : [['`type`', '`email`: through the web interface, signed with credentials of AWS']];
  return `# Mail through ${title}

Each submission as a mail, sent by your account at ${title}. \`relay init --mail ${name}\` writes the config below.

## Syntax

| What | Is |
| --- | --- |
${keys.map(([key, is]) => `| ${key} | ${is} |\n`).join('')}| \`from\` | ${guide.from} |
| How many | ${guide.limit ?? 'It depends on the account.'} |

## Example

\`\`\`yaml
${text}\`\`\`

| Variable | Is | Where it is |
| --- | --- | --- |
${variables.map(({ name, is, from = '' }) => `| \`${name}\` | ${is} | ${from.replaceAll(/https:[^\s,;]+/g, '<$&>')} |\n`).join('')}
\`relay doctor\` signs in without sending anything, and looks up whether receivers will believe who the mail is from.

## Tips

${tips.map((tip) => `- ${tip}\n`).join('')}- \`reply_to\` is the visitor, so that "Reply" answers. The visitor's address in \`from\` would be a forgery:
  [who the mail is from](../outputs/email.md#who-the-mail-is-from).
- Nothing here was tried with an account. What the server says when it refuses stands in the log:
  [troubleshooting](../troubleshooting.md#500).
`;
}

/** What has to stand in the DNS for receivers to believe it. */
function dnsTips(service: ReturnType<typeof serviceOfHost>, { title }: MailAccount): readonly string[] {
  if (service?.hasOwnEnvelope) {
    return [
      `DNS: add the records that ${title} shows for your domain, above all DKIM. Receivers look SPF up for a domain of the service, not for yours.`,
    ];
  }
  if (!service?.spf) {
    return service?.mailboxes
      ? []
      : [`DNS: add the SPF and DKIM records that ${title} shows for your domain.`];
  }
  return [
    `DNS, with a domain of your own: SPF \`v=spf1 include:${service.spf} ~all\` (one SPF record only: put the \`include\` into the one that is there), and the DKIM record that ${title} shows.`,
  ];
}

/** Every guide, by its path. */
export const mailGuides: Readonly<Record<string, () => Promise<string>>> = Object.fromEntries(
  Object.keys(mailAccounts).map((name) => [`docs/mail/${name}.md`, async () => mailGuide(name)]),
);
