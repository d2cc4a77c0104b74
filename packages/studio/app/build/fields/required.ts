/** A field that visitors must not leave empty, because another setting needs its value. Pure. */
import type { Action, Json, Path } from '../../../edit/index.ts';
import { isMap, listOf, valueAt } from '../../schema_nodes.ts';

/** @param form The path of the form that has the field. */
export function requiring(form: Path, name: Json | undefined, config: Json | undefined): readonly Action[] {
  const fields = listOf(valueAt([...form, 'fields'], config));
  const index = fields.findIndex((field) => isMap(field) && String(field.name) === String(name));
  const field = fields[index];
  return isMap(field) && String(field.required).toLowerCase() !== 'true'
    ? [{ do: 'set', path: [...form, 'fields', index, 'required'], value: true }]
    : [];
}
