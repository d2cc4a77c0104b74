import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { english } from './english.ts';
import { inlineScripts } from './inline_scripts.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The scripts below `/api/v1/`, each in a module of its own, which the relay loads when a page asks for it. */
const scripts = {
  element: ['element/form_js.ts', 'iife'],
  files: ['element/files/attach.ts', 'esm'],
  steps: ['element/steps/attach.ts', 'esm'],
  guard: ['guard/guard.ts', 'esm'],
  stats: ['stats/stats.ts', 'esm'],
  range: ['range/attach.ts', 'esm'],
  remember: ['element/remember/attach.ts', 'esm'],
  computed: ['computed/attach.ts', 'esm'],
  repeat: ['repeat/attach.ts', 'esm'],
  resume: ['element/resume/attach.ts', 'esm'],
  places: ['element/places/attach.ts', 'esm'],
  tel: ['parts/tel.ts', 'esm'],
  signature: ['parts/signature.ts', 'esm'],
} as const;

async function script(path: string, format: 'iife' | 'esm') {
  const build = await rolldown({
    input: here(`src/${path}`),
    platform: 'browser',
    transform: { target: 'es2021', define: english },
  });
  const { output } = await build.generate({ format, minify: true });
  await build.close();
  return output[0].code
    .trim()
    .replaceAll(/(\w?)\/\* @__PURE__ \*\/ /g, (_, before: string) => before && `${before} `)
    .replaceAll(/[\\`]|\$(?=\{)/g, '\\$&');
}

/** Removes comments and needless spaces; each rule keeps a line. The quoted strings have none of the characters replaced here. */
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

/**
 * The scripts and styles that pages load or carry, minified, as modules of constants by name.
 *
 * @param htmlModule The module that gives them `html`.
 */
export async function builtModules(htmlModule: string): Promise<Readonly<Record<string, string>>> {
  const modules = await Promise.all(
    Object.entries(scripts).map(async ([name, [path, format]]) => {
      const code = await script(path, format);
      return [name, `export const ${name}Code = \`${code}\`;\n`] as const;
    }),
  );
  return {
    ...Object.fromEntries(modules),
    inline: await inlineScripts(here('src/inline'), htmlModule),
    range_in_form: await inlineScripts(here('src/range/inline'), htmlModule),
    computed_in_form: await inlineScripts(here('src/computed/inline'), htmlModule),
    repeat_in_form: await inlineScripts(here('src/repeat/inline'), htmlModule),
    style: `import { html } from '${htmlModule}';\n\n${style('form')}\n${style('page')}`,
  };
}
