import { configJsonSchema } from '../../config/json_schema.ts';

/** docs/webform.schema.json, for editors: what it says of a key is what this version of the relay reads. */
export const configSchemaText = (): string => `${JSON.stringify(configJsonSchema(), null, 2)}\n`;

/** Prints the JSON Schema of the config. */
export function configSchema(): void {
  process.stdout.write(configSchemaText());
}
