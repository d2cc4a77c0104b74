import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type InputOptions, type Plugin, rolldown } from 'rolldown';
import { english } from './english.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The scripts below `/api/v1/`, each in its own module, which the relay loads when a page requests it. */
const scripts = {
  element: ['element/form_js.ts', 'iife'],
  files: ['element/files/attach.ts', 'esm'],
  steps: ['element/steps/attach.ts', 'esm'],
  guard: ['guard/guard.ts', 'esm'],
  range: ['range/attach.ts', 'esm'],
  repeat: ['repeat/attach.ts', 'esm'],
  conditions: ['element/conditions/attach.ts', 'esm'],
  tel: ['parts/tel.ts', 'esm'],
  verify: ['parts/verify.ts', 'esm'],
  captcha: ['parts/captcha.ts', 'esm'],
  messages: ['parts/messages.ts', 'esm'],
  again: ['parts/again.ts', 'esm'],
  offline: ['parts/offline.ts', 'esm'],
  fallback: ['parts/fallback.ts', 'esm'],
} as const;

/** The relay and the script share this table of 80 KB, which is inserted into the script when a page requests it. */
const phoneMetadata: Plugin = {
  name: 'phone-metadata',
  load: (id) => (id.endsWith('/metadata.min.json.js') ? 'export default phoneMetadata' : undefined),
};
const importMetadata = "import phoneMetadata from 'libphonenumber-js/metadata.min.json';\n\n";

async function bundle(input: string, format: 'iife' | 'esm', transform: InputOptions['transform']) {
  const build = await rolldown({ input, platform: 'browser', transform, plugins: [phoneMetadata] });
  const { output } = await build.generate({ format, minify: true });
  await build.close();
  return output[0].code.trim();
}

async function script(path: string, format: 'iife' | 'esm') {
  const code = await bundle(path, format, { target: 'es2021', define: english });
  return code
    .replaceAll(/(\w?)\/\* @__PURE__ \*\/ /g, (_, before: string) => before && `${before} `)
    .replaceAll(/[\\`]|\$(?=\{)/g, '\\$&');
}

const htmlModule = '@form-relay/base/html';
const importHtml = `import { html } from '${htmlModule}';\n`;

/** The text of a module with the minified script as its default export. */
export const scriptModule = async (path: string): Promise<string> =>
  `export default \`${await script(path, 'esm')}\`;\n`;

/** The scripts in `folder`, minified, as the text of a module with one constant per file, named after it. */
export async function inlineScripts(folder: string): Promise<string> {
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts'));
  const constants = files.toSorted().map(async (file) => {
    const name = basename(file, '.ts').replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
    const code = await bundle(`${folder}/${file}`, 'iife', { target: 'es2020' });
    return `export const ${name}Code = html\`${code.replaceAll(/[\\`$]/g, '\\$&')}\`;\n`;
  });
  return `${importHtml}\n${(await Promise.all(constants)).join('\n')}`;
}

/**
 * Removes comments and unneeded spaces, and puts each rule on one line. The quoted strings contain none of
 * the characters replaced here.
 */
const compact = (css: string): string =>
  css
    .replaceAll(/\/\*.*?\*\//gs, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([{};,>]) ?/g, '$1')
    .replaceAll('( ', '(')
    .replaceAll(' )', ')')
    .replaceAll(': ', ':')
    .replaceAll(';}', '}')
    .replaceAll(/\}(?!\})/g, '}\n')
    .replaceAll(/(@[^{};]+\{)/g, '$1\n')
    .trim();

const style = (name: string) =>
  `export const ${name}Style = html\`\n${compact(readFileSync(here(`src/style/${name}.css`), 'utf8'))}\n\`;\n`;

/** The scripts and styles that pages load or contain, minified, as modules of named constants. */
export async function builtModules(): Promise<Readonly<Record<string, string>>> {
  const modules = await Promise.all(
    Object.entries(scripts).map(async ([name, [path, format]]) => {
      const code = await script(here(`src/${path}`), format);
      const filled = code.replace('phoneMetadata', '$${JSON.stringify(phoneMetadata)}');
      return [
        name,
        `${filled === code ? '' : importMetadata}export const ${name}Code = \`${filled}\`;\n`,
      ] as const;
    }),
  );
  return {
    ...Object.fromEntries(modules),
    inline: await inlineScripts(here('src/inline')),
    range_in_form: await inlineScripts(here('src/range/inline')),
    repeat_in_form: await inlineScripts(here('src/repeat/inline')),
    style: `${importHtml}\n${style('form')}\n${style('page')}`,
  };
}
