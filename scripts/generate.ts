// `npm run generate`: writes the generated files. The list of units comes first because the others read it, then the bundled keys.
import { writeFileSync } from 'node:fs';
import { catalogueUnits } from './catalogue_units.ts';

const write = (path: string, text: string) => writeFileSync(new URL(`../${path}`, import.meta.url), text);

write('packages/runtimes/src/catalogue.ts', catalogueUnits());
const { generated } = await import('./generated.ts');
for (const [path, text] of Object.entries(generated)) write(path, await text());
