import { labelOf } from '@form-relay/relay/features';
import type { Control } from '../check/form_controls.ts';
import { ancestry, type Page, type PageElement } from '../check/markup.ts';
import type { Links } from './links.ts';

/** The texts that visitors read about a form's controls. */
export class Labels {
  readonly #page: Page;
  readonly #form: PageElement;
  readonly #byTarget = new Map<string, PageElement>();
  readonly #controls: readonly Control[];
  readonly #links: Links;

  constructor(page: Page, form: PageElement, controls: readonly Control[], links: Links) {
    this.#links = links;
    this.#page = page;
    this.#form = form;
    this.#controls = controls;
    for (const element of page.elements) {
      const target = element.attributes.get('for');
      if (element.tag === 'label' && target && !this.#byTarget.has(target))
        this.#byTarget.set(target, element);
    }
  }

  /** The element that labels one control. */
  labelling({ element }: Control): PageElement | undefined {
    const around = [...ancestry(element, this.#form)].find(({ tag }) => tag === 'label');
    return this.#byTarget.get(element.attributes.get('id') ?? '') ?? around;
  }

  /** The label as written, with its asterisk; empty if there is none. */
  written(control: Control): string {
    const { attributes } = control.element;
    return (
      this.labelling(control)?.words() ||
      this.#named(attributes.get('aria-labelledby')) ||
      attributes.get('aria-label')?.trim() ||
      this.#around(control)
    );
  }

  /** As `written`, with its links. */
  linked(control: Control): string {
    return this.labelling(control)?.linkedWords(this.#links) || this.written(control);
  }

  /** Without a label: the line, the cell or the cell before it, if the control has it for itself. */
  #around({ element }: Control): string {
    const { parent } = element;
    if (!parent || !lines.has(parent.tag) || this.#controlsIn(parent) > 1) return '';
    const words = parent.words();
    if (words !== '') return words;
    const before = this.#before(parent);
    return before && lines.has(before.tag) && this.#controlsIn(before) === 0 ? before.words() : '';
  }

  #controlsIn(around: PageElement): number {
    return this.#controls.filter(({ kind, element }) => kind !== 'hidden' && isWithin(element, around))
      .length;
  }

  /** The text that names all choices of a group: the legend of a fieldset that holds nothing else, or a label of none of them. */
  ofGroup(group: readonly Control[]): string {
    const [first] = group;
    if (!first) return '';
    for (const around of ancestry(first.element, this.#form)) {
      if (around === first.element) continue;
      const inside = this.#controls.filter(
        ({ element, kind }) => kind !== 'hidden' && kind !== 'submit' && isWithin(element, around),
      );
      if (inside.some((control) => !group.includes(control))) return '';
      if (inside.length < group.length) continue;
      const { attributes } = around;
      const found =
        this.#named(attributes.get('aria-labelledby')) ||
        attributes.get('aria-label')?.trim() ||
        this.#heading(around, group) ||
        this.#headingBefore(around);
      if (found) return found;
    }
    return '';
  }

  /** The elements that describe the control, by its own attribute, or the small print beside it. */
  helps({ element }: Control): readonly PageElement[] {
    const described = this.#elements(element.attributes.get('aria-describedby')).filter(
      (one) => !isError(one),
    );
    if (described.length > 0) return described;
    const { parent } = element;
    const places = parent?.tag === 'label' ? [parent, parent.parent] : [parent];
    return places.flatMap((place) => {
      const found = this.#page.elements.filter((one) => one.parent === place && isHelp(one));
      return place && found.length > 0 && this.#controlsIn(place) === 1 ? found : [];
    });
  }

  /** A help text. */
  help(control: Control): string {
    return this.helps(control)
      .map((element) => element.linkedWords(this.#links))
      .filter(Boolean)
      .join(' ');
  }

  #named(ids: string | undefined): string {
    return wordsOf(this.#elements(ids));
  }

  #elements(ids = ''): readonly PageElement[] {
    return (ids.match(/\S+/g) ?? []).flatMap((id) => this.#page.ids.get(id) ?? []);
  }

  #heading(around: PageElement, group: readonly Control[]): string {
    const labels = new Set(group.map((control) => this.labelling(control)));
    const found = this.#page.elements.find(
      (element) =>
        (element.tag === 'legend' || (element.tag === 'label' && !labels.has(element))) &&
        isWithin(element, around),
    );
    return found?.linkedWords(this.#links) ?? '';
  }

  /** A label for no control, just before what is around the group. */
  #headingBefore(around: PageElement): string {
    if (around === this.#form) return '';
    const before = this.#before(around);
    const isHeading =
      before?.tag === 'label' && !before.attributes.has('for') && this.#controlsIn(before) === 0;
    return isHeading ? before.linkedWords(this.#links) : '';
  }

  #before({ parent, place }: PageElement): PageElement | undefined {
    return this.#page.elements.findLast((one) => one.parent === parent && one.place.offset < place.offset);
  }
}

/** Elements of one line, in which pages without labels explain a control. */
const lines = new Set(['p', 'li', 'td', 'th', 'dd', 'dt']);

const wordsOf = (elements: readonly PageElement[]) =>
  elements
    .map((element) => element.words())
    .filter(Boolean)
    .join(' ');

const isHelp = ({ attributes }: PageElement) =>
  /(^|\s)(form-text|help-?block|help-?text|hint|field-help)(\s|$)/.test(attributes.get('class') ?? '');

const isError = ({ attributes }: PageElement) =>
  /error|invalid/.test(`${attributes.get('class')} ${attributes.get('id')}`);

const isWithin = (element: PageElement, around: PageElement) => {
  for (const at of ancestry(element)) if (at === around) return true;
  return false;
};

/** Without what marks it as required: the relay marks it itself. */
export const withoutMark = (label: string): string =>
  label
    .replace(/^\*\s*/, '')
    .replace(/\s*(\*|\(required\)|:|：|\s)+$/i, '')
    .trim();

/** The label to write down; `undefined` where the relay's own, made of the name, says the same. */
export function labelFor(name: string, written: string): string | undefined {
  const label = withoutMark(written) || readable(name);
  return label === labelOf({ name }) ? undefined : label;
}

/** A name that code gave, such as `contact[firstName]`, in words. */
function readable(name: string): string {
  const inside = /\[([^[\]]+)\](\[\])*$/.exec(name)?.[1] ?? name.replace(/\[.*$/s, '');
  const words = inside.replaceAll(
    /([\p{Ll}\d])(\p{Lu})/gu,
    (_, end, start) => `${end} ${start.toLowerCase()}`,
  );
  return /[\p{L}\p{N}]/u.test(words) ? labelOf({ name: words.replaceAll('.', ' ') }) : labelOf({ name });
}
