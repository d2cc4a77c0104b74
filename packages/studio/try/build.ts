/** Writes "Try it" into a folder: the studio as a page without a server, which works from any folder, or as a file. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { bootCode, frameScript, pageFiles, workerParts } from './bundle.ts';
import { studioData } from './data.ts';
import { dataFile } from './page/data.ts';
import { emptyPage, framePage } from './pages.ts';

/** @param folder Is made anew. */
export async function buildTryIt(folder: string): Promise<void> {
  const [page, frame, boot, parts, data] = await Promise.all([
    pageFiles(),
    frameScript(),
    bootCode(),
    workerParts(),
    studioData(),
  ]);
  const files: Readonly<Record<string, string>> = {
    'index.html': emptyPage,
    'frame.html': framePage(frame),
    'try_it.css': page.style,
    'try_it.js': page.script,
    ...Object.fromEntries(
      Object.entries(data).map(([path, text]) => [
        dataFile(path) ?? path,
        `tryItData(${JSON.stringify(path)},${JSON.stringify(text)});\n`,
      ]),
    ),
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
