/** The config's JSON Schema in the page, and what it says of the config at a path. */
import { type Signal, signal } from '@preact/signals';
import type { Json, Path } from '../edit/index.ts';
import { loader } from './relay.ts';
import { type Choice, choicesIn, type Key, keysIn, nodeIn, type SchemaNode } from './schema_nodes.ts';

export type { Choice, Key, SchemaNode } from './schema_nodes.ts';

/** `undefined` until it is loaded. */
export const schema: Signal<SchemaNode | undefined> = signal();

export const loadSchema = loader<SchemaNode>('/studio/schema.json', (loaded) => {
  schema.value = loaded;
});

/** The schema of what is, or could be, at `path`; the whole config's keys choose between variants. */
export const nodeAt = (path: Path, value: Json | undefined): SchemaNode | undefined =>
  schema.value && nodeIn(schema.value, path, value);

/** The keys that the map at `path` can have, in the schema's order, those that it has included. */
export const keysAt = (path: Path, value: Json | undefined): readonly Key[] =>
  schema.value ? keysIn(schema.value, path, value) : [];

/** The values that may stand at `path`, with the manual's text, such as those of `['forms', 'contact', 'fields', 0, 'type']`. */
export const choicesAt = (path: Path, value: Json | undefined): readonly Choice[] =>
  schema.value ? choicesIn(schema.value, path, value) : [];
