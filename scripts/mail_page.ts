/** docs/mail.md: a section of the same shape for each account in `mail_services.json`. */
import { type MailAccount, mailAccounts, spfOfHost } from '../packages/clients/src/smtp/mail_services.ts';
import { mailConfig } from '../packages/starters/src/mail_config.ts';

export const mailPage = (): string => `# Mail through your provider

[The studio](studio.md#connect-your-mail) connects your mail in one card. On the command line:

1. Run \`relay init --mail gmail\`, which writes a form with your provider's [output](outputs/email.md).
2. [Set the variables](command-line.md#variables-and-passwords) of your provider's section.
3. If you send from your own domain, add the name after *SPF* to its SPF record, as in
   \`v=spf1 include:_spf.google.com ~all\`, and all records that the provider shows, such as DKIM.
4. Run \`relay doctor\`, which signs in and checks DNS.

Unless a section says otherwise, the username is the address of the mailbox, and \`from\` is that address or an alias.
Personal mailboxes suit a few submissions a day. We tried no provider with an account.

If your network blocks SMTP, use [an HTTP API](outputs/mail_api.md). Postmark, Resend, Mailgun and SendGrid show bounces and complaints, and stop mailing
such addresses. [Your own mail server](outputs/own_server.md) needs no provider.

${Object.entries(mailAccounts).map(sectionOf).join('\n')}`;

const code = (text: string) => `\`${text}\``;
/** Addresses become links. */
const linked = (text: string) => text.replaceAll(/https:\/\/[^\s,;)]+/g, '<$&>');

function sectionOf([name, account]: readonly [string, MailAccount]): string {
  const { title, host, port, otherHosts = [], username, from, limit, notes = [] } = account;
  const spf = [host, ...otherHosts.map(([, other]) => other)].map(spfOfHost).find(Boolean);
  const usual = ['your address', 'the address of the mailbox'];
  return `## ${title}

\`--mail ${name}\`, ${code(`${host}:${port}`)}${spf ? `, SPF: ${code(spf)}` : ''}

${[
  ...mailConfig(name).variables.map(
    ({ name, is, from }) => `${code(name)}: ${is}${from ? ` (${linked(from)})` : ''}`,
  ),
  ...(usual.includes(username.is) || username.written?.includes('{{') ? [] : [`Username: ${username.is}`]),
  ...(otherHosts.length > 0
    ? [`Other hosts: ${otherHosts.map(([whose, other]) => `${whose}: ${code(other)}`).join('; ')}`]
    : []),
  ...(from === undefined ? [] : [`${code('from')}: ${from}`]),
  ...(limit === undefined ? [] : [`Limit: ${limit}`]),
  ...notes,
]
  .map((line) => `- ${line.replace(/\.?$/, '.')}\n`)
  .join('')}`;
}
