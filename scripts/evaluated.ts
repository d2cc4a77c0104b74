import type { Plugin } from 'rolldown';
import { recipeNames } from '../packages/studio/src/recipe_names.ts';
import { recipes } from '../packages/studio/src/recipes.ts';
import { templateNames } from '../packages/studio/src/template_names.ts';
import { templates } from '../packages/studio/src/templates.ts';

const files = [
  { path: 'packages/studio/src/recipe_names.ts', exports: { recipeNames } },
  { path: 'packages/studio/src/recipes.ts', exports: { recipes } },
  { path: 'packages/studio/src/template_names.ts', exports: { templateNames } },
  { path: 'packages/studio/src/templates.ts', exports: { templates } },
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
