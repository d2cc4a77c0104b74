import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { rolldown } from 'rolldown';

/**
 * The scripts in `folder`, minified, as the text of a module: a constant for each file, named after it.
 *
 * @param htmlModule The module that exports `html`.
 */
export async function inlineScripts(folder: string, htmlModule: string): Promise<string> {
  const constants = await Promise.all(
    readdirSync(folder)
      .filter((name) => name.endsWith('.ts'))
      .toSorted()
      .map(async (file) => {
        const name = basename(file, '.ts').replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
        const code = await bundle(`${folder}/${file}`);
        return `export const ${name}Code = html\`${code.trim().replaceAll(/[\\`$]/g, '\\$&')}\`;\n`;
      }),
  );
  return `import { html } from '${htmlModule}';\n\n${constants.join('\n')}`;
}

async function bundle(input: string): Promise<string> {
  const build = await rolldown({ input, platform: 'browser', transform: { target: 'es2020' } });
  const { output } = await build.generate({ format: 'iife', minify: true });
  await build.close();
  return output[0].code;
}
