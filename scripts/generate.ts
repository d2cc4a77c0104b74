// `npm run generate`: writes the committed files that repeat the schemas in packages/relay/src/.
import { writeFileSync } from 'node:fs';
import { loadAllParts } from '../packages/relay/src/config/late_parts.ts';
import { configSchemaText } from '../packages/runtimes/src/inspect.ts';
import { reference } from './reference.ts';

await loadAllParts();
writeFileSync(new URL('../docs/reference.md', import.meta.url), reference());
writeFileSync(new URL('../docs/webform.schema.json', import.meta.url), await configSchemaText());
