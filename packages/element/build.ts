/** Writes `built/`: the scripts and styles that pages load or carry, small enough to be sent, as modules of constants. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { english } from './english.ts';
import { inlineScripts } from './inline_scripts.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Those of `/api/v1/`, each in a file of its own, which the relay reads when a page asks for it. */
const scripts = {
  element: ['element/form_js.ts', 'iife'],
  files: ['element/files/attach.ts', 'esm'],
  steps: ['element/steps/attach.ts', 'esm'],
  guard: ['guard/guard.ts', 'esm'],
} as const;

async function script(path: string, format: 'iife' | 'esm'): Promise<string> {
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

/** Without comments and needless spaces, a line a rule. What stands in quotes has none of the characters that matter here. */
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

mkdirSync(here('built'), { recursive: true });
for (const [name, [path, format]] of Object.entries(scripts)) {
  writeFileSync(here(`built/${name}.ts`), `export const ${name}Code = \`${await script(path, format)}\`;\n`);
}
writeFileSync(here('built/inline.ts'), await inlineScripts(here('src/inline')));
writeFileSync(
  here('built/style.ts'),
  `import { html } from '@form-relay/relay/base/html';\n\n${style('form')}\n${style('page')}`,
);
