import { hasLinks } from '@form-relay/base/html';
import { byPlace, groupBy, isWithin, nearest, type PageElement } from '../check/markup.ts';
import { type Control, quote } from '../check/page_form.ts';
import type { Links } from './addresses.ts';
import { type Keys, note, type Remark, toDo, when } from './config_text.ts';
import { box, type Draft, group, list, typed } from './drafts.ts';
import { hasWords, type Labels, labelFor, withoutMark } from './labels.ts';

/** A field of the config, with remarks for its owner. */
export interface MovedField {
  readonly name: string;
  readonly keys: Keys;
  readonly remarks: readonly Remark[];
}

/** The field for all controls with one name. */
export function fieldOf(name: string, controls: readonly Control[], labels: Labels): MovedField {
  // A hidden twin sends a value if a box is not ticked, which the relay does not need.
  const seen = controls.filter(({ kind }) => kind !== 'hidden');
  const meant = seen.length > 0 ? seen : controls;
  const draft = draftOf(name, meant, labels);
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
  const nameless = `the page has no label for ${about}, and its name is not a word: add a label`;
  const twin = `${about} has a hidden duplicate in the page, which the relay does not need; remove it there`;
  const disabled = `${about} is disabled in the page, so it is not sent; add required: true if a script enables it`;
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

function draftOf(name: string, controls: readonly Control[], labels: Labels): Draft {
  const [first] = controls;
  if (!first) return { keys: {} };
  const areAll = (kind: string) => controls.every((control) => control.kind === kind);
  if (areAll('radio')) return group('radios', name, controls, labels);
  if (areAll('checkbox')) {
    // Options cannot contain links, so a consent with links becomes a box, whatever its name.
    const isGroup = controls.length > 1 || (name.endsWith('[]') && !hasLinks(labels.linked(first)));
    return isGroup ? group('checkboxes', name, controls, labels) : box(name, first, labels);
  }
  const kinds = new Set(controls.map(({ kind }) => kind));
  if (kinds.size > 1) {
    const draft = typed(name, first, labels);
    const mixed = `${quote(name)} is the name of several kinds of controls; here it is a line of text`;
    return { keys: { label: draft.keys.label }, remarks: [toDo(mixed)] };
  }
  const draft = first.kind === 'select' ? list(name, first, labels) : typed(name, first, labels);
  if (controls.length === 1) return draft;
  const several = `${quote(name)} appears ${controls.length} times in the page; here it is one field, like the first`;
  return { ...draft, remarks: [...(draft.remarks ?? []), toDo(several)] };
}

export type MovedGroup = {
  readonly legend: string;
  readonly fields: readonly string[];
};

/** The fieldsets of a form with a legend. The outermost of nested fieldsets counts, because groups cannot be nested. */
export function groupsOf(
  own: readonly PageElement[],
  questions: readonly Control[],
  fields: readonly MovedField[],
  links: Links,
): { readonly groups: readonly MovedGroup[]; readonly remarks: readonly Remark[] } {
  const groups: MovedGroup[] = [];
  const remarks: Remark[] = [];
  const order = fields.filter(({ keys }) => keys.type !== 'hidden').map(({ name }) => name);
  const indexOf = new Map(order.map((name, index) => [name, index]));
  const labels = new Map(fields.map(({ name, keys }) => [name, keys.label]));
  const legends = new Map(
    own.toReversed().flatMap((one) => (one.tag === 'legend' ? [[one.parent, one] as const] : [])),
  );
  const extents = extentsOf(questions, indexOf);
  let taken: PageElement | undefined;
  for (const fieldset of [...extents.keys()].toSorted(byPlace)) {
    if (taken && isWithin(fieldset, taken)) continue;
    const legend = withoutMark(legends.get(fieldset)?.linkedWords(links) ?? '');
    const { start, end, names, isWhole } = extents.get(fieldset) ?? noExtent;
    const first = order[start] ?? '';
    // The legend around a single choice is its label.
    const isLabel = names === 1 && labels.get(first) === labelFor(first, legend);
    if (legend === '' || names === 0 || isLabel) continue;
    if (!isWhole || end - start + 1 !== names) {
      remarks.push(note(`the legend ${quote(legend)} is left out: its fields do not follow each other here`));
      continue;
    }
    groups.push({ legend, fields: order.slice(start, end + 1) });
    taken = fieldset;
  }
  return { groups, remarks };
}

/** The fields in a fieldset: the index of the first and the last, and their number. */
interface Extent {
  readonly start: number;
  readonly end: number;
  readonly names: number;
  /** Whether no field has a control outside the fieldset. */
  readonly isWhole: boolean;
}
const noExtent: Extent = { start: Infinity, end: -1, names: 0, isWhole: true };

/**
 * The extent of each fieldset. Adds the extents of inner elements to the outer ones instead of walking the
 * tree again, because pages nest deeply.
 */
function extentsOf(questions: readonly Control[], indexOf: ReadonlyMap<string, number>) {
  const around = nearest(({ tag }) => tag === 'fieldset');
  const above = ({ parent }: PageElement) => parent && around(parent);
  const seen = questions.filter(({ name }) => indexOf.has(name));
  const numbers = [...groupBy(seen, ({ name }) => name)].map(([name, group]) => {
    const all = group.map(({ element }) => element.first);
    return [name, all.reduce((a, b) => Math.min(a, b)), all.reduce((a, b) => Math.max(a, b))] as const;
  });
  const spans = new Map(numbers.map(([name, first, last]) => [name, { first, last }]));
  const extents = new Map<PageElement, Extent & { first: number; last: number }>();
  const add = (fieldset: PageElement | undefined, more: Extent & { first: number; last: number }) => {
    if (!fieldset) return;
    const { start, end, names, first, last } = extents.get(fieldset) ?? {
      ...noExtent,
      first: Infinity,
      last: -1,
    };
    extents.set(fieldset, {
      start: Math.min(start, more.start),
      end: Math.max(end, more.end),
      names: names + more.names,
      isWhole: true,
      first: Math.min(first, more.first),
      last: Math.max(last, more.last),
    });
  };
  for (const { name, element } of seen) {
    const { first, last } = spans.get(name) ?? { first: 0, last: 0 };
    const index = indexOf.get(name) ?? 0;
    const names = element.first === first ? 1 : 0;
    add(around(element), { start: index, end: index, names, isWhole: true, first, last });
  }
  const outward = new Set<PageElement>();
  for (const one of extents.keys())
    for (let at: PageElement | undefined = one; at && !outward.has(at); at = above(at)) outward.add(at);
  for (const fieldset of [...outward].toSorted((a, b) => b.first - a.first)) {
    const own = extents.get(fieldset);
    if (own) add(above(fieldset), own);
  }
  return new Map(
    [...extents].map(([fieldset, extent]) => [
      fieldset,
      { ...extent, isWhole: fieldset.first <= extent.first && extent.last <= fieldset.last },
    ]),
  );
}
