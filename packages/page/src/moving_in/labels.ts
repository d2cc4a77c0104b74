import { labelFromName } from '@form-relay/core/fields/label';
import {
  ancestry,
  byPlace,
  groupBy,
  inside,
  isWithin,
  nearest,
  type Page,
  type PageElement,
} from '../check/markup.ts';
import type { Control } from '../check/page_form.ts';
import type { Links } from './addresses.ts';
import { cellsOf, isChoice, isError, isHelp, nearbyTexts } from './nearby_text.ts';

/** The texts that visitors read about a form's controls. */
export type Labels = ReturnType<typeof labelsOf>;

export function labelsOf(page: Page, form: PageElement, controls: readonly Control[], links: Links) {
  const byTarget = groupBy(
    page.elements.filter(({ tag }) => tag === 'label'),
    ({ attributes }) => attributes.get('for') || undefined,
  );
  const inTree = page.elements.toSorted(byNumber);
  const legends = inTree.filter(({ tag, parent }) => tag === 'legend' && parent);
  const helping = inTree.filter(isHelp);
  const seen = controls.filter(({ kind }) => kind !== 'hidden').toSorted(byNumberOfControl);
  const questions = seen.filter(({ kind }) => kind !== 'submit');
  const labelAround = nearest(({ tag }) => tag === 'label');
  const cells = cellsOf(inTree);

  const elementsWith = (ids = ''): readonly PageElement[] =>
    (ids.match(/\S+/g) ?? []).flatMap((id) => page.ids.get(id) ?? []);

  /** The elements in `aria-labelledby`, except those that name the whole group of choices. */
  function labelledBy({ element, name }: Control): readonly PageElement[] {
    const own = elementsWith(element.attributes.get('aria-labelledby'));
    const shared = sharedNames.get(name);
    const rest = shared ? own.filter((one) => !shared.has(one)) : own;
    return rest.length > 0 ? rest : own;
  }

  /** The elements that name all choices of a group, such as the row of a grid. */
  const sharedNames = new Map(
    [...groupBy(questions.filter(isChoice), ({ name }) => name)].flatMap(([name, group]) => {
      const [first = [], ...others] = group.map(({ element }) =>
        elementsWith(element.attributes.get('aria-labelledby')),
      );
      const sets = others.map((one) => new Set(one));
      const shared = first.filter((one) => sets.every((set) => set.has(one)));
      return others.length > 0 && shared.length > 0 ? [[name, new Set(shared)] as const] : [];
    }),
  );

  /** HTML: all labels of a control, in the order of the page, and those in `aria-labelledby`. */
  const namesOf = remembered((control: Control): readonly PageElement[] => {
    const { element } = control;
    const around = labelAround(element);
    const all = [
      ...(byTarget.get(element.attributes.get('id') ?? '')?.slice(0, mostLabels) ?? []),
      ...(around && !isWithin(form, around) ? [around] : []),
      ...labelledBy(control),
    ];
    return [...new Set(all)].filter((one) => one.words() !== '').toSorted(byPlace);
  });

  const known = new Set(controls.flatMap(namesOf));
  const isTied = (control: Control) => namesOf(control).length > 0 || cells.has(control.element);
  const nearby = nearbyTexts(form, controls, known, isTied, links);

  /** The elements that label one control. If a box has several labels, the one next to it, which says what a tick means. */
  function labelling(control: Control): readonly PageElement[] {
    const names = namesOf(control);
    // By ARIA's rules, these form one label, in this order.
    const named = labelledBy(control).filter((one) => names.includes(one));
    if (named.length > 1) return named;
    if (!isChoice(control)) return names.slice(0, 1);
    const { element } = control;
    const adjacent = names.filter((one) => byPlace(one, element) > 0 || isWithin(element, one));
    return (adjacent.length > 0 ? adjacent : names)
      .toSorted((one, other) => other.words().length - one.words().length)
      .slice(0, 1);
  }

  const joined = (elements: readonly PageElement[], wordsOf = (one: PageElement) => one.words()) =>
    elements.map(wordsOf).filter(Boolean).join(' ');

  /** The headers of the control's row and column. For choices, only the column, because the row names the whole group. */
  function heads(control: Control): readonly PageElement[] {
    const { row, column } = cells.get(control.element) ?? {};
    const both = isChoice(control) && column ? [column] : [row, column];
    return both.filter((one) => one !== undefined);
  }

  /** The label as written, including an asterisk; empty if there is none. */
  const written = remembered((control: Control): string => {
    const { attributes } = control.element;
    const title = attributes.has('pattern') ? '' : attributes.get('title')?.trim();
    return (
      joined(labelling(control)) ||
      attributes.get('aria-label')?.trim() ||
      joined(heads(control)) ||
      nearby.labels.get(control)?.words ||
      title ||
      (hasWords(control.name) ? '' : (attributes.get('placeholder')?.trim() ?? ''))
    );
  });

  function linked(control: Control): string {
    const label = joined(labelling(control), (one) => one.linkedWords(links));
    if (label) return label;
    const adjacent = nearby.labels.get(control);
    return adjacent && adjacent.words === written(control) ? adjacent.linked : written(control);
  }

  /** The text that names all choices of a group: the legend of a fieldset that contains only the group, or the text above. */
  function ofGroup(group: readonly Control[]): string {
    const [first] = group;
    if (!first) return '';
    const shared = joined([...(sharedNames.get(first.name) ?? [])], (one) => one.linkedWords(links));
    if (shared) return shared;
    const own = new Set(group);
    for (const around of ancestry(first.element, form)) {
      if (around === first.element) continue;
      const within = inside(questions, around, numberOfControl);
      if (within.length > group.length || within.some((control) => !own.has(control))) break;
      if (within.length < group.length) continue;
      const { attributes } = around;
      const named = joined(elementsWith(attributes.get('aria-labelledby')));
      const [legend] = inside(legends, around, numberOf).filter((one) => one !== around);
      const found = named || attributes.get('aria-label')?.trim() || legend?.linkedWords(links);
      if (found) return found;
    }
    const { row } = cells.get(first.element) ?? {};
    return row?.linkedWords(links) || nearby.headings.get(first)?.linked || '';
  }

  const holdsOne = (around: PageElement) => inside(seen, around, numberOfControl).length === 1;

  /** The elements that describe the control, by its own attribute or as small print next to it. */
  function helps({ element }: Control): readonly PageElement[] {
    const described = elementsWith(element.attributes.get('aria-describedby')).filter((one) => !isError(one));
    if (described.length > 0) return described;
    for (const place of ancestry(element, form)) {
      if (place === element) continue;
      if (!holdsOne(place)) return [];
      const found = inside(helping, place, numberOf);
      let end = -1;
      const outermost = found.filter(({ first, last }) => {
        const isInner = first <= end;
        end = Math.max(end, last);
        return !isInner;
      });
      if (outermost.length > 0) return outermost;
    }
    return [];
  }

  const help = (control: Control): string => joined(helps(control), (one) => one.linkedWords(links));

  /** All text about a control, if no other control is in the same element. */
  function about(control: Control): string {
    let own: PageElement | undefined;
    for (const place of ancestry(control.element, form)) {
      if (!holdsOne(place)) break;
      own = place;
    }
    const said = ['placeholder', 'title'].map((name) => control.element.attributes.get(name) ?? '');
    return [written(control), help(control), ...said, own?.words() ?? ''].filter(Boolean).join('\n');
  }

  return { about, help, linked, ofGroup, written };
}

