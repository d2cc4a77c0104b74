import type { Action, Json, Path } from '../../../edit/index.ts';
import { isMap, listOf, valueAt } from '../../schema_nodes.ts';

/** Names of fields and forms. Pure. */

/** `Your e-mail` becomes `your_e_mail`. Empty where nothing is left, as of a label in Japanese. */
export const nameFrom = (label: string): string =>
  label
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('ß', 'ss')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, 40)
    .replace(/_+$/, '');

/** As the relay shows a field without a label (`labelOf` of packages/core/src/fields/label.ts). */
export function labelFrom(name: string): string {
  const words = name.replaceAll(/[_-]+/g, ' ').trim();
  return words === '' ? name : words.charAt(0).toUpperCase() + words.slice(1);
}

/** Text without its links, as a label is where it cannot have them. */
export const withoutLinks = (text: string): string =>
  text.replaceAll(/(?<!\\)\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('\\[', '[');

/** @param form The path of the form that has the field. */
export function requiring(form: Path, name: Json | undefined, config: Json | undefined): readonly Action[] {
  const fields = listOf(valueAt([...form, 'fields'], config));
  const index = fields.findIndex((field) => isMap(field) && String(field.name) === String(name));
  const field = fields[index];
  return isMap(field) && String(field.required).toLowerCase() !== 'true'
    ? [{ do: 'set', path: [...form, 'fields', index, 'required'], value: true }]
    : [];
}
