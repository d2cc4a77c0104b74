import { mailAccounts } from '@form-relay/mail-dns/mail_services';
import { mailConfig, type Variable } from '@form-relay/starters/mail_config';
import { calledAs } from './called_as.ts';
import type { GlobalOptions } from './usage.ts';
import { configHeader, writeConfig } from './write_first_config.ts';

/** Writes a config that sends mail through an account that people have. */
export async function writeMailConfig(
  file: string | undefined,
  options: GlobalOptions,
  name: string,
): Promise<void> {
  const { text, variables } = mailConfig(name);
  const title = mailAccounts[name]?.title;
  const width = Math.max(...variables.map((one) => one.name.length));
  await writeConfig(file, options, `${configHeader}\n${text}`, ({ config, relay }) => ({
    wrote: `Wrote ${config}: a contact form that sends mail through ${title}.`,
    news: `
For you to do:
  - in ${config}, write your addresses${text.includes('TENANT_ID') ? ', and the id of your directory in place of TENANT_ID' : ''};
    docs/mail/${name}.md says more
  - set in .env beside ${config}, or in the environment:
${variables.map((one) => shown(one, width)).join('')}`,
    next: [
      [`${relay} dev`, 'try the form; nothing is sent'],
      [`${relay} doctor`, 'does the server take the login, and will mail arrive?'],
    ],
  }));
}

const shown = ({ name, is, from }: Variable, width: number) =>
  `      ${name.padEnd(width)}  ${is}\n${from === undefined ? '' : `      ${' '.repeat(width)}  from ${from}\n`}`;

/** Every account: its name, and what it wants. */
export function listMailAccounts(): void {
  const rows = Object.entries(mailAccounts).map(
    ([name, { title }]) => [name, title, mailConfig(name).wants] as const,
  );
  const [first, second] = [0, 1].map((column) => Math.max(...rows.map((row) => row[column as 0 | 1].length)));
  const lines = rows.map(
    ([name, title, wants]) => `  ${name.padEnd(first ?? 0)}  ${title.padEnd(second ?? 0)}  ${wants}\n`,
  );
  process.stdout.write(`${calledAs} init --mail NAME writes a config for one of these, and says where to find
what it logs in with:

${lines.join('')}
Any other server: ${calledAs} init --output smtp
`);
}
