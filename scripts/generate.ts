// `npm run generate`: writes the files that say in other words what the schemas in packages/relay/src/ say.
import { writeFileSync } from 'node:fs';
import { generatedFiles } from './docs/files.ts';

for (const [path, text] of Object.entries(generatedFiles)) {
  writeFileSync(new URL(`../${path}`, import.meta.url), await text());
  process.stdout.write(`${path}\n`);
}
