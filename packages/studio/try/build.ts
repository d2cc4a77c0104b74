/** Writes "Try it" into a folder: the studio as a page without a server, which works from any folder, or as a file. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { recipes } from '../src/recipes.ts';
import { style } from '../src/studio_style.ts';
import { bootCode, frameScript, pageScript, workerParts } from './bundle.ts';
import { emptyPage, framePage } from './pages.ts';
import { moreStyle } from './style.ts';

/** @param folder Is made anew. */
export async function buildTryIt(folder: string): Promise<void> {
  const [page, frame, boot, parts] = await Promise.all([
    pageScript(),
    frameScript(),
    bootCode(),
    workerParts(),
  ]);
  const samples = Object.fromEntries(recipes.map(({ name, config }) => [name, config]));
  const files: Readonly<Record<string, string>> = {
    'index.html': emptyPage(),
    'frame.html': framePage(frame),
    'try_it.css': `${style}${moreStyle}`,
    'try_it.js': page,
    'samples.js': `tryItSamples(${JSON.stringify(samples)});\n`,
    'parts/boot.js': part('boot', [], boot),
    ...Object.fromEntries(
      parts.map(({ name, needs, code }) => [
        `parts/${name}.js`,
        part(name, needs, `function(exports,require,load){${code}}`),
      ]),
    ),
  };
  await rm(folder, { recursive: true, force: true });
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
}

/** Hands a part of the worker's program to the page, which hands it on. */
const part = (name: string, needs: readonly string[], code: string) =>
  `tryIt(${JSON.stringify(name)},${JSON.stringify(needs)},${code});\n`;
