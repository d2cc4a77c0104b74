import { labelFromName } from '@form-relay/core/fields/label';
import type { Control } from '../check/form_controls.ts';
import { ancestry, byPlace, groupBy, isWithin, type Page, type PageElement } from '../check/markup.ts';
import type { Links } from './addresses.ts';
import { isChoice, isError, isHelp, nearbyTexts } from './nearby_text.ts';

/** The texts that visitors read about a form's controls. */
export type Labels = ReturnType<typeof labelsOf>;

export function labelsOf(page: Page, form: PageElement, controls: readonly Control[], links: Links) {
  const byTarget = groupBy(
    page.elements.filter(({ tag }) => tag === 'label'),
    ({ attributes }) => attributes.get('for') || undefined,
  );

  const elementsWith = (ids = ''): readonly PageElement[] =>
    (ids.match(/\S+/g) ?? []).flatMap((id) => page.ids.get(id) ?? []);

  /** HTML: all labels of a control, and what `aria-labelledby` names, in the order of the page. */
  function namesOf({ element }: Control): readonly PageElement[] {
    const { attributes } = element;
    const around = [...ancestry(element, form)].find(({ tag }) => tag === 'label');
    const all = [
      ...(byTarget.get(attributes.get('id') ?? '') ?? []),
      ...(around ? [around] : []),
      ...elementsWith(attributes.get('aria-labelledby')),
    ];
    return [...new Set(all)].filter((one) => one.words() !== '').toSorted(byPlace);
  }

  const known = new Set(controls.flatMap(namesOf));
  const nearby = nearbyTexts(form, controls, known, (control) => namesOf(control).length > 0, links);

  /** The element that labels one control: of several, the one beside a box, which says what a tick means. */
  function labelling(control: Control): PageElement | undefined {
    const names = namesOf(control);
    if (!isChoice(control)) return names[0];
    const { element } = control;
    const beside = names.filter((one) => byPlace(one, element) > 0 || isWithin(element, one));
    return (beside.length > 0 ? beside : names).toSorted(
      (one, other) => other.words().length - one.words().length,
    )[0];
  }

  /** The label as written, with its asterisk; empty if there is none. */
  function written(control: Control): string {
    const { attributes } = control.element;
    const title = attributes.has('pattern') ? '' : attributes.get('title')?.trim();
    return (
      labelling(control)?.words() ||
      attributes.get('aria-label')?.trim() ||
      nearby.labels.get(control)?.words ||
      title ||
      (hasWords(control.name) ? '' : (attributes.get('placeholder')?.trim() ?? ''))
    );
  }

  function linked(control: Control): string {
    const label = labelling(control)?.linkedWords(links);
    if (label) return label;
    const beside = nearby.labels.get(control);
    return beside && beside.words === written(control) ? beside.linked : written(control);
  }

  const seen = controls.filter(({ kind }) => kind !== 'hidden');
  const holdsOne = (around: PageElement) =>
    seen.filter(({ element }) => isWithin(element, around)).length === 1;

  /** The text that names all choices of a group: the legend of a fieldset that holds nothing else, or what stands above. */
  function ofGroup(group: readonly Control[]): string {
    const [first] = group;
    if (!first) return '';
    for (const around of ancestry(first.element, form)) {
      if (around === first.element) continue;
      const inside = seen.filter(({ element, kind }) => kind !== 'submit' && isWithin(element, around));
      if (inside.some((control) => !group.includes(control))) break;
      if (inside.length < group.length) continue;
      const { attributes } = around;
      const named = elementsWith(attributes.get('aria-labelledby')).map((element) => element.words());
      const found =
        named.filter(Boolean).join(' ') ||
        attributes.get('aria-label')?.trim() ||
        page.elements
          .find(({ tag, parent }) => tag === 'legend' && parent && isWithin(parent, around))
          ?.linkedWords(links);
      if (found) return found;
    }
    return nearby.headings.get(first)?.linked ?? '';
  }

  /** The elements that describe the control, by its own attribute, or the small print beside it. */
  function helps({ element }: Control): readonly PageElement[] {
    const described = elementsWith(element.attributes.get('aria-describedby')).filter((one) => !isError(one));
    if (described.length > 0) return described;
    for (const place of ancestry(element, form)) {
      if (place === element) continue;
      if (!holdsOne(place)) return [];
      const found = page.elements.filter((one) => isHelp(one) && isWithin(one, place));
      if (found.length > 0) return found.filter((one) => !found.some((other) => other === one.parent));
    }
    return [];
  }

  const help = (control: Control): string =>
    helps(control)
      .map((element) => element.linkedWords(links))
      .filter(Boolean)
      .join(' ');

  return { help, linked, ofGroup, written };
}

