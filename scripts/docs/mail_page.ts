import { readFileSync } from 'node:fs';
import { mailConfig } from '../../packages/cli/src/mail_config.ts';
import { mailAccounts, secretOf } from '../../packages/relay/src/transports/smtp/mail_services.ts';

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
  row(['Provider', '`--mail`', 'Host', 'Port', 'Password']),
  row(Array.from({ length: 5 }, () => '---')),
  ...Object.entries(mailAccounts).map(([name, account]) =>
    row([
      `[${account.title}](../mail/${name}.md)`,
      `\`${name}\``,
      `\`${account.host}\``,
      `${account.port}`,
      secretOf(account),
    ]),
  ),
].join('');
