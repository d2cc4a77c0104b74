// `npm run generate` writes the generated files. Bundled keys come first, because the others read them.
import { writeFileSync } from 'node:fs';
import { generated } from './generated.ts';

for (const [path, text] of Object.entries(generated))
  writeFileSync(new URL(`../${path}`, import.meta.url), await text());
