import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { en } from '@form-relay/relay/messages/message';
import { rolldown } from 'rolldown';

/**
 * The scripts in `folder`, small enough to be sent with every form, as a module: a constant a file, named as the file is.
 */
export async function inlineScripts(folder: string): Promise<string> {
  const files = readdirSync(folder).filter((name) => /(?<!\.d)\.ts$/.test(name));
  const constants = await Promise.all(
    files.sort().map(async (file) => {
      const name = basename(file, '.ts').replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
      const code = await bundle(`${folder}/${file}`);
      const escaped = code.trim().replaceAll(/[\\`$]/g, '\\$&');
      const said = escaped.replaceAll(place, worded);
      return `export const ${name}Code = ${said === escaped ? '' : '(say: Say) =>\n  '}html\`${said}\`;\n`;
    }),
  );
  const body = constants.join('\n');
  const imports = body.includes('say(')
    ? "import { html, scriptText } from '@form-relay/relay/base/html';\nimport type { Say } from '@form-relay/relay/messages/message';"
    : "import { html } from '@form-relay/relay/base/html';";
  return `${imports}\n\n${body}`;
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
