/** Writes `built/`: the scripts and styles that forms and pages carry or load, as modules. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { builtModules } from './build.ts';

const folder = fileURLToPath(new URL('built/', import.meta.url));

mkdirSync(folder, { recursive: true });
for (const [name, code] of Object.entries(await builtModules())) writeFileSync(`${folder}${name}.ts`, code);
