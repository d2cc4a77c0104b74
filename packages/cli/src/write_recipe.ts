import { type Recipe, recipes } from '@form-relay/studio/recipes';
import { leftToDo, variablesToSet } from './left_to_do.ts';
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
