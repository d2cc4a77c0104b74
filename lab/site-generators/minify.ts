import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** Everything that a minifier of HTML may do. */
const options = {
  collapseBooleanAttributes: true,
  collapseInlineTagWhitespace: true,
  collapseWhitespace: true,
  decodeEntities: true,
  minifyCSS: true,
  minifyJS: true,
  removeAttributeQuotes: true,
  removeComments: true,
  removeEmptyAttributes: true,
  removeEmptyElements: false,
  removeOptionalTags: true,
  removeRedundantAttributes: true,
  sortAttributes: true,
  sortClassName: true,
  useShortDoctype: true,
};

interface Minifier {
  minify(html: string, options: object): Promise<string>;
}

/** Minifies all pages of a folder. */
export async function minify(folder: string): Promise<string> {
  // Of the packages in this folder, which need not be installed when types are checked.
  const minifier: Minifier = createRequire(import.meta.url)('html-minifier-terser');
  for (const path of await readdir(folder, { recursive: true })) {
    if (!path.endsWith('.html')) continue;
    const file = join(folder, path);
    await writeFile(file, await minifier.minify(await readFile(file, 'utf8'), options));
  }
  return folder;
}
