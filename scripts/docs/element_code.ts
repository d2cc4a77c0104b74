import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { english } from './english.ts';

/** What `/api/v1/form.js` answers: src/views/element/, for a script element of any kind. */
export async function elementCode(): Promise<string> {
  const input = fileURLToPath(new URL('../../src/views/element/form_js.ts', import.meta.url));
  const build = await rolldown({
    input,
    platform: 'browser',
    transform: { target: 'es2020', define: english },
  });
  const { output } = await build.generate({ format: 'iife', minify: true });
  await build.close();
  const code = output[0].code
    .trim()
    .replaceAll('/* @__PURE__ */', '')
    .replaceAll(/[\\`]|\$(?=\{)/g, '\\$&');
  return `// Written by \`npm run generate\` from src/views/element/.\nexport const elementCode = \`${code}\`;\n`;
}
