import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { english } from './english.ts';

/** What `/api/v1/form.js` answers: src/views/element/, for a script element of any kind. */
export const elementCode = () => scriptCode('elementCode', 'form_js.ts', 'iife');

/** What `/api/v1/files.js` answers, a module. */
export const filesCode = () => scriptCode('filesCode', 'files/attach.ts', 'esm');

async function scriptCode(name: string, path: string, format: 'iife' | 'esm'): Promise<string> {
  const folder = new URL('../../src/views/element/', import.meta.url);
  const build = await rolldown({
    input: fileURLToPath(new URL(path, folder)),
    platform: 'browser',
    transform: { target: 'es2021', define: english },
  });
  const { output } = await build.generate({ format, minify: true });
  await build.close();
  const code = output[0].code
    .trim()
    .replaceAll(/(\w?)\/\* @__PURE__ \*\/ /g, (_, before: string) => before && `${before} `)
    .replaceAll(/[\\`]|\$(?=\{)/g, '\\$&');
  return `// Written by \`npm run generate\` from src/views/element/.\nexport const ${name} = \`${code}\`;\n`;
}
