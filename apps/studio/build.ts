/** Builds the studio's page into `built/app`, and scripts for its frame into `built/browser.ts`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { inlineScripts } from '@form-relay/element/build';
import { build } from 'vite';
import { bundledLicences } from '../../scripts/bundled_licences.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

mkdirSync(here('built'), { recursive: true });
writeFileSync(here('built/browser.ts'), await inlineScripts(here('src/browser')));
await build({ configFile: here('vite.config.ts'), plugins: [bundledLicences] });
