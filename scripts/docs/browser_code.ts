import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { en } from '../../src/messages/en.ts';

/**
 * The scripts in `<owner>/browser/`, with what they import from the folders below, small enough to be sent with every
 * form: a constant a file, named as the file is. `src` is the path from `owner` to src.
 */
export async function browserCode(owner: string, src: string): Promise<string> {
  const folder = fileURLToPath(new URL(`../../${owner}/browser/`, import.meta.url));
  const files = readdirSync(folder).filter((name) => /(?<!\.d)\.ts$/.test(name));
  const constants = await Promise.all(
    files.sort().map(async (file) => {
      const name = basename(file, '.ts').replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
      const code = await bundle(folder + file);
      const escaped = code.trim().replaceAll(/[\\`$]/g, '\\$&');
      const said = escaped.replaceAll(place, worded);
      return `export const ${name}Code = ${said === escaped ? '' : '(say: Say) =>\n  '}html\`${said}\`;\n`;
    }),
  );
  const body = constants.join('\n');
  const imports = body.includes('say(')
    ? `import { html, scriptText } from '${src}/html.ts';\nimport type { Say } from '${src}/messages/message.ts';`
    : `import { html } from '${src}/html.ts';`;
  return `// Written by \`npm run generate\` from ${owner}/browser/.\n${imports}\n\n${body}`;
}

/** Where a script says something, its words come in with the form's language: `words.not_sent` is `"§not_sent§"` until then. */
const define = Object.fromEntries(Object.keys(en).map((code) => [`words.${code}`, `"§${code}§"`]));
const place = /(?:"|'|\\`)§(\w+)§(?:"|'|\\`)/g;
const worded = (_: string, code: string) => `\${scriptText(say({ code: '${code}' }))}`;

async function bundle(input: string): Promise<string> {
  const build = await rolldown({ input, platform: 'browser', transform: { target: 'es2020', define } });
  const { output } = await build.generate({ format: 'iife', minify: true });
  await build.close();
  return output[0].code;
}
