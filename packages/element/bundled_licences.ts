import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Plugin } from 'rolldown';

/** Ships, beside a bundle, the licences of all packages whose code is in it. */
export const bundledLicences: Plugin = {
  name: 'bundled-licences',
  generateBundle(_, bundle) {
    const folders = new Set<string>();
    for (const file of Object.values(bundle)) {
      if (file.type !== 'chunk') continue;
      for (const id of file.moduleIds) if (id.includes('node_modules')) folders.add(packageOf(id));
    }
    if (folders.size === 0) return;
    const source = [...folders]
      .map(licenceIn)
      .toSorted()
      .join(`\n${'-'.repeat(80)}\n\n`);
    this.emitFile({ type: 'asset', fileName: 'third-party-licences.txt', source });
  },
};

/** The folder of the package that a module is of: the nearest one above it that says its name and version. */
function packageOf(id: string): string {
  for (let folder = dirname(id.replace(/^\0|\?.*$/g, '')); ; folder = dirname(folder)) {
    const path = join(folder, 'package.json');
    if (existsSync(path) && JSON.parse(readFileSync(path, 'utf8')).version) return folder;
    if (folder === dirname(folder)) throw new Error(`${id} is of no package`);
  }
}

/** Throws where a package has none: what nobody licensed cannot be shipped. */
function licenceIn(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
  if (!file || !license) throw new Error(`${name} says nothing about its licence`);
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
}
