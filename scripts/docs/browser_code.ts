import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

/**
 * The scripts in `<owner>/browser/`, with what they import from the folders below, small enough to be sent with every
 * form: a constant a file, named as the file is.
 */
export async function browserCode(owner: string, htmlModule: string): Promise<string> {
  const folder = fileURLToPath(new URL(`../../${owner}/browser/`, import.meta.url));
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts'));
  const constants = await Promise.all(
    files.sort().map(async (file) => {
      const name = basename(file, '.ts').replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
      const code = await bundle(folder + file);
      return `export const ${name}Code = html\`${code.trim().replaceAll(/[\\`$]/g, '\\$&')}\`;\n`;
    }),
  );
  return `// Written by \`npm run generate\` from ${owner}/browser/.\nimport { html } from '${htmlModule}';\n\n${constants.join('\n')}`;
}

async function bundle(input: string): Promise<string> {
  const build = await rolldown({ input, platform: 'browser', transform: { target: 'es2020' } });
  const { output } = await build.generate({ format: 'iife', minify: true });
  await build.close();
  return output[0].code;
}
