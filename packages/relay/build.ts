/** Writes `built/`: the scripts and styles of `@form-relay/element`, with the relay's texts and markup. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { builtModules } from '@form-relay/element/build';

const folder = fileURLToPath(new URL('built/', import.meta.url));

mkdirSync(folder, { recursive: true });
for (const [name, code] of Object.entries(await builtModules('../src/base/html.ts'))) {
  writeFileSync(`${folder}${name}.ts`, code);
}
