import { type Recipe, recipes } from '@form-relay/studio/recipes';
import type { GlobalOptions } from './usage.ts';
import { configHeader, writeConfig } from './write_first_config.ts';

/** Writes a config that sends to a service, as the manual's page about it shows it. */
export async function writeRecipe(
  file: string | undefined,
  options: GlobalOptions,
  name: string,
): Promise<void> {
  // The command knows no other names.
  const { title, page, config: text } = recipes.find((one) => one.name === name) as Recipe;
  const named = [...text.matchAll(/env "(\w+)"|url_env: (\w+)/g)].map(([, used, address]) => used ?? address);
  // The one variable that an output needs without naming it.
  const variables = new Set(/^ +- type: email$/m.test(text) ? [...named, 'MAIL_FROM_ADDRESS'] : named);
  await writeConfig(file, options, `${configHeader}\n${text}`, ({ config, relay }) => ({
    wrote: `Wrote ${config}: a form for ${title}.`,
    news: `
For you to do:
  - in ${config}, replace what is an example; ${page} says where to find what is yours
${[...variables].map((variable) => `  - set ${variable} in the environment\n`).join('')}`,
    next: [
      [`${relay} dev`, 'try the form; nothing is sent'],
      [`${relay} doctor`, 'is everything set, and does the service answer?'],
    ],
  }));
}
