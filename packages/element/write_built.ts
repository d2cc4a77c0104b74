/** Writes `built/` here and in the catalogue: the scripts and styles that forms and pages contain or load, as modules. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { builtModules, scriptModule } from './build.ts';

const folder = fileURLToPath(new URL('built/', import.meta.url));

mkdirSync(folder, { recursive: true });
for (const [name, code] of Object.entries(await builtModules())) writeFileSync(`${folder}${name}.ts`, code);

const catalogue = fileURLToPath(new URL('../../catalogue/', import.meta.url));

mkdirSync(`${catalogue}built`, { recursive: true });
for (const file of readdirSync(catalogue).filter((name) => name.endsWith('.page.ts')))
  writeFileSync(
    `${catalogue}built/${file.replace('.page.ts', '.ts')}`,
    await scriptModule(`${catalogue}${file}`),
  );
