import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Plugin } from 'rolldown';

/**
 * Adds the licences of all bundled packages next to a bundle. The function's folder has its own copy, because
 * it is uploaded separately.
 */
export const bundledLicences: Plugin = licencesIn({
  '': 'third-party-licences.txt',
  'lambda/': 'lambda/third-party-licences.txt',
});

/** @param files Maps prefixes of chunk names to the licence file of their packages. */
export function licencesIn(files: Readonly<Record<string, string>>): Plugin {
  const generateBundle: Plugin['generateBundle'] = function (_, bundle) {
    const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
    for (const [place, fileName] of Object.entries(files)) {
      const ids = chunks.filter(({ fileName }) => fileName.startsWith(place)).flatMap((one) => one.moduleIds);
      const folders = new Set(ids.filter((id) => id.includes('node_modules')).map(packageOf));
      if (folders.size === 0) continue;
      const byText = new Map<string, { readonly text: string; readonly titles: string[] }>();
      for (const { title, text, notice } of [...folders].map(licenceIn)) {
        const key = text.replaceAll(/\s+|https?:|END OF TERMS.*/g, '');
        const one = byText.get(key) ?? { text, titles: [] };
        byText.set(key, one);
        one.titles.push(`${title}${notice}`);
      }
      const source = [...byText.values()]
        .map(({ text, titles }) => `${titles.toSorted().join('\n')}\n\n${text}\n`)
        .toSorted()
        .join(`\n${'-'.repeat(80)}\n\n`);
      this.emitFile({ type: 'asset', fileName, source });
    }
  };
  return { name: 'bundled-licences', generateBundle };
}

/** The folder of a module's package: the nearest ancestor whose package.json has a name and version. */
function packageOf(id: string): string {
  for (let folder = dirname(id.replace(/^\0|\?.*$/g, '')); ; folder = dirname(folder)) {
    const path = join(folder, 'package.json');
    if (existsSync(path) && JSON.parse(readFileSync(path, 'utf8')).version) return folder;
    if (folder === dirname(folder)) throw new Error(`${id} belongs to no package`);
  }
}

/**
 * A package's licence. The appendix of Apache's licence is reduced to its copyright notice, so that packages
 * share the rest. Throws if a package has no licence, because unlicensed code must not be shipped.
 */
function licenceIn(folder: string): {
  readonly title: string;
  readonly text: string;
  readonly notice: string;
} {
  const { name, version, license, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
  const holder = typeof author === 'string' ? author : author?.name;
  const named = licences[license];
  if (!file && !(named && holder)) throw new Error(`${name} names no licence`);
  const whole = file ? readFileSync(join(folder, file), 'utf8').trim() : (named?.(holder) ?? '');
  const [text = '', appendix = ''] = whole.split(/(?<=^\s*END OF TERMS AND CONDITIONS)$/m);
  const [notice] = /^\s*Copyright .*\d.*$/m.exec(appendix) ?? [];
  const title = `${name} ${version}${license ? ` (${license})` : ''}`;
  return { title, text, notice: notice ? `, ${notice.trim()}` : '' };
}

/** For packages that only name their licence. */
const mit = (holder: string) => `Copyright (c) ${holder}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

/** Packages of the SDK that only name their licence are bundled with others that contain its text. */
const apache = (holder: string) =>
  `Copyright ${holder}\n\nLicensed under the Apache License, Version 2.0, whose text other packages in this file have: https://www.apache.org/licenses/LICENSE-2.0`;

const licences: Readonly<Record<string, (holder: string) => string>> = { MIT: mit, 'Apache-2.0': apache };
