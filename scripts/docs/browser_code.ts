import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { minifySync, transformSync } from 'rolldown/utils';

/** The scripts in `<owner>/browser/`, small enough to be sent with every form: a constant a file, named as the file is. */
export function browserCode(owner: string, htmlModule: string): string {
  const folder = new URL(`../../${owner}/browser/`, import.meta.url);
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts'));
  const constants = files.sort().map((file) => {
    const source = readFileSync(new URL(file, folder), 'utf8');
    const script = transformSync(file, source, { target: 'es2020' }).code;
    const { code } = minifySync(file, script, { module: false, compress: { target: 'es2020' } });
    const name = basename(file, '.ts').replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
    return `export const ${name}Code = html\`${code.trim().replaceAll(/[\\`$]/g, '\\$&')}\`;\n`;
  });
  return `// Written by \`npm run generate\` from ${owner}/browser/.\nimport { html } from '${htmlModule}';\n\n${constants.join('\n')}`;
}
