/** From a part of the live form to its place in the config. */
import type { Json, Path } from '../../edit/index.ts';
import { config, editor, formId, selected } from '../store.ts';

/** Selects what `fields.email`, `outputs.0` or `title` names in the form that is shown. */
export function pointAtKey(key: string): void {
  const path = pathOf(key);
  if (!path) return;
  selected.value = path;
  editor.value?.show(path);
}

/** The form, where the key is not written. */
function pathOf(key: string): Path | undefined {
  const id = formId.value;
  if (id === undefined) return undefined;
  const form = at(config.value.value, ['forms', id]);
  // Its names may have dots.
  const [first = '', rest] = /^(fields|outputs)\.(.*)$/s.exec(key)?.slice(1) ?? [key];
  const list = at(form, [first]);
  if (rest === undefined) return list === undefined ? ['forms', id] : ['forms', id, first];
  if (first === 'outputs') return ['forms', id, first, Number(rest)];
  const index = Array.isArray(list) ? list.findIndex((field) => at(field, ['name']) === rest) : -1;
  return index < 0 ? undefined : ['forms', id, first, index];
}

const at = (value: Json | undefined, path: Path): Json | undefined =>
  path.reduce<Json | undefined>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key)
        ? (inner as Readonly<Record<string | number, Json>>)[key]
        : undefined,
    value,
  );
