import type { Condition } from '../base/condition.ts';
import type { Values } from '../base/values.ts';

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
