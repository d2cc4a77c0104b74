import { hasLinks } from '@form-relay/core/html/html';
import type { Control } from '../check/form_controls.ts';
import { ancestry, byPlace, isWithin, type PageElement } from '../check/markup.ts';
import { quote } from '../check/page_finding.ts';
import type { Links } from './addresses.ts';
import type { Keys } from './config_text.ts';
import { box, type Draft, group, list, typed } from './drafts.ts';
import { hasWords, type Labels, labelFor, withoutMark } from './labels.ts';
import { note, type Remark, toDo, when } from './remark.ts';

/** A field of the config, with what its owner should know. */
export interface MovedField {
  readonly name: string;
  readonly keys: Keys;
  readonly remarks: readonly Remark[];
}

interface FieldContext {
  readonly own: readonly PageElement[];
  readonly labels: Labels;
}

/** The field that the controls of one name make together. */
export function fieldOf(name: string, controls: readonly Control[], context: FieldContext): MovedField {
  // A hidden twin sends something where a box is not ticked; the relay knows that without it.
  const seen = controls.filter(({ kind }) => kind !== 'hidden');
  const meant = seen.length > 0 ? seen : controls;
  const draft = draftOf(name, meant, context);
  const { required: demanded, ...rest } = draft.keys;
  const isDisabled = meant.every(({ element }) => element.isDisabled);
  const keys = {
    name,
    type: rest.type,
    label: rest.label,
    required: isDisabled ? undefined : demanded,
    ...rest,
    placeholder: rest.placeholder === rest.label ? undefined : rest.placeholder,
  };
  const about = quote(name);
  const isNameless = keys.label === undefined && keys.type !== 'hidden' && !hasWords(name);
  const hasTwin = seen.length > 0 && seen.length < controls.length;
  const nameless = `the page has no label for ${about}, and its name is no word: write one, as label`;
  const twin = `${about} has a hidden twin in the page, which the relay does not need; remove it there`;
  const disabled = `${about} is disabled in the page, so that it is not sent; say required: true if a script enables it`;
  return {
    name,
    keys,
    remarks: [
      ...(draft.remarks ?? []),
      ...when(isNameless, toDo(nameless)),
      ...when(hasTwin, note(twin)),
      ...when(isDisabled, toDo(disabled)),
    ],
  };
}

function draftOf(name: string, controls: readonly Control[], { own, labels }: FieldContext): Draft {
  const [first] = controls;
  if (!first) return { keys: {} };
  const areAll = (kind: string) => controls.every((control) => control.kind === kind);
  if (areAll('radio')) return group('radios', name, controls, labels);
  if (areAll('checkbox')) {
    // Options hold no links, so a consent is a box of its own, whatever its name.
    const isGroup = controls.length > 1 || (name.endsWith('[]') && !hasLinks(labels.linked(first)));
    return isGroup ? group('checkboxes', name, controls, labels) : box(name, first, labels);
  }
  const kinds = new Set(controls.map(({ kind }) => kind));
  if (kinds.size > 1) {
    const draft = typed(name, first, labels);
    const mixed = `${quote(name)} is the name of several kinds of controls; here it is one line of text`;
    return { keys: { label: draft.keys.label }, remarks: [toDo(mixed)] };
  }
  const draft = first.kind === 'select' ? list(name, first, own, labels) : typed(name, first, labels);
  if (controls.length === 1) return draft;
  const several = `${quote(name)} stands ${controls.length} times in the page; here it is one field, as its first one`;
  return { ...draft, remarks: [...(draft.remarks ?? []), toDo(several)] };
}

export type MovedGroup = {
  readonly legend: string;
  readonly fields: readonly string[];
};

/** The fieldsets of a form that have a legend. Of some inside each other, the outer one counts: groups hold no groups. */
export function groupsOf(
  own: readonly PageElement[],
  asked: readonly Control[],
  fields: readonly MovedField[],
  links: Links,
): { readonly groups: readonly MovedGroup[]; readonly remarks: readonly Remark[] } {
  const groups: MovedGroup[] = [];
  const remarks: Remark[] = [];
  const order = fields.filter(({ keys }) => keys.type !== 'hidden').map(({ name }) => name);
  const grouped = new Set<string>();
  const fieldsets = new Set(asked.flatMap(({ element }) => [...ancestry(element)])).values();
  const inOrder = [...fieldsets].filter(({ tag }) => tag === 'fieldset').toSorted(byPlace);
  for (const fieldset of inOrder) {
    const inside = asked.filter(({ element }) => isWithin(element, fieldset));
    const heading = own.find(({ tag, parent }) => tag === 'legend' && parent === fieldset);
    const legend = withoutMark(heading?.linkedWords(links) ?? '');
    const names = order.filter((name) => inside.some((control) => control.name === name));
    const [first = ''] = names;
    // A legend around one choice is its label.
    const isLabel =
      names.length === 1 &&
      fields.some(({ name, keys }) => name === first && keys.label === labelFor(first, legend));
    if (legend === '' || names.length === 0 || isLabel || names.some((name) => grouped.has(name))) continue;
    const start = order.indexOf(first);
    const isWhole =
      names.every((name, index) => order[start + index] === name) &&
      asked.every(({ name, element }) => !names.includes(name) || isWithin(element, fieldset));
    if (!isWhole) {
      remarks.push(note(`the legend ${quote(legend)} is left out: its fields do not follow each other here`));
      continue;
    }
    groups.push({ legend, fields: names });
    for (const name of names) grouped.add(name);
  }
  return { groups, remarks };
}
