import { readFile } from 'node:fs/promises';
import type { Plugin } from 'rolldown';

/**
 * Bundles a JSON file as a single value, because a bundler would export each key, which doubles the size of a
 * language. From the relay's package.json, only the version and the manual's location are kept.
 */
export const bundledJson: Plugin = {
  name: 'bundled-json',
  load: {
    order: 'pre',
    filter: { id: /\.json(?:\.d\.ts)?$/ },
    async handler(id) {
      const text = await readFile(id.replace(/\.d\.ts$/, ''), 'utf8');
      const json = isOwnPackage(id) ? aboutPackage(text) : text;
      return id.endsWith('.d.ts')
        ? `declare const value: ${json};\nexport default value;`
        : { code: `export default ${json}`, moduleType: 'js' };
    },
  },
};

const isOwnPackage = (id: string) => id.includes('/package.json') && !id.includes('node_modules');

function aboutPackage(text: string): string {
  const { version, homepage } = JSON.parse(text);
  return JSON.stringify({ version, homepage });
}
