/** From a part of the live form to its place in the config. */
import type { Path } from '../../edit/index.ts';
import { isMap, listOf, valueAt } from '../schema_nodes.ts';
import { config, editor, formId, selected } from '../store.ts';

/** Selects what `fields.email`, `outputs.0` or `title` names in the form that is shown. */
export function pointAtKey(key: string): void {
  const path = pathOf(key);
  if (path) showPath(path);
}

export function showPath(path: Path): void {
  selected.value = path;
  editor.value?.show(path);
}

/** The form, where the key is not written. */
function pathOf(key: string): Path | undefined {
  const id = formId.value;
  if (id === undefined) return undefined;
  // Its names may have dots.
  const [first = '', rest] = /^(fields|outputs)\.(.*)$/s.exec(key)?.slice(1) ?? [key];
  const list = valueAt(['forms', id, first], config.value.value);
  if (rest === undefined) return list === undefined ? ['forms', id] : ['forms', id, first];
  if (first === 'outputs') return ['forms', id, first, Number(rest)];
  const index = listOf(list).findIndex((field) => isMap(field) && field.name === rest);
  return index < 0 ? undefined : ['forms', id, first, index];
}
