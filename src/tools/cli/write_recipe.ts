import { recipeNames } from './recipe_names.ts';
import { recipes } from './recipes.ts';
import type { GlobalOptions, RecipeName } from './usage.ts';
import { configHeader, writeConfig } from './write_first_config.ts';

/** Writes a config that sends to a service, as the manual's page about it shows it. */
export async function writeRecipe(
  file: string | undefined,
  options: GlobalOptions,
  name: RecipeName,
): Promise<void> {
  const text = recipes[name];
  const variables = [
    ...new Set([...text.matchAll(/env "(\w+)"|url_env: (\w+)/g)].map(([, used, address]) => used ?? address)),
  ];
  await writeConfig(file, options, `${configHeader}\n${text}`, ({ config, relay }) => ({
    wrote: `Wrote ${config}: a form for ${recipeNames[name]}.`,
    news: `
For you to do:
  - replace what stands for something of your own in ${config}; the comments say what and where from
${variables.map((variable) => `  - set ${variable} in the environment\n`).join('')}`,
    next: [
      [`${relay} dev`, 'try the form; nothing is sent'],
      [`${relay} doctor`, 'is everything set, and does the service answer?'],
    ],
  }));
}
