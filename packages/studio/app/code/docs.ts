/** The manual's text on what stands at an offset. */
import type { Json } from '../../edit/index.ts';
import { keysIn, nodeIn } from '../schema_nodes.ts';
import { bracesAt, fieldsOf, kindOfKey, type Language, signatureOf } from './completions.ts';
import { placeAt } from './place.ts';

export interface Docs {
  readonly title: string;
  readonly detail: string;
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

export function docsAt(
  text: string,
  offset: number,
  { schema, words }: Language,
  value: Json | undefined,
): Docs | undefined {
  const { at, path, key, from, to, text: word } = placeAt(text, offset);
  if (offset < from || offset > to) return undefined;
  if (at === 'key' && key !== undefined) {
    const known = keysIn(schema, path, value).find(({ name }) => name === key);
    return known && { title: key, detail: kindOfKey(known), text: known.description, from, to };
  }
  if (at !== 'value' && at !== 'item') return undefined;
  if (bracesAt(text, offset) !== undefined) return templateDocs(text, offset, words);
  const field = fieldsOf(path, value).find(
    ({ name }) =>
      name === word &&
      /^(?:mapping|field|to|\$field)$/.test(String(path.at(-2) === 'mapping' ? 'mapping' : path.at(-1))),
  );
  if (field) return { title: word, detail: `field, ${field.type}`, text: field.label, from, to };
  const { enum: values = [], enumDescriptions = [] } = nodeIn(schema, path, value) ?? {};
  const description = enumDescriptions[values.indexOf(word)];
  return description === undefined
    ? undefined
    : { title: word, detail: String(path.at(-1)), text: description, from, to };
}

function templateDocs(text: string, offset: number, words: Language['words']): Docs | undefined {
  const before = /[.\w-]*$/.exec(text.slice(0, offset))?.[0] ?? '';
  const word = before + (/^[\w.-]*/.exec(text.slice(offset))?.[0] ?? '');
  const from = offset - before.length;
  const place = { from, to: from + word.length };
  const called = words.functions.find(({ name }) => name === word);
  if (called) return { title: signatureOf(called), detail: 'function', text: called.summary, ...place };
  const read = words.references.find(({ name }) =>
    name.endsWith('<name>') ? word.startsWith(name.replace('<name>', '')) : name === word,
  );
  return read && { title: word, detail: '', text: read.summary, ...place };
}