/** More labels for one control are a mistake on the page. */
const mostLabels = 8;

const numberOf = ({ first }: PageElement) => first;
const numberOfControl = ({ element }: Control) => element.first;
const byNumber = (a: PageElement, b: PageElement) => a.first - b.first;
const byNumberOfControl = (a: Control, b: Control) => byNumber(a.element, b.element);

function remembered<K, V>(make: (key: K) => V): (key: K) => V {
  const known = new Map<K, V>();
  return (key) => {
    const found = known.get(key) ?? make(key);
    known.set(key, found);
    return found;
  };
}

/** Removes the mark for required fields, because the relay adds its own. */
export const withoutMark = (label: string): string =>
  label
    .replace(/^\*\s*/, '')
    .replace(/\s*(\*|\(required\)|:|：|\s)+$/i, '')
    .trim();

/** The label to write into the config; `undefined` if the relay's default, made from the name, is the same. */
export function labelFor(name: string, written: string): string | undefined {
  const label = withoutMark(written) || (hasWords(name) ? readable(name) : labelFromName(name));
  return label === labelFromName(name) ? undefined : label;
}

/** Turns a name from code, such as `contact[firstName]`, into words. */
export function readable(name: string): string {
  const words = spaced(innermost(name));
  return /[\p{L}\p{N}]/u.test(words) ? labelFromName(words.replaceAll('.', ' ')) : labelFromName(name);
}

/** Whether a person would understand the name, unlike `00N000000000001AB`, `input_9` or `wpforms[fields][2]`. */
export function hasWords(name: string): boolean {
  const parts = innermost(name).split(/[^\p{L}\p{M}\p{N}]+/u);
  const isUnderstood = (part: string) => spaced(part).split(' ').every(isWord);
  // "item" may be a real name, but "item_3" is numbered.
  if (parts.length === 1 && !/\d/.test(name)) return parts.every(isUnderstood);
  return parts.some((part) => isUnderstood(part) && !generic.has(part.toLowerCase().replace(/\d+$/, '')));
}

/** `contact[firstName]` and `ctl00$main$txtFirstName` both contain `firstName`. */
function innermost(name: string): string {
  const inside = /\[([^[\]]+)\](\[\])*$/.exec(name)?.[1] ?? name.replace(/\[.*$/s, '');
  return inside.replace(/^.*\$/s, '').replace(/^(txt|ddl|chk|rbl|lst)(?=\p{Lu})/u, '');
}

/** Splits camelCase into words. A run of capitals is one word: "company URL", "VAT number". */
const spaced = (name: string): string =>
  name
    .replaceAll(/([\p{Ll}\p{N}])(\p{Lu})(\p{Ll})?/gu, (_, end, start, next) =>
      next ? `${end} ${start.toLowerCase()}${next}` : `${end} ${start}`,
    )
    // The last capital of a run starts a new word, unless an s makes a plural: "user IDs".
    .replaceAll(
      /(\p{Lu})(?!\p{Lu}s(?!\p{Ll}))(\p{Lu})(?=\p{Ll})/gu,
      (_, end, start) => `${end} ${start.toLowerCase()}`,
    );

/** Letters, followed by at most two digits. A long word without vowels is an id, too. */
const isWord = (part: string): boolean =>
  /^([\p{L}\p{M}]{2,}|[^\p{Script=Latin}\P{L}])[\p{L}\p{M}]*\d{0,2}$/u.test(part) &&
  !/^[b-df-hj-np-tv-xz]{5,}\d*$/i.test(part);

/** Generic field names that form generators use. */
const generic = new Set(
  'field fields input inputs text textarea textbox item meta form forms ff frm fld nf gf cf wpforms wpcf ninja gform el elem element elementor control ctl entry question menu select dropdown checkbox radio option value custom attr data id comp tfa main content placeholder val x y'.split(
    ' ',
  ),
);
