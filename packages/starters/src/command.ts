/** `relay init`. */

import { mailAccounts } from '@form-relay/clients/smtp/mail_services';
import { type CommandContext, command, option } from '@form-relay/core/command';
import type { Plugin } from '@form-relay/core/plugin';
import { pageName } from '@form-relay/page/check/check_page';
import { anyText, fileName, textSchema } from '@form-relay/schema/scalars';
import { didYouMean, nearest } from '@form-relay/schema/suggestion';
import { mailConfig, type Variable } from './mail_config.ts';
import { type Recipe, recipes } from './recipes.ts';
import { firstConfig, type Template, templates } from './templates.ts';
import { configHeader, writeConfig } from './write_config.ts';

/** A known name, however it is written. */
const oneOf = (kind: string, known: readonly { readonly name: string }[]) =>
  textSchema((text, at) => {
    const names = known.map(({ name }) => name);
    const name = text.toLowerCase().replaceAll(/[- ]/g, '_');
    if (names.includes(name)) return name;
    // `sheets`, `github_issues`
    const alike = names.filter((one) => one.includes(name) || name.includes(one));
    const near =
      didYouMean(nearest(name, names)) || (alike.length === 1 ? ` (did you mean ${alike[0]}?)` : '');
    return at.error(`Unknown ${kind}${near}. Choose one of ${names.join(', ')}.`);
  });

/** A mail account that a config can send through. */
const mailAccountName = textSchema((text, at) => {
  const name = plainName(text);
  const called = Object.entries(mailAccounts).map(
    ([own, { alsoCalled = [] }]) => [own, [own, ...alsoCalled].map(plainName)] as const,
  );
  const exact = called.find(([own]) => plainName(own) === name);
  if (exact) return exact[0];
  const near = nearest(
    name,
    called.flatMap(([, names]) => names),
  );
  const meant = called.find(([, names]) => names.includes(near ?? name))?.[0];
  return at.error(
    `Unknown provider${meant === undefined ? '' : ` (did you mean ${meant}?)`}. There are: ${called.map(([own]) => own).join(', ')}.`,
  );
});

/** Turns `Microsoft 365` and `microsoft-365` into `microsoft365`. */
const plainName = (text: string) => text.toLowerCase().replaceAll(/[^a-z\d]/g, '');

/** Names in lines of up to 80 characters. */
const columns = (title: string, names: readonly string[]) =>
  `${title}:${names.join(', ').replaceAll(/(.{1,76})(?: |$)/g, '\n  $1')}`;

const namesOf = (all: readonly { readonly name: string }[]) => all.map(({ name }) => name);

const init = command({
  name: 'init',
  summary: 'write your first config',
  description:
    'write a config (a first form, a template, one for a service, or an import) and the schema for editors; never overwrites files',
  arguments: { file: option('file', 'path of the new config (default: --config)', fileName) },
  options: {
    template: option('name', 'a complete form: one of the templates below', oneOf('template', templates), {
      conflicts: ['from', 'form', 'output', 'mail'],
    }),
    output: option('service', 'deliver to one of the services below', oneOf('recipe', recipes), {
      conflicts: ['from', 'form'],
    }),
    mail: {
      ...option<string | true>(
        'provider',
        'deliver by mail through one of the providers below; without a name, list them',
        mailAccountName,
        { conflicts: ['from', 'form', 'output'] },
      ),
      mayLackValue: true,
    },
    from: option('file', 'import a page with a form, or an export of a form', pageName),
    form: option('form', 'the id, name or number of a form, if the file has several', anyText),
  },
  notes: [
    columns('Templates', namesOf(templates)),
    columns('Services', namesOf(recipes)),
    columns('Mail providers', Object.keys(mailAccounts)),
  ].join('\n\n'),
  examples: [
    ['relay init', 'write webform.yaml and webform.schema.json'],
    ['relay init forms.yaml', 'write to another file'],
    ['relay init --template quote', 'a complete form with steps and conditions'],
    ['relay init --output slack', 'with everything for Slack'],
    ['relay init --mail gmail', 'a mail for each submission, through your account'],
    ['relay init --from public/contact.html', 'to move a form from another service or script'],
  ],
  run: async ({ file, from, form, mail, output, template }, context) => {
    if (mail === true) return listMailAccounts(context);
    if (mail !== undefined) return writeMailConfig(file, context, mail);
    if (template !== undefined) return writeTemplate(file, context, template);
    if (output !== undefined) return writeRecipe(file, context, output);
    if (from !== undefined) return (await import('./move_form_in.ts')).moveFormIn(file, context, from, form);
    if (form !== undefined) throw context.misuse("option '--form' needs '--from'");
    return writeFirstConfig(file, context);
  },
});

export const plugin: Plugin = { name: 'init', commands: [init] };

/** Writes a first config and the schema for editors. Overwrites nothing. */
const writeFirstConfig = (file: string | undefined, context: CommandContext): Promise<void> =>
  writeConfig(file, context, firstConfig, ({ config, relay }) => ({
    wrote: `Wrote ${config}: a contact form, for which you still have to choose an output.`,
    next: [
      [`${relay} dev`, 'try the form; nothing is sent'],
      [`${relay} config validate`, 'check the config after each change'],
    ],
  }));

