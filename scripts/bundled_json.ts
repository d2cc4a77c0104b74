import { readFile } from 'node:fs/promises';
import type { Plugin } from 'rolldown';

/** Bundles a JSON file as one value. A bundler exports each of its keys, which doubles the size of a language. */
export const bundledJson: Plugin = {
  name: 'bundled-json',
  load: {
    order: 'pre',
    filter: { id: /(?<!package)\.json(?:\.d\.ts)?$/ },
    async handler(id) {
      const json = await readFile(id.replace(/\.d\.ts$/, ''), 'utf8');
      return id.endsWith('.d.ts')
        ? `declare const value: ${json};\nexport default value;`
        : { code: `export default ${json}`, moduleType: 'js' };
    },
  },
};
