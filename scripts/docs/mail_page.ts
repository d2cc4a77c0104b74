import { readFileSync } from 'node:fs';
import { mailConfig } from '../../src/tools/cli/mail_config.ts';
import { type MailAccount, mailAccounts, secretOf } from '../../src/transports/smtp/mail_services.ts';

/** The page about mail, with the table of providers and what `relay init --mail` writes as they are now. */
export const mailPage = async (): Promise<string> =>
  readFileSync(new URL('../../docs/outputs/email.md', import.meta.url), 'utf8')
    .replace(/^\| Provider \|.*\n(\|.*\n)*/m, () => table)
    .replaceAll(
      /(`relay init --mail (\w+)` writes it:\n\n```yaml\n).*?^```$/gms,
      (_, before: string, name: string) => `${before}${mailConfig(name).text}\`\`\``,
    );

const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;

const table = [
  row(['Provider', '`--mail`', 'Host', 'Port', 'Username', 'Password', 'Where it is, and what else']),
  row(Array.from({ length: 7 }, () => '---')),
  ...Object.entries(mailAccounts).map(([name, account]) =>
    row([account.title, `\`${name}\``, ...cells(account)]),
  ),
].join('');

function cells(account: MailAccount): readonly string[] {
  const { host, otherHosts = [], port, username, secret, note } = account;
  const others = otherHosts.map(([whose, other]) => `; ${whose}: \`${other}\``).join('');
  const found = `${secret.from.replaceAll(/https:[^\s,;]+/g, '<$&>')}.`;
  return [
    `\`${host}\`${others}`,
    `${port}`,
    username.is,
    secretOf(account),
    [found.charAt(0).toUpperCase() + found.slice(1), note].filter(Boolean).join(' '),
  ];
}
