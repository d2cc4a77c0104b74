import { readFile } from 'node:fs/promises';
import type { Plugin } from 'rolldown';

/**
 * Bundles a JSON file as one value. A bundler exports each of its keys, which doubles the size of a language. From package.json
 * nothing is read but the version and the place of the manual.
 */
export const bundledJson: Plugin = {
  name: 'bundled-json',
  load: {
    order: 'pre',
    filter: { id: /\.json(?:\.d\.ts)?$/ },
    async handler(id) {
      const text = await readFile(id.replace(/\.d\.ts$/, ''), 'utf8');
      const json = id.includes('/package.json') ? aboutPackage(text) : text;
      return id.endsWith('.d.ts')
        ? `declare const value: ${json};\nexport default value;`
        : { code: `export default ${json}`, moduleType: 'js' };
    },
  },
};

function aboutPackage(text: string): string {
  const { version, homepage } = JSON.parse(text);
  return JSON.stringify({ version, homepage });
}
