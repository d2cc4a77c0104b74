import type { Values } from '@form-relay/base/values';
import {
  boolean,
  isMap,
  jsonSchemaOf,
  name,
  object,
  optional,
  required,
  type Schema,
  schema,
  texts,
} from './kinds.ts';

/** The value that another field must hold for a field to be shown (`visible_when`). */
export interface Condition {
  readonly field: string;
  readonly test: 'is' | 'is_not' | 'filled' | 'empty';
  /** For `is` and `is_not`: the field must hold one of them, or none. */
  readonly values: readonly string[];
  holds(values: readonly string[]): boolean;
}

const keys = {
  field: required('The field that decides.', name()),
  is: optional('The value, or one of the values, that it must hold.', texts()),
  is_not: optional('The value, or the values, that it must not hold.', texts()),
  filled: optional('`true`: it must hold something; `false`: it must be empty.', boolean()),
};

const tests = ['is', 'is_not', 'filled'];

const read = object(keys, '{field: topic, is: Other}', (_, at) => {
  const { written } = at;
  if (isMap(written) && tests.filter((test) => Object.hasOwn(written, test)).length !== 1)
    at.error('expected exactly one of is, is_not and filled beside field');
});

export const condition: Schema<Condition> = schema(
  () => jsonSchemaOf(read),
  (value, at) => {
    const written = read(value, at);
    if (written?.field === undefined) return undefined;
    const { field, is, is_not, filled } = written;
    if (is)
      return { field, test: 'is', values: is, holds: (values) => values.some((one) => is.includes(one)) };
    if (is_not) {
      const holds = (values: readonly string[]) => !values.some((one) => is_not.includes(one));
      return { field, test: 'is_not', values: is_not, holds };
    }
    const holds = (values: readonly string[]) => values.some((one) => one !== '') === filled;
    return { field, test: filled ? 'filled' : 'empty', values: [], holds };
  },
);

/** The condition in words for the owner, such as `kind is sales or support`. */
export function inWords({ field, test, values }: Pick<Condition, 'field' | 'test' | 'values'>): string {
  const any = values.map((value) => (value === '' ? 'empty' : value)).join(' or ');
  const said = { is: `is ${any}`, is_not: `is not ${any}`, filled: 'is filled in', empty: 'is empty' };
  return `${field} ${said[test]}`;
}

interface Conditional {
  readonly name: string;
  readonly visible_when?: Condition | undefined;
}

/** The fields that are visible, given what was sent. A condition about a hidden field does not hold, so conditions chain. */
export function visibleFields<F extends Conditional>(fields: readonly F[], values: Values): readonly F[] {
  if (fields.every((field) => !field.visible_when)) return fields;
  const byName = new Map(fields.map((field) => [field.name, field]));
  const isVisible = (field: F | undefined): boolean => {
    const when = field?.visible_when;
    if (!when) return field !== undefined;
    return isVisible(byName.get(when.field)) && when.holds(values.get(when.field) ?? []);
  };
  return fields.filter(isVisible);
}
