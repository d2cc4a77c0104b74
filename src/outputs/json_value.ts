import type { Field } from '../fields/field.ts';
import { visibleFields } from '../fields/visible_when.ts';
import { jsonNumber } from '../json_number.ts';
import { type Values, withoutEmpty } from '../values.ts';

/** What was submitted, as JSON has it: numbers, flags and lists keep their type. */
export class JsonValues {
  readonly #values: Values;
  readonly #fields: ReadonlyMap<string, Field>;
  readonly #visible: ReadonlySet<Field>;

  constructor(fields: readonly Field[], values: Values) {
    this.#values = values;
    this.#fields = new Map(fields.map((field) => [field.name, field]));
    this.#visible = new Set(visibleFields(fields, values));
  }

  /**
   * A field's value; `undefined` where there is none. A box that was not ticked is `false`, unless the visitor never saw
   * it.
   */
  of(name: string): unknown {
    const field = this.#fields.get(name);
    const filled = withoutEmpty(this.#values.get(name) ?? []);
    if (field?.inJson === 'flag') return this.#visible.has(field) ? filled.length > 0 : undefined;
    const [first] = filled;
    if (first === undefined) return undefined;
    const typed = field?.inJson === 'number' ? filled.map(numberOrText) : filled;
    return field?.takesSeveral || filled.length > 1 ? typed : typed[0];
  }
}

/** A number that JSON's readers would change, such as an id of 20 digits, stays text. */
const numberOrText = (text: string): number | string => jsonNumber(text) ?? text;
