import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { english } from './english.ts';

/** What `/api/v1/form.js` answers: src/views/element/, for a script element of any kind. */
export const elementCode = () => scriptCode('elementCode', 'element/form_js.ts', 'iife');

/** What `/api/v1/files.js` answers, a module. */
export const filesCode = () => scriptCode('filesCode', 'element/files/attach.ts', 'esm');

/** What `/api/v1/steps.js` answers, a module. */
export const stepsCode = () => scriptCode('stepsCode', 'element/steps/attach.ts', 'esm');

/** What `/api/v1/guard.js` answers, a module. */
export const guardCode = () => scriptCode('guardCode', 'guard/guard.ts', 'esm');

async function scriptCode(name: string, path: string, format: 'iife' | 'esm'): Promise<string> {
  const folder = 'src/views/';
  const build = await rolldown({
    input: fileURLToPath(new URL(`../../${folder}${path}`, import.meta.url)),
    platform: 'browser',
    transform: { target: 'es2021', define: english },
  });
  const { output } = await build.generate({ format, minify: true });
  await build.close();
  const code = output[0].code
    .trim()
    .replaceAll(/(\w?)\/\* @__PURE__ \*\/ /g, (_, before: string) => before && `${before} `)
    .replaceAll(/[\\`]|\$(?=\{)/g, '\\$&');
  return `// Written by \`npm run generate\` from ${folder}${path.split('/', 1)[0]}/.\nexport const ${name} = \`${code}\`;\n`;
}