/** Without what marks it as required: the relay marks it itself. */
export const withoutMark = (label: string): string =>
  label
    .replace(/^\*\s*/, '')
    .replace(/\s*(\*|\(required\)|:|：|\s)+$/i, '')
    .trim();

/** The label to write down; `undefined` where the relay's own, made of the name, says the same. */
export function labelFor(name: string, written: string): string | undefined {
  const label = withoutMark(written) || (hasWords(name) ? readable(name) : labelFromName(name));
  return label === labelFromName(name) ? undefined : label;
}

/** A name that code gave, such as `contact[firstName]`, in words. */
export function readable(name: string): string {
  const words = spaced(innermost(name));
  return /[\p{L}\p{N}]/u.test(words) ? labelFromName(words.replaceAll('.', ' ')) : labelFromName(name);
}

/** Whether a person would understand the name, unlike `00N000000000001AB`, `input_9` or `wpforms[fields][2]`. */
export function hasWords(name: string): boolean {
  const parts = innermost(name).split(/[^\p{L}\p{M}\p{N}]+/u);
  const isUnderstood = (part: string) => spaced(part).split(' ').every(isWord);
  // "item" may be meant, "item_3" is counted.
  if (parts.length === 1 && !/\d/.test(name)) return parts.every(isUnderstood);
  return parts.some((part) => isUnderstood(part) && !generic.has(part.toLowerCase().replace(/\d+$/, '')));
}

/** `contact[firstName]` and `ctl00$main$txtFirstName` say `firstName`. */
function innermost(name: string): string {
  const inside = /\[([^[\]]+)\](\[\])*$/.exec(name)?.[1] ?? name.replace(/\[.*$/s, '');
  return inside.replace(/^.*\$/s, '').replace(/^(txt|ddl|chk|rbl|lst)(?=\p{Lu})/u, '');
}

/** Words out of camelCase. A run of capitals is one word: "company URL", "VAT number". */
const spaced = (name: string): string =>
  name
    .replaceAll(/([\p{Ll}\p{N}])(\p{Lu})(\p{Ll})?/gu, (_, end, start, next) =>
      next ? `${end} ${start.toLowerCase()}${next}` : `${end} ${start}`,
    )
    // The last capital begins a word, unless an s makes a plural: "user IDs".
    .replaceAll(
      /(\p{Lu})(?!\p{Lu}s(?!\p{Ll}))(\p{Lu})(?=\p{Ll})/gu,
      (_, end, start) => `${end} ${start.toLowerCase()}`,
    );

/** Letters with at most two digits behind them. A long one without a vowel is an id, too. */
const isWord = (part: string): boolean =>
  /^([\p{L}\p{M}]{2,}|[^\p{Script=Latin}\P{L}])[\p{L}\p{M}]*\d{0,2}$/u.test(part) &&
  !/^[b-df-hj-np-tv-xz]{5,}\d*$/i.test(part);

/** What generators of forms call their fields. */
const generic = new Set(
  'field fields input inputs text textarea textbox item meta form forms ff frm fld nf gf cf wpforms wpcf ninja gform el elem element elementor control ctl entry question menu select dropdown checkbox radio option value custom attr data id comp tfa main content placeholder val x y'.split(
    ' ',
  ),
);
