/** The editor's sources: the schema and template functions, from the studio; the config, as last readable. */
import { effect, type Signal, signal } from '@preact/signals';
import { type Json, readConfig } from '../../edit/index.ts';
import type { TemplateWords } from '../../src/state.ts';
import { loader } from '../relay.ts';
import { loadSchema, schema } from '../schema.ts';
import { config } from '../store.ts';
import type { Language } from './completions.ts';
import { placeAt } from './place.ts';

const words: Signal<TemplateWords> = signal({ functions: [], references: [] });
const loadWords = loader<TemplateWords>('/studio/template_words.json', (loaded) => {
  words.value = loaded;
});

export const loadLanguage = () => Promise.all([loadSchema(), loadWords()]);

/** `undefined` until the schema is there. */
export const language = (): Language | undefined =>
  schema.value && { schema: schema.value, words: words.value };

let lastReadable: Json | undefined;
effect(() => {
  lastReadable = config.value.value ?? lastReadable;
});

/** The config without the word that is being typed, which is seldom YAML. */
export function valueAround(text: string, offset: number): Json | undefined {
  const { at, key, from, to } = placeAt(text, offset);
  const isBeginning = key === undefined && at !== 'value';
  return (isBeginning && readConfig(text.slice(0, from) + text.slice(to)).value) || lastReadable;
}
