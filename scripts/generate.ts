// `npm run generate`: writes the committed files that repeat what packages/ declare.
import { writeFileSync } from 'node:fs';
import { summariesOfOwn } from '../packages/cli/src/commands.ts';
import { configSchemaText } from '../packages/runtimes/src/inspect.ts';
import { bundledKeys } from './bundled_keys.ts';
import { reference } from './reference.ts';

writeFileSync(new URL('../packages/runtimes/src/bundled_keys.json', import.meta.url), await bundledKeys());
writeFileSync(new URL('../packages/cli/src/summaries.json', import.meta.url), await summariesOfOwn());
writeFileSync(new URL('../docs/reference.md', import.meta.url), reference());
writeFileSync(new URL('../docs/webform.schema.json', import.meta.url), await configSchemaText());
