import { configJsonSchema } from '../../src/config/json_schema.ts';
import { browserCode } from './browser_code.ts';
import { reference } from './reference.ts';

/** Every generated file, by its path from the root. The same sources give the same bytes. */
export const generatedFiles = {
  'docs/webform.schema.json': () => `${JSON.stringify(configJsonSchema(), null, 2)}\n`,
  'docs/reference.md': reference,
  'src/html/browser_code.ts': () => browserCode('src/html', './html.ts'),
  'src/playground/browser_code.ts': () => browserCode('src/playground', '../html/html.ts'),
} as const;
