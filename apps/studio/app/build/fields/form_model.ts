/** The form being built, read from the config's current text. */
import { computed, signal } from '@preact/signals';
import {
  type Action,
  isEqual,
  isMap,
  type Json,
  listOf,
  mapOf,
  type Path,
  valueAt,
} from '../../../edit/model.ts';
import { config, formId, selected, state } from '../../store.ts';
import { languagesOf } from '../texts.ts';
import { planOf } from './plan.ts';

const forms = computed(() => mapOf(valueAt(config.value.value, ['forms'])));

/** The ids of all forms in the text, even if it does not load. */
export const formIds = computed(() => Object.keys(forms.value));

/** The form that the server shows; if the text does not have it, its first form. */
export const builtId = computed((): string | undefined => {
  const shown = formId.value;
  return shown !== undefined && formIds.value.includes(shown) ? shown : formIds.value[0];
});

export const formPath = computed((): Path => ['forms', builtId.value ?? '']);
export const form = computed(() => mapOf(forms.value[builtId.value ?? '']));
export const plan = computed(() => planOf(form.value));

export const languages = computed(() => languagesOf(config.value.value, builtId.value ?? ''));
/** The language in which the form is shown and edited. */
export const language = computed(() => {
  const shown = state.value?.form?.language ?? '';
  return languages.value.includes(shown) ? shown : (languages.value[0] ?? 'en');
});

/** Pictures of the fields, unless they belong to another form. */
export const canvas = computed(() => {
  const shown = state.value?.form;
  return shown?.id === builtId.value ? shown?.canvas : undefined;
});

/** Index in `fields` of the open item. */
export const openIndex = computed(() => {
  const [forms, id, list, index] = selected.value ?? [];
  const isHere = forms === 'forms' && id === builtId.value && list === 'fields';
  return isHere && typeof index === 'number' && index < plan.value.items.length ? index : undefined;
});

export const isFormOpen = computed(() => isEqual(selected.value, formPath.value));

export const openItem = (index: number | undefined) => {
  selected.value = index === undefined ? undefined : [...formPath.value, 'fields', index];
};

/** The form and name of the field just added: its name follows its label until it is edited by hand. */
export const fresh = signal<readonly [form: string, name: string] | undefined>(undefined);

const keys = new Map<string, string>();
/** A key that stays the same when a field is renamed, so that its settings stay open and focused. */
export const keyOf = (name: string): string => keys.get(name) ?? name;
export function follow(from: string, to: string): void {
  const key = keyOf(from);
  keys.delete(from);
  if ([...keys.values()].includes(to)) keys.clear();
  keys.set(to, key);
  // A later field with the old name must get a different key.
  keys.set(from, `${from} again`);
}

/** Names of fields and forms: pure functions. */

/** `Your e-mail` becomes `your_e_mail`. Empty if nothing is left, such as for a label in Japanese. */
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

/** The label that the relay gives a field without one (`labelOf` of packages/core/src/fields/label.ts). */
export function labelFrom(name: string): string {
  const words = name.replaceAll(/[_-]+/g, ' ').trim();
  return words === '' ? name : words.charAt(0).toUpperCase() + words.slice(1);
}

/** Text without its links, for places where a label cannot have links. */
export const withoutLinks = (text: string): string =>
  text.replaceAll(/(?<!\\)\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('\\[', '[');

/** @param form The path of the field's form. */
export function requiring(form: Path, name: Json | undefined, config: Json | undefined): readonly Action[] {
  const fields = listOf(valueAt(config, [...form, 'fields']));
  const index = fields.findIndex((field) => isMap(field) && String(field.name) === String(name));
  const field = fields[index];
  return isMap(field) && String(field.required).toLowerCase() !== 'true'
    ? [{ do: 'set', path: [...form, 'fields', index, 'required'], value: true }]
    : [];
}
