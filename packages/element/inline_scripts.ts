import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { rolldown } from 'rolldown';

/**
 * The scripts in `folder`, minified, as the text of a module: a constant for each file, named after it. A constant is a
 * function of `say` if the script has texts, which are in the form's language.
 *
 * @param htmlModule The module that exports `html` and `scriptText`.
 */
export async function inlineScripts(folder: string, htmlModule: string): Promise<string> {
  const files = readdirSync(folder).filter((name) => /(?<!\.d)\.ts$/.test(name));
  const constants = await Promise.all(
    files.sort().map(async (file) => {
      const name = basename(file, '.ts').replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
      const code = await bundle(`${folder}/${file}`);
      const escaped = code.trim().replaceAll(/[\\`$]/g, '\\$&');
      const codes = [...new Set([...escaped.matchAll(place)].map(([, code]) => `'${code}'`))];
      const say = `say: (text: { readonly code: ${codes.join(' | ')} }) => string`;
      const parameter = codes.length === 0 ? '' : `(${say}) =>\n  `;
      return `export const ${name}Code = ${parameter}html\`${escaped.replaceAll(place, inserted)}\`;\n`;
    }),
  );
  const body = constants.join('\n');
  const names = body.includes('say(') ? 'html, scriptText' : 'html';
  return `import { ${names} } from '${htmlModule}';\n\n${body}`;
}

/** The texts that inline scripts show. The relay inserts them in the form's language. */
const insertedTexts = ['not_sent'] as const;
export type InsertedText = (typeof insertedTexts)[number];

/** `words.not_sent` in a script becomes the string `§not_sent§`, the place of the text. */
const define = Object.fromEntries(insertedTexts.map((code) => [`words.${code}`, `"§${code}§"`]));
const place = /(?:"|'|\\`)§(\w+)§(?:"|'|\\`)/g;
const inserted = (_: string, code: string) => `\${scriptText(say({ code: '${code}' }))}`;

async function bundle(input: string): Promise<string> {
  const build = await rolldown({ input, platform: 'browser', transform: { target: 'es2020', define } });
  const { output } = await build.generate({ format: 'iife', minify: true });
  await build.close();
  return output[0].code;
}
