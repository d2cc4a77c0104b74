/** Writes `built/app`, the studio's page, and `built/browser.ts`, scripts for the pages in its frame. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { inlineScripts } from '@form-relay/element/build';
import { build } from 'vite';
import { bundledLicences } from '../../scripts/bundled_licences.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

mkdirSync(here('built'), { recursive: true });
writeFileSync(here('built/browser.ts'), await inlineScripts(here('src/browser')));
await build({ configFile: here('vite.config.ts'), plugins: [bundledLicences] });
