import type { Plugin } from 'rolldown';
import { pluginStarters } from '../packages/starters/src/plugin_starters.ts';
import { recipeNames } from '../packages/starters/src/recipe_names.ts';
import { recipes } from '../packages/starters/src/recipes.ts';
import { templateNames } from '../packages/starters/src/template_names.ts';
import { firstConfig, templates } from '../packages/starters/src/templates.ts';

const files = [
  { path: 'packages/starters/src/recipe_names.ts', exports: { recipeNames } },
  { path: 'packages/starters/src/recipes.ts', exports: { recipes } },
  { path: 'packages/starters/src/template_names.ts', exports: { templateNames } },
  { path: 'packages/starters/src/templates.ts', exports: { firstConfig, templates } },
  { path: 'packages/starters/src/plugin_starters.ts', exports: { pluginStarters } },
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
