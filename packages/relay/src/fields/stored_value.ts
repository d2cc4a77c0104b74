/** The values of a field as JSON and as people read them. */
import { jsonNumber } from '../base/json_number.ts';
import { inLabels, withoutEmpty } from '../base/values.ts';
import type { Field } from './field.ts';

type Typed = Pick<Field, 'inJson' | 'takesSeveral' | 'structured'>;

/** `undefined` if there is none. A box that was not ticked is `false`. */
export function asJson(field: Typed | undefined, values: readonly string[]): unknown {
  const filled = withoutEmpty(values);
  if (field?.structured) return filled[0] === undefined ? undefined : field.structured(filled[0]);
  if (field?.inJson === 'flag') return filled.length > 0;
  const [first] = filled;
  if (first === undefined) return undefined;
  if (field?.inJson === 'structure') return structureIn(first) ?? first;
  const typed = field?.inJson === 'number' ? filled.map(numberOrText) : filled;
  return field?.takesSeveral || filled.length > 1 ? typed : typed[0];
}

/** A number that JSON's readers would change, such as an id of 20 digits, stays text. */
const numberOrText = (text: string): number | string => jsonNumber(text) ?? text;

/** The values of which `asJson` made this, whatever it is. */
export function fromJson({ inJson, possibleValues }: Field, value: unknown): readonly string[] {
  if (inJson === 'flag') return value === true ? [possibleValues?.[0] ?? 'true'] : [];
  const all: readonly unknown[] = Array.isArray(value) ? value : [value];
  return all.filter((one) => typeof one === 'string' || typeof one === 'number').map(String);
}

/**
 * The words of options, `✓` for a ticked box, a text for each item of a field of parts. `label`: what stands beside them.
 */
export function asWords(
  field: Field | undefined,
  values: readonly string[],
  label?: string,
): readonly string[] {
  const structure = field?.parts && structureIn(values[0] ?? '');
  if (structure) return field?.parts?.words(structure) ?? [];
  const read = field?.inWords;
  const words = inLabels(read ? values.map((value) => read(value, label)) : values, field?.options);
  if (field?.isOrdered) return words.map((word, index) => `${index + 1}. ${word}`);
  return field?.inJson === 'flag' && !field.structured && words.length > 0 ? ['✓'] : words;
}

/** Splits a field's value into the names and values of its parts. */
export function sentByParts(
  { parts }: Field,
  value: string,
): readonly (readonly [string, readonly string[]])[] {
  const structure = parts && structureIn(value);
  if (!structure) return [];
  return parts.spread(structure).found.flatMap(([name, member]) => {
    const part = parts.all.find((one) => one.name === name);
    return part ? [[name, fromJson(part, member)] as const] : [];
  });
}

/** Reads a stored structure; `undefined` if the text is none, as it was kept by another config. */
export function structureIn(stored: string): object | undefined {
  try {
    const value: unknown = JSON.parse(stored);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
