import { labelOf } from '@form-relay/core/fields/label';
import type { Common, Delivery, Field, FieldType, OutputForm } from '@form-relay/core/index';

/** A label and values as the visitor read them: the text of an option, `✓` for a ticked box. */
export interface FilledIn {
  /** The name of the field. */
  readonly name?: string;
  readonly label: string;
  readonly values: readonly string[];
  /** Default: depends on the values, either on the label's line or below. */
  readonly shape?: FieldType['shape'];
}

/** Whether the entry is shown as a list. */
export const isList = ({ values, shape }: FilledIn): boolean => shape === 'list' || values.length > 1;

type Sent = Pick<Delivery, 'values' | 'undeclared' | 'remarks' | 'templateContext'>;

/** The contents of messages for people: all fields or those in `mapping`, `static`, and remarks. Omits empty entries. */
export function filledIn(
  { mapping, static: fixed }: Pick<Common, 'mapping' | 'static'>,
  { fields, locale }: Pick<OutputForm, 'fields' | 'locale'>,
  { values, undeclared = new Map(), remarks = [], templateContext }: Sent,
): readonly FilledIn[] {
  const found: FilledIn[] = [];
  const add = (entry: FilledIn) => {
    if (entry.values.length > 0) found.push(entry);
  };
  // A static value replaces a mapped one in place, unless it renders empty.
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

/** Cleans text for people: removes characters that would reorder it, or let visitors forge lines. */

const isHarmless = /^[ -~]*$/;

/** Like `withoutControls`, but keeps tabs. */
export const readable = (text: string): string =>
  isHarmless.test(text)
    ? text
    : text
        .replaceAll(/\r\n?|[\v\f\x85\u2028\u2029]/g, '\n')
        .replaceAll(
          /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb]/g,
          '',
        )
        .replaceAll(/[\ud800-\udfff]/gu, '\ufffd');

/** Removes control characters and those that change the direction of text, so that people read what was sent. */
export const withoutControls = (text: string): string => readable(text).replaceAll('\t', '    ');

/** Also removes surrounding space and repeated empty lines. */
export const plain = (text: string): string =>
  isHarmless.test(text)
    ? text.trim()
    : withoutControls(text)
        .replaceAll(/\n\s*\n/g, '\n\n')
        .trim();

export const plainLine = (text: string): string => plain(text).replaceAll(/\n+/g, ' ');
