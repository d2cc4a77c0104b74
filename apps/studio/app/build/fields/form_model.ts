/** The form that is built, as the config's text has it now. */
import { computed, signal } from '@preact/signals';
import type { Action, Json, Path } from '../../../edit/model.ts';
import { isMap, listOf, valueAt } from '../../schema_nodes.ts';
import { config, formId, selected, state } from '../../store.ts';
import { languagesOf } from '../texts.ts';
import { planOf } from './plan.ts';

const root = computed(() => (isMap(config.value.value) ? config.value.value : {}));

/** The ids of all forms in the text, also while it does not load. */
export const formIds = computed(() => (isMap(root.value.forms) ? Object.keys(root.value.forms) : []));

/** The form that the server shows; where the text has no such form, its first. */
export const builtId = computed((): string | undefined => {
  const shown = formId.value;
  return shown !== undefined && formIds.value.includes(shown) ? shown : formIds.value[0];
});

export const formPath = computed((): Path => ['forms', builtId.value ?? '']);
export const form = computed(() => {
  const forms = root.value.forms;
  const found: Json | undefined = isMap(forms) ? forms[builtId.value ?? ''] : undefined;
  return isMap(found) ? found : {};
});
export const plan = computed(() => planOf(form.value));

export const languages = computed(() => languagesOf(config.value.value, builtId.value ?? ''));
/** The language in which the form is shown and edited. */
export const language = computed(() => {
  const shown = state.value?.form?.language ?? '';
  return languages.value.includes(shown) ? shown : (languages.value[0] ?? 'en');
});

/** Pictures, unless they are of another form. */
export const canvas = computed(() => {
  const shown = state.value?.form;
  return shown?.id === builtId.value ? shown?.canvas : undefined;
});

/** The place in `fields` of the item that is open. */
export const openIndex = computed(() => {
  const [forms, id, list, index] = selected.value ?? [];
  const isHere = forms === 'forms' && id === builtId.value && list === 'fields';
  return isHere && typeof index === 'number' && index < plan.value.items.length ? index : undefined;
});

export const isFormOpen = computed(() => {
  const path = selected.value;
  return path?.length === 2 && path[0] === 'forms' && path[1] === builtId.value;
});

export const openItem = (index: number | undefined) => {
  selected.value = index === undefined ? undefined : [...formPath.value, 'fields', index];
};

/** The field that was just added: its name follows its label until it is edited by hand. */
export const fresh = signal<string | undefined>(undefined);

const keys = new Map<string, string>();
/** Stays the same while a field is renamed, so that its settings stay open and keep the keyboard. */
export const keyOf = (name: string): string => keys.get(name) ?? name;
export function follow(from: string, to: string): void {
  const key = keyOf(from);
  keys.delete(from);
  if ([...keys.values()].includes(to)) keys.clear();
  keys.set(to, key);
  // Another field that gets the old name is another one.
  keys.set(from, `${from} again`);
}

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
