/**
 * The last step of `npm run build`: words, phrases and libraries that two builds of `dist` hold are kept once. The other copy
 * becomes a line that loads it.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const dist = join(import.meta.dirname, '../dist');

/** Smaller ones gain nothing. */
const minBytes = 2_000;

/** @param line Loads what stands at a path. `text` is what it loads. */
function shareFiles(
  copies: string,
  originals: string,
  extension: '.cjs' | '.mjs',
  line: (path: string, text: string) => string,
): void {
  const from = copies === '.' ? `./${originals}` : relative(copies, originals);
  const filesIn = (folder: string) =>
    readdirSync(join(dist, folder))
      .filter((name) => name.endsWith(extension))
      .map((name) => ({ name, text: readFileSync(join(dist, folder, name), 'utf8') }));
  const known = new Map(filesIn(originals).map(({ name, text }) => [text, name]));
  const equal = filesIn(copies).filter(({ text }) => known.has(text));
  const isEqual = (imported: string) => equal.some(({ name }) => name === imported);
  for (const { name, text } of equal) {
    // What it imports may have another text in the other build.
    const imported = [...text.matchAll(/["'`]\.\/([\w.-]+\.[cm]js)["'`]/g)].map(([, file = '']) => file);
    if (text.length < minBytes || !imported.every(isEqual)) continue;
    writeFileSync(join(dist, copies, name), line(`${from}/${known.get(text)}`, text));
  }
}

// The folders of the function and of the Worker are uploaded as they are.
shareFiles('cli', 'lambda', '.cjs', (path) => `module.exports=require(${JSON.stringify(path)});\n`);
shareFiles('.', 'cloudflare', '.mjs', (path, text) => {
  const quoted = JSON.stringify(path);
  // `*` leaves a default out.
  return `export*from${quoted};${/\bas default\b/.test(text) ? `export{default}from${quoted};` : ''}\n`;
});
