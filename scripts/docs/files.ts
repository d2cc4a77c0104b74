import { browserCode } from './browser_code.ts';
import { configJsonSchema } from './json_schema.ts';
import { reference } from './reference.ts';

/** Every generated file, by its path from the root. The same sources give the same bytes. */
export const generatedFiles = {
  'docs/webform.schema.json': () => `${JSON.stringify(configJsonSchema(), null, 2)}\n`,
  'docs/reference.md': reference,
  'src/html/browser_code.ts': browserCode,
} as const;