/** Writes a config that sends mail through a common mail account. */
async function writeMailConfig(
  file: string | undefined,
  context: CommandContext,
  name: string,
): Promise<void> {
  const { text, variables } = mailConfig(name);
  const title = mailAccounts[name]?.title;
  const width = Math.max(...variables.map((one) => one.name.length));
  await writeConfig(file, context, `${configHeader}\n${text}`, ({ config, relay }) => ({
    wrote: `Wrote ${config}: a contact form that sends mail through ${title}.`,
    news: `
Still to do:
  - in ${config}, write your addresses${text.includes('TENANT_ID') ? ', and replace TENANT_ID with the id of your directory' : ''};
    docs/mail.md says more
  - set in .env beside ${config}, or in the environment:
${variables.map((one) => shown(one, width)).join('')}`,
    next: [
      [`${relay} dev`, 'try the form; nothing is sent'],
      [`${relay} doctor`, 'check the login, and whether mail will arrive'],
    ],
  }));
}

const shown = ({ name, is, from }: Variable, width: number) =>
  `      ${name.padEnd(width)}  ${is}\n${from === undefined ? '' : `      ${' '.repeat(width)}  from ${from}\n`}`;

/** Lists every account by name, with what its login requires. */
function listMailAccounts({ calledAs, print }: CommandContext): void {
  const rows = Object.entries(mailAccounts).map(
    ([name, { title }]) => [name, title, mailConfig(name).wants] as const,
  );
  const [first, second] = [0, 1].map((column) => Math.max(...rows.map((row) => row[column as 0 | 1].length)));
  const lines = rows.map(
    ([name, title, wants]) => `  ${name.padEnd(first ?? 0)}  ${title.padEnd(second ?? 0)}  ${wants}\n`,
  );
  print(`${calledAs} init --mail NAME writes a config for one of these, and explains where to find
its login:

${lines.join('')}
Any other server: ${calledAs} init --output smtp
`);
}

/** Writes a complete form to start from, the same as in the studio. */
async function writeTemplate(file: string | undefined, context: CommandContext, name: string): Promise<void> {
  // The command accepts only names of templates.
  const { title, config: text } = templates.find((one) => one.name === name) as Template;
  const examples = new Set(text.match(/[\w.@-]+@example\.com|(?<![@/])\b[\w-]+\.example\.com/g));
  const [, folder] = /^ {2}in: (\S+)$/m.exec(text) ?? [];
  await writeConfig(file, context, text, ({ config, relay }) => ({
    wrote: `Wrote ${config} from the template ${name}: ${title.toLowerCase()}.`,
    news: leftToDo([
      `in ${config}, adapt the texts and fields, and replace these examples:\n    ${[...examples].join(', ')}`,
      ...variablesToSet(text),
      ...(folder === undefined
        ? []
        : [`create the folder ${folder}, which queues mails while the server is down`]),
    ]),
    next: [
      [`${relay} dev`, 'try and change the form; nothing is sent'],
      [`${relay} doctor`, 'check that everything is set and the mail server responds'],
    ],
  }));
}

/** Writes a config that delivers to a service, taken from its manual page or its unit. */
async function writeRecipe(file: string | undefined, context: CommandContext, name: string): Promise<void> {
  // The command accepts only names of recipes.
  const { title, page, config: text } = recipes.find((one) => one.name === name) as Recipe;
  await writeConfig(file, context, `${configHeader}\n${text}`, ({ config, relay }) => ({
    wrote: `Wrote ${config}: a form for ${title}.`,
    news: leftToDo([
      `in ${config}, replace the example values; ${page} explains where to find yours`,
      ...variablesToSet(text),
    ]),
    next: [
      [`${relay} dev`, 'try the form; nothing is sent'],
      [`${relay} doctor`, 'check that everything is set and the service responds'],
    ],
  }));
}

/** Lists the tasks left to the owner of a new config, for `writeConfig`. */
const leftToDo = (tasks: readonly string[]): string =>
  `\nStill to do:\n${tasks.map((task) => `  - ${task}\n`).join('')}`;

/** A task for each environment variable that the config needs. */
function variablesToSet(config: string): readonly string[] {
  const text = config.replaceAll(/^ *#.*/gm, '');
  const named = [...text.matchAll(/env "(\w+)"|url_env: (\w+)/g)].map(([, used, address]) => used ?? address);
  const implied = impliedBy.filter(([key]) => key.test(text)).map(([, name]) => name);
  return [...new Set([...named, ...implied])].map((variable) => `set ${variable} in .env or the environment`);
}

/** Variables that a key needs without naming them. */
const impliedBy: readonly (readonly [key: RegExp, variable: string])[] = [
  [/^ +- type: email$/m, 'MAIL_FROM_ADDRESS'],
  [/^ +min_fill_seconds: /m, 'FORM_TOKEN_SECRET'],
  [/^ +double_opt_in:$/m, 'PUBLIC_URL'],
];
