/** A form's list `fields`: fields, with notes between them. */

import type { Diagnostics, Path } from '@form-relay/schema/diagnostics';
import {
  having,
  isMap,
  jsonSchemaOf,
  label,
  localizedText,
  object,
  type Parsed,
  required,
  type Schema,
  schema,
} from '@form-relay/schema/kinds';
import type { Form, Note } from '../form.ts';
import type { Hooks } from '../plugin.ts';
import { unreadable } from './compile.ts';
import { commonFieldKeys, type Field } from './field.ts';

const noteKeys = {
  note: required(
    'Text between fields, or after the last. May contain links: `[words](https://…)`.',
    localizedText(label()),
  ),
  visible_when: commonFieldKeys.visible_when,
};
const note = object(noteKeys);

export type Entry = Field | Parsed<typeof noteKeys>;

const isField = (entry: Entry): entry is Field => !('note' in entry);

export const entrySchema = (field: Schema<Field>): Schema<Entry> =>
  schema(
    () => ({
      if: {
        type: 'object',
        ...having('note'),
        not: { anyOf: [having('name'), having('type')] },
      },
      // biome-ignore lint/suspicious/noThenProperty: `then` is a key of JSON Schema
      then: { ...jsonSchemaOf(note), title: 'note' },
      else: { $ref: '#/definitions/field' },
    }),
    (value, at) => {
      const isNote = isMap(value) && 'note' in value && !('name' in value) && !('type' in value);
      // An unreadable entry keeps its index, so that later entries keep theirs.
      return (isNote ? note : field)(value, at) ?? unreadable({ name: '' });
    },
    { kinds: field.kinds },
  );

export interface FormFields extends Pick<Form, 'fields' | 'notes'> {
  /** The path within the form. */
  pathOf(field: Pick<Field, 'name'>): Path;
}

export function fieldsIn(entries: readonly Entry[]): FormFields {
  const fields: Field[] = [];
  const notes: Note[] = [];
  const placeOf = new Map<string, number>();
  for (const [index, entry] of entries.entries()) {
    const added = isField(entry)
      ? [entry, ...(entry.further ?? [])].filter(({ name }) => name !== '')
      : [{ name: `\n${index}`, text: entry.note, before: fields.length, visible_when: entry.visible_when }];
    for (const { name } of added) if (!placeOf.has(name)) placeOf.set(name, index);
    if (isField(entry)) fields.push(...(added as Field[]));
    else notes.push(...(added as Note[]));
  }
  return {
    fields,
    notes,
    pathOf: ({ name }) => ['fields', placeOf.get(name) ?? -1],
  };
}

type Features = readonly (Hooks & { readonly name: string })[];

/** Rejects two equal names, whether of fields, of inputs of fields, or of inputs that features read. */
export function checkNames(entries: readonly Entry[], features: Features, at: Diagnostics): void {
  const placeOf = new Map<string, number>();
  const declared = entries.filter(isField);
  const withInputs = declared.filter(({ layout }) => layout === 'inputs');
  for (const [index, entry] of entries.entries()) {
    if (!isField(entry) || entry.name === '') continue;
    const { name } = entry;
    const place = at.in('fields', index, 'name');
    if (placeOf.has(name)) place.error(`"${name}" is already declared`);
    else placeOf.set(name, index);
    const owner = withInputs.find((one) => name.startsWith(`${one.name}.`));
    if (owner)
      place.error(
        `"${name}" may be the name of a part of the field "${owner.name}", which begins with "${owner.name}."; choose another name`,
      );
    const companion = declared.find(({ further = [] }) => further.some((one) => one.name === name));
    if (companion) place.error(`"${name}" is sent with the field "${companion.name}"; choose another name`);
  }
  const reserved = features.flatMap(({ name: feature, reserves = [] }) =>
    reserves.map(({ name, key, what = feature }) => ({ name, key, what, isChosen: key.length > 0 })),
  );
  // Fixed names come first, because fields and other checks can choose another name.
  reserved.sort((one, other) => Number(one.isChosen) - Number(other.isChosen));
  const earlier = new Map<string, string>();
  for (const { name, key, what, isChosen } of reserved) {
    const place = at.in(...key);
    const index = placeOf.get(name);
    const other = earlier.get(name);
    if (index !== undefined && !isChosen)
      at.in('fields', index, 'name').error(`"${name}" is ${what}; give this field another name`);
    else if (index !== undefined)
      place.error(`"${name}" is a declared field; ${what} needs a name of its own`);
    else if (other !== undefined) place.error(`"${name}" is the name of ${other} too`);
    if (other === undefined) earlier.set(name, what);
  }
}
