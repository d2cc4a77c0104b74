/** The list `fields` of a form: fields, with notes between them. */

import { type Diagnostics, either, type Path, shown } from '@form-relay/schema/diagnostics';
import {
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
import { nearest } from '@form-relay/schema/suggestion';
import type { Form } from '../form.ts';
import type { FormHooks } from '../plugin.ts';
import { unreadable } from './compile.ts';
import type { Field } from './field.ts';

const noteKeys = {
  note: required(
    'Text between two fields, or after the last. It may hold links: `[words](https://…)`.',
    localizedText(label()),
  ),
};
const note = object(noteKeys);

export type Entry = Field | Parsed<typeof noteKeys>;

const isField = (entry: Entry): entry is Field => !('note' in entry);

export const entrySchema = (field: Schema<Field>): Schema<Entry> =>
  schema(
    () => ({
      if: {
        type: 'object',
        required: ['note'],
        not: { anyOf: [{ required: ['name'] }, { required: ['type'] }] },
      },
      // biome-ignore lint/suspicious/noThenProperty: a key of JSON Schema
      then: { ...jsonSchemaOf(note), title: 'note' },
      else: { $ref: '#/definitions/field' },
    }),
    (value, at) => {
      at.report.readField = field;
      const isNote = isMap(value) && 'note' in value && !('name' in value) && !('type' in value);
      // An unreadable one keeps its place, so that those behind it do.
      return (isNote ? note : field)(value, at) ?? unreadable({ name: '' });
    },
    { kinds: field.kinds },
  );

export interface FormFields extends Pick<Form, 'fields' | 'notes'> {
  /** In the form. */
  pathOf(field: Pick<Field, 'name'>): Path;
}

export function fieldsIn(entries: readonly Entry[]): FormFields {
  const notes: Form['notes'][number][] = [];
  for (const [index, entry] of entries.entries())
    if (!isField(entry)) notes.push({ text: entry.note, before: index - notes.length });
  return {
    fields: entries.filter(isField).filter(({ name }) => name !== ''),
    notes,
    pathOf: ({ name }) => ['fields', entries.findIndex((one) => isField(one) && one.name === name)],
  };
}

type Features = readonly (FormHooks & { readonly name: string })[];

/** No two fields, no field and input of another field, and no field and input that a feature reads share a name. */
export function checkNames(entries: readonly Entry[], features: Features, at: Diagnostics): void {
  const placeOf = new Map<string, number>();
  const withInputs = entries.filter(isField).filter(({ layout }) => layout === 'inputs');
  for (const [index, entry] of entries.entries()) {
    if (!isField(entry) || entry.name === '') continue;
    const { name } = entry;
    const place = at.in('fields', index, 'name');
    if (placeOf.has(name)) place.error(`"${name}" is declared already`);
    else placeOf.set(name, index);
    const owner = withInputs.find((one) => name.startsWith(`${one.name}.`));
    if (owner)
      place.error(
        `"${name}" may be the name of a part of the field "${owner.name}", which begins with "${owner.name}."; choose another name`,
      );
  }
  const reserved = features.flatMap(({ name: feature, reservedFields = [] }) =>
    reservedFields.map(({ name, key, what = feature }) => ({ name, key, what, isChosen: key.length > 0 })),
  );
  // Fixed names come first: a field or another check has to give way to them.
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

/** A longer chain is a mistake, and every submission has to follow it. */
const longestChain = 100;

/** `visible_when` names a declared field and values that it can have, and following the conditions ends somewhere, soon. */
export function checkConditions({ fields, pathOf }: FormFields, at: Diagnostics): void {
  const byName = new Map(fields.map((field): [string, Field] => [field.name, field]).reverse());
  for (const field of fields) {
    const { visible_when: when } = field;
    if (!when) continue;
    const place = at.in(...pathOf(field), 'visible_when');
    checkFieldCondition(when, fields, place);
    checkChain(field, byName, place.in('field'));
  }
}

interface Test {
  readonly field: string;
  readonly test?: string | undefined;
  readonly values?: readonly string[] | undefined;
}

/** As `checkDecider`, for a condition of a field: what it depends on is known while the form is filled in. */
function checkFieldCondition(when: Test, fields: readonly Field[], at: Diagnostics): void {
  const decider = checkDecider(when, fields, at);
  if (decider?.inputs) at.in('field').error(onInputs(decider.name), { code: 'condition_on_parts' });
}

const onInputs = (name: string) =>
  `"${name}" is made of several fields, so no value can be compared with it; only \`when\` of an output can ask whether it is \`filled\`, or not`;

/** The field of a condition is declared, and can hold the values that the condition compares. Returns the field. */
export function checkDecider(
  { field: name, test = 'filled', values = [] }: Test,
  fields: readonly Field[],
  at: Diagnostics,
): Field | undefined {
  const decider = fields.find((one) => one.name === name);
  if (!decider) {
    const names = fields.map((one) => one.name);
    return at.in('field').error(`"${name}" is not a declared field`, {
      code: 'field_undeclared',
      suggestion: nearest(name, names),
      word: name,
    });
  }
  const compares = test === 'is' || test === 'is_not';
  if (compares && decider.inputs)
    at.in(test).error(onInputs(name), { code: 'condition_on_parts', aboutKey: true });
  if (compares && decider.takeFiles)
    at.in(test).error(
      `visitors choose files of any name: a field of type ${decider.type} can only be \`filled\`, or not`,
      { code: 'condition_on_files', aboutKey: true },
    );
  // Empty text stands for no choice.
  const { offered } = decider;
  const wrong = offered ? values.findIndex((value) => value !== '' && !offered.includes(value)) : -1;
  if (wrong < 0 || !offered) return decider;
  const found = values[wrong] ?? '';
  const near = nearest(found, offered);
  const place = at.in(test);
  (Array.isArray(place.written) ? place.in(wrong) : place).error(
    `found ${shown(found, place)}; "${name}" never has this value${near === undefined ? `; expected ${either(offered.slice(0, 200))}` : ''}`,
    { code: 'condition_never_holds', suggestion: near, word: found },
  );
  return decider;
}

function checkChain(field: Field, byName: ReadonlyMap<string, Field>, at: Diagnostics): undefined {
  const seen = new Set<Field>();
  const deciderOf = ({ visible_when: when }: Field) => byName.get(when?.field ?? '');
  for (let next = deciderOf(field); next && !seen.has(next); next = deciderOf(next)) {
    if (next === field)
      return at.error('this condition depends on itself; a cycle decides nothing', {
        code: 'condition_circular',
      });
    seen.add(next);
    if (seen.size > longestChain)
      return at.error(`this condition depends on more than ${longestChain} others`, {
        code: 'condition_chain_too_long',
      });
  }
}
