/** Writes `built/browser.ts`: the scripts of the studio's page. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { inlineScripts } from '@form-relay/element/inline_scripts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

mkdirSync(here('built'), { recursive: true });
writeFileSync(here('built/browser.ts'), await inlineScripts(here('src/browser'), '@form-relay/relay/base'));
