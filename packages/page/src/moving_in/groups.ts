import type { Control } from '../check/form_controls.ts';
import { ancestry, type PageElement } from '../check/markup.ts';
import { quote } from '../check/page_finding.ts';
import type { MovedField } from './fields.ts';
import { labelFor, withoutMark } from './labels.ts';
import type { Links } from './links.ts';
import { note, type Remark } from './remark.ts';

/** Fields with a legend around them. */
export interface MovedGroup {
  readonly legend: string;
  readonly fields: readonly string[];
}

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
  const fieldsets = new Map<PageElement, Control[]>();
  for (const control of asked) {
    for (const around of ancestry(control.element)) {
      if (around.tag === 'fieldset') fieldsets.set(around, [...(fieldsets.get(around) ?? []), control]);
    }
  }
  for (const [fieldset, inside] of [...fieldsets].toSorted(([a], [b]) => a.place.offset - b.place.offset)) {
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
      asked.every(({ name, element }) => !names.includes(name) || [...ancestry(element)].includes(fieldset));
    if (!isWhole) {
      remarks.push(note(`the legend ${quote(legend)} is left out: its fields do not follow each other here`));
      continue;
    }
    groups.push({ legend, fields: names });
    for (const name of names) grouped.add(name);
  }
  return { groups, remarks };
}
