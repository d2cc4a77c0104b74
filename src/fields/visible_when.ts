import * as v from 'valibot';
import { wrong } from '../schema/issue.ts';
import { optional, required, section } from '../schema/keys.ts';
import { flag, name, texts } from '../schema/kinds.ts';
import type { Values } from '../values.ts';

/** `visible_when`: what another field must hold for this one to be there. */
export interface Condition {
  readonly field: string;
  readonly test: 'is' | 'is_not' | 'filled' | 'empty';
  /** Of `is` and `is_not`: what the field must hold one of, or none of. */
  readonly values: readonly string[];
  holds(values: readonly string[]): boolean;
}

const keys = {
  field: required('The field that decides.', name()),
  is: optional('The value, or one of the values, that it must hold.', texts()),
  is_not: optional('The value, or the values, that it must not hold.', texts()),
  filled: optional('`true`: it must hold something; `false`: it must be empty.', flag()),
};

export const condition = () =>
  v.pipe(
    section(keys, '{field: topic, is: Other}'),
    v.check(
      ({ is, is_not, filled }) => [is, is_not, filled].filter((test) => test !== undefined).length === 1,
      wrong('condition_without_one_test'),
    ),
    v.transform(({ field, is, is_not, filled }): Condition => {
      if (is) {
        const holds = (values: readonly string[]) => values.some((value) => is.includes(value));
        return { field, test: 'is', values: is, holds };
      }
      if (is_not) {
        const holds = (values: readonly string[]) => !values.some((value) => is_not.includes(value));
        return { field, test: 'is_not', values: is_not, holds };
      }
      const holds = (values: readonly string[]) => values.some((value) => value !== '') === filled;
      return { field, test: filled ? 'filled' : 'empty', values: [], holds };
    }),
  );

/**
 * Which fields are there, given what was sent. A condition about a field that is itself not there does not hold, so
 * conditions chain. The config is free of cycles (checked when it loads).
 */
export function visibleFields<F extends { readonly name: string; readonly visible_when?: Condition }>(
  fields: readonly F[],
  values: Values,
): readonly F[] {
  if (fields.every((field) => !field.visible_when)) return fields;
  const byName = new Map(fields.map((field) => [field.name, field]));
  const isVisible = (field: F | undefined): boolean => {
    if (!field) return false;
    const { visible_when: when } = field;
    return !when || (isVisible(byName.get(when.field)) && when.holds(values.get(when.field) ?? []));
  };
  return fields.filter(isVisible);
}
