// `npm run generate`: writes the committed files that repeat the schemas in packages/relay/src/.
import { writeFileSync } from 'node:fs';
import { configSchemaText } from '../packages/runtimes/src/inspect.ts';
import { loadAllParts } from '../packages/relay/src/config/late_parts.ts';
import { reference } from './reference.ts';

await loadAllParts();
writeFileSync(new URL('../docs/reference.md', import.meta.url), reference());
writeFileSync(new URL('../docs/webform.schema.json', import.meta.url), await configSchemaText());
