/** The values of a submission as a link holds them: each once, and the names of an entry's fields once for all entries. */

import type { Values } from '../../base/values.ts';
import type { Field, Parts } from '../../fields/field.ts';
import { memberOf } from '../../fields/parts.ts';
import { sentByParts, structureIn } from '../../fields/stored_value.ts';
import type { Form } from '../../form.ts';

/** Entries become a table, `[["seed","grams"],["peas",250]]`, and parts are in the values of their fields already. */
export function packed({ fields }: Pick<Form, 'fields'>, values: Values): Values {
  const all = new Map(values);
  for (const { parts } of fields) for (const { name } of parts?.all ?? []) all.delete(name);
  for (const [{ name }, { blank = [] }, entries] of listsIn(fields, values)) {
    const names = blank.map(({ steps }) => String(steps?.at(-1)));
    const rows = entries.map((entry) => names.map((one) => memberOf(entry, one) ?? null));
    all.set(name, [JSON.stringify([names, ...rows])]);
  }
  return all;
}

/** The opposite, whatever the form has become since. */
export function unpacked(
  { fields, namedParts }: Pick<Form, 'fields' | 'namedParts'>,
  values: Values,
): Values {
  const all = new Map(values);
  for (const [{ name }, , [names, ...rows]] of listsIn(fields, values)) {
    if (!Array.isArray(names)) continue;
    const entries = rows.map((row) => {
      const cells: readonly unknown[] = Array.isArray(row) ? row : [];
      return Object.fromEntries(cells.flatMap((cell, at) => (cell === null ? [] : [[names[at], cell]])));
    });
    all.set(name, [JSON.stringify(entries)]);
  }
  if (!namedParts) return all;
  const parts = fields.flatMap((field) => sentByParts(field, all.get(field.name)?.[0] ?? ''));
  for (const [name, sent] of parts) if (namedParts.has(name)) all.set(name, sent);
  return all;
}

const listsIn = (fields: readonly Field[], values: Values) =>
  fields.flatMap((field): [Field, Parts, readonly unknown[]][] => {
    const list = field.parts?.blank && structureIn(values.get(field.name)?.[0] ?? '');
    return field.parts && Array.isArray(list) ? [[field, field.parts, list]] : [];
  });
