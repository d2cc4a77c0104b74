/** Requests to the studio's server. */

import { type Signal, signal } from '@preact/signals';
import type { Json, Path } from '../edit/model.ts';
import { type Choice, choicesIn, type Key, keysIn, nodeIn, type SchemaNode } from './schema_nodes.ts';

/** The server's answer. */
export interface Answer {
  readonly ok: boolean;
  readonly text: string;
}

/** Asks it for something, or has it do something; nothing comes where it has stopped. */
export async function ask(path: string, body?: string | URLSearchParams): Promise<Answer | undefined> {
  try {
    const answer = await fetch(path, body === undefined ? {} : { method: 'POST', body });
    return { ok: answer.ok, text: await answer.text() };
  } catch {
    return undefined;
  }
}

/** Loads JSON once; after a failure, the next call tries again. */
export function loader<T>(path: string, take: (loaded: T) => void): () => Promise<void> {
  let loading: Promise<void> | undefined;
  return () => {
    loading ??= ask(path).then((answer) => {
      if (answer?.ok) take(JSON.parse(answer.text));
      else loading = undefined;
    });
    return loading;
  };
}

export const post = (path: string, values: Readonly<Record<string, string>>) =>
  ask(path, new URLSearchParams(values));

/** The config's JSON Schema in the page, and what it says of the config at a path. */

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
