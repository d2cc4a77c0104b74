import { readFileSync } from 'node:fs';

const read = (file: string) =>
  readFileSync(new URL(`../../../examples/plugins/starters/${file}`, import.meta.url), 'utf8');
const starter = (kind: string) => ({ code: read(`${kind}.mjs`), test: read(`${kind}.test.mjs`) });

/** Plug-ins to start from, each called `my-plugin`, or `my_plugin` where hyphens are not allowed. The build embeds them. */
export const pluginStarters = {
  output: starter('output'),
  field: starter('field'),
  feature: starter('feature'),
  store: starter('store'),
  command: starter('command'),
};
