import { type Recipe, recipes } from '@form-relay/starters/recipes';
import { type Template, templates } from '@form-relay/starters/templates';
import type { GlobalOptions } from './usage.ts';
import { configHeader, writeConfig } from './write_first_config.ts';

/** Writes a whole form to start from, as the studio offers it. */
export async function writeTemplate(
  file: string | undefined,
  options: GlobalOptions,
  name: string,
): Promise<void> {
  // The command knows no other names.
  const { title, config: text } = templates.find((one) => one.name === name) as Template;
  const examples = new Set(text.match(/[\w.@-]+@example\.com|(?<![@/])\b[\w-]+\.example\.com/g));
  const [, folder] = /^ {2}in: (\S+)$/m.exec(text) ?? [];
  await writeConfig(file, options, text, ({ config, relay }) => ({
    wrote: `Wrote ${config} from the template ${name}: ${title.toLowerCase()}.`,
    news: leftToDo([
      `in ${config}, change the words and fields to yours, and replace what is an example:\n    ${[...examples].join(', ')}`,
      ...variablesToSet(text),
      ...(folder === undefined
        ? []
        : [`create the folder ${folder}, where mails wait if the server is down`]),
    ]),
    next: [
      [`${relay} dev`, 'try and change the form; nothing is sent'],
      [`${relay} doctor`, 'is everything set, and does the mail server answer?'],
    ],
  }));
}

/** Writes a config that sends to a service, as the manual's page about it shows it. */
export async function writeRecipe(
  file: string | undefined,
  options: GlobalOptions,
  name: string,
): Promise<void> {
  // The command knows no other names.
  const { title, page, config: text } = recipes.find((one) => one.name === name) as Recipe;
  await writeConfig(file, options, `${configHeader}\n${text}`, ({ config, relay }) => ({
    wrote: `Wrote ${config}: a form for ${title}.`,
    news: leftToDo([
      `in ${config}, replace what is an example; ${page} says where to find what is yours`,
      ...variablesToSet(text),
    ]),
    next: [
      [`${relay} dev`, 'try the form; nothing is sent'],
      [`${relay} doctor`, 'is everything set, and does the service answer?'],
    ],
  }));
}

/** Tasks for the owner of a new config, for `writeConfig`. */
export const leftToDo = (tasks: readonly string[]): string =>
  `\nFor you to do:\n${tasks.map((task) => `  - ${task}\n`).join('')}`;

/** A task for each environment variable without which the config does not work. */
export function variablesToSet(text: string): readonly string[] {
  const named = [...text.matchAll(/env "(\w+)"|url_env: (\w+)/g)].map(([, used, address]) => used ?? address);
  const implied = impliedBy.filter(([key]) => key.test(text)).map(([, name]) => name);
  return [...new Set([...named, ...implied])].map((variable) => `set ${variable} in the environment`);
}

/** Variables that keys need without naming them. */
const impliedBy: readonly (readonly [key: RegExp, variable: string])[] = [
  [/^ +- type: email$/m, 'MAIL_FROM_ADDRESS'],
  [/^ +min_fill_seconds: /m, 'FORM_TOKEN_SECRET'],
  [/^ +double_opt_in:$/m, 'PUBLIC_URL'],
];
