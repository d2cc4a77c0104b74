/** A config's schema as JSON Schema draft-07, which editors support best (yaml-language-server and others). */
import { type JsonSchema, jsonSchemaOf } from '../schema/schema.ts';
import type { Registry } from './registry.ts';

/** With the keys and types of these plug-ins. */
export const configJsonSchema = ({ config, field, output }: Registry): JsonSchema => ({
  $schema: 'http://json-schema.org/draft-07/schema#',
  ...jsonSchemaOf(config),
  title: 'Form Relay config',
  description: 'Forms, their fields, and the outputs that get what visitors submit.',
  // Fields may consist of fields, and alerts have outputs, too.
  definitions: { field: jsonSchemaOf(field), output: jsonSchemaOf(output) },
});
