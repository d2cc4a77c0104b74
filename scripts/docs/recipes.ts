import { readdirSync, readFileSync } from 'node:fs';

/** A config that a page of the manual shows, and `relay init --output` writes. */
export interface Recipe {
  readonly name: string;
  /** The heading that it stands under, or that of its page. */
  readonly title: string;
  /** From the root. */
  readonly page: string;
  readonly config: string;
}

const folder = new URL('../../docs/outputs/', import.meta.url);

/** The block of YAML after each sentence with `relay init --output NAME`. */
export const recipes: readonly Recipe[] = readdirSync(folder)
  .filter((file) => file.endsWith('.md'))
  .flatMap((file) => {
    const text = readFileSync(new URL(file, folder), 'utf8');
    const [, title = ''] = /^# (.*)$/m.exec(text) ?? [];
    const shown = text.matchAll(/`relay init --output (\w+)`[^`]*```yaml\n(.*?)^```$/gms);
    return [...shown].map(([, name = '', config = '']) => ({
      name,
      title,
      page: `docs/outputs/${file}`,
      config,
    }));
  })
  .sort((a, b) => (a.name < b.name ? -1 : 1));

const written = '// Written by `npm run generate` from docs/outputs/.\n';

/** Their names and titles, which every command reads. */
export const recipeNames = async (): Promise<string> =>
  `${written}export const recipeNames = {\n${recipes
    .map(({ name, title }) => `  ${name}: '${title.replaceAll("'", "\\'")}',\n`)
    .join('')}} as const;\n`;

/** Their pages and configs, which `relay init --output` reads. */
export const recipeConfigs = async (): Promise<string> =>
  `${written}import type { recipeNames } from './recipe_names.ts';

interface Recipe {
  readonly page: string;
  readonly config: string;
}

export const recipes: Readonly<Record<keyof typeof recipeNames, Recipe>> = {
${recipes
  .map(
    ({ name, page, config }) =>
      `  ${name}: {\n    page: '${page}',\n    config: \`${config.replaceAll(/[\\`]|\$(?=\{)/g, '\\$&')}\`,\n  },\n`,
  )
  .join('')}};
`;
