import type { Plugin } from 'rolldown';
import { recipeNames } from '../apps/studio/src/recipe_names.ts';
import { recipes } from '../apps/studio/src/recipes.ts';
import { templateNames } from '../apps/studio/src/template_names.ts';
import { firstConfig, templates } from '../apps/studio/src/templates.ts';
import { pluginStarters } from '../packages/cli/src/plugin_starters.ts';

const files = [
  { path: 'apps/studio/src/recipe_names.ts', exports: { recipeNames } },
  { path: 'apps/studio/src/recipes.ts', exports: { recipes } },
  { path: 'apps/studio/src/template_names.ts', exports: { templateNames } },
  { path: 'apps/studio/src/templates.ts', exports: { firstConfig, templates } },
  { path: 'packages/cli/src/plugin_starters.ts', exports: { pluginStarters } },
];

/** Bundles the values of files that read this repository. */
export const evaluated: Plugin = {
  name: 'evaluated',
  load: {
    filter: { id: files.map(({ path }) => new RegExp(`${path}$`)) },
    handler: (id) =>
      files
        .filter(({ path }) => id.endsWith(path))
        .flatMap(({ exports }) => Object.entries(exports))
        .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`)
        .join('\n'),
  },
};
