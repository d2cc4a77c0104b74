/** Generates docs/mail.md: a section of the same form for each account in `mail_services.json`. */
import { type MailAccount, mailAccounts, spfOfHost } from '../packages/clients/src/smtp/mail_services.ts';
import { mailConfig } from '../packages/starters/src/mail_config.ts';
import { filled } from './pages/template.ts';

export const mailPage = (): string =>
  filled('mail', { accounts: Object.entries(mailAccounts).map(sectionOf).join('\n') });

const code = (text: string) => `\`${text}\``;
/** Turns URLs into links. */
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
