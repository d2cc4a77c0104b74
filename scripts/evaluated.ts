import type { Plugin } from 'rolldown';
import { pluginStarters } from '../packages/starters/src/plugin_starters.ts';
import { recipes } from '../packages/starters/src/recipes.ts';
import { firstConfig, templates } from '../packages/starters/src/templates.ts';

const files = [
  { path: 'packages/starters/src/recipes.ts', exports: { recipes } },
  { path: 'packages/starters/src/templates.ts', exports: { firstConfig, templates } },
  { path: 'packages/starters/src/plugin_starters.ts', exports: { pluginStarters } },
];

/** Bundles the values of files that read this repository at build time. */
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
