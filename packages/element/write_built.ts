/** Writes `built/`: the scripts and styles that forms and pages carry or load, as modules. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import texts from '../core/src/messages/en.json' with { type: 'json' };
import words from '../pages/src/messages.json' with { type: 'json' };
import { builtModules } from './build.ts';

const folder = fileURLToPath(new URL('built/', import.meta.url));

mkdirSync(folder, { recursive: true });
const modules = await builtModules('@form-relay/core/html/html', { ...texts, ...words });
for (const [name, code] of Object.entries(modules)) writeFileSync(`${folder}${name}.ts`, code);
