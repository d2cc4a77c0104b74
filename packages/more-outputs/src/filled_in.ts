import { labelOf } from '@form-relay/core/fields/label';
import type { Common, Delivery, Field, FieldType, OutputForm } from '@form-relay/core/index';

/** A value and its label as the visitor read them: the words of an option, `✓` for a ticked box. */
export interface FilledIn {
  /** The name of the field. */
  readonly name?: string;
  readonly label: string;
  readonly values: readonly string[];
  /** Default: as the values are, on the label's line or below. */
  readonly shape?: FieldType['shape'];
}

/** Whether each of its values is an item. */
export const isList = ({ values, shape }: FilledIn): boolean => shape === 'list' || values.length > 1;

type Sent = Pick<Delivery, 'values' | 'undeclared' | 'remarks' | 'templateContext'>;

/** The contents of messages for people: all fields or those that `mapping` names, `static`, and remarks, without empty ones. */
export function filledIn(
  { mapping, static: fixed }: Pick<Common, 'mapping' | 'static'>,
  { fields, locale }: Pick<OutputForm, 'fields' | 'locale'>,
  { values, undeclared = new Map(), remarks = [], templateContext }: Sent,
): readonly FilledIn[] {
  const found: FilledIn[] = [];
  const add = (entry: FilledIn) => {
    if (entry.values.length > 0) found.push(entry);
  };
  // A static value overwrites a mapped one, in its place; one that renders empty overwrites nothing.
  const overwriting =
    fixed && new Map([...fixed].map(([key, value]) => [key, value.render(templateContext)]));
  const addField = (key: string, label: string, name: string, field: Field | undefined) => {
    const text = overwriting?.get(key);
    overwriting?.delete(key);
    const stored = values.get(name) ?? [];
    const words = field ? field.words(stored, locale, label) : stored.filter((value) => value !== '');
    if (text) add({ name, label, values: [text] });
    else if (field?.shape === 'block' && words.length > 1)
      add({ name, label, values: [words.join('\n')], shape: 'block' });
    else add({ name, label, values: words, shape: field?.shape });
  };
  if (mapping instanceof Map) {
    const declared = new Map(fields.map((field) => [field.name, field]));
    for (const [key, name] of mapping) addField(key, key, name, declared.get(name));
  } else {
    for (const field of fields) addField(field.name, labelOf(field, locale), field.name, field);
    for (const [name] of undeclared) addField(name, name, name, undefined);
  }
  if (overwriting) for (const [label, text] of overwriting) add({ label, values: text ? [text] : [] });
  for (const { label, words } of remarks) add({ label, values: [words] });
  return found;
}
