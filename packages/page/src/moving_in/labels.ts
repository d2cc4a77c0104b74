import { labelFromName } from '@form-relay/core/fields/label';
import type { Control } from '../check/form_controls.ts';
import { ancestry, type Page, type PageElement } from '../check/markup.ts';
import { isError, isHelp } from './hints.ts';
import type { Links } from './links.ts';
import { hasWords, readable } from './names.ts';
import { hrefsIn, type NearbyTexts, nearbyTexts } from './nearby_text.ts';

/** The texts that visitors read about a form's controls. */
export class Labels {
  readonly #page: Page;
  readonly #form: PageElement;
  readonly #byTarget = new Map<string, PageElement[]>();
  readonly #controls: readonly Control[];
  readonly #links: Links;
  readonly #nearby: NearbyTexts;

  constructor(page: Page, form: PageElement, controls: readonly Control[], links: Links) {
    this.#links = links;
    this.#page = page;
    this.#form = form;
    this.#controls = controls;
    for (const element of page.elements) {
      const target = element.attributes.get('for');
      if (element.tag !== 'label' || !target) continue;
      const others = this.#byTarget.get(target);
      if (others) others.push(element);
      else this.#byTarget.set(target, [element]);
    }
    const known = new Set(controls.flatMap((control) => this.#namesOf(control)));
    this.#nearby = nearbyTexts(form, controls, known, (control) => this.#namesOf(control).length > 0, links);
  }

  /** HTML: all labels of a control, and what `aria-labelledby` names, in the order of the page. */
  #namesOf({ element }: Control): readonly PageElement[] {
    const { attributes } = element;
    const around = [...ancestry(element, this.#form)].find(({ tag }) => tag === 'label');
    const all = [
      ...(this.#byTarget.get(attributes.get('id') ?? '') ?? []),
      ...(around ? [around] : []),
      ...this.#elements(attributes.get('aria-labelledby')),
    ];
    return [...new Set(all)]
      .filter((one) => one.words() !== '')
      .toSorted((one, other) => one.place.offset - other.place.offset);
  }

  /** The element that labels one control: of several, the one beside a box, which says what a tick means. */
  #labelling(control: Control): PageElement | undefined {
    const names = this.#namesOf(control);
    if (control.kind !== 'checkbox' && control.kind !== 'radio') return names[0];
    const { offset } = control.element.place;
    const beside = names.filter(
      (one) => one.place.offset > offset || [...ancestry(control.element)].includes(one),
    );
    return (beside.length > 0 ? beside : names).toSorted(
      (one, other) => other.words().length - one.words().length,
    )[0];
  }

  /** The words of its other labels. */
  others(control: Control): readonly string[] {
    const main = this.#labelling(control);
    const said = new Set([withoutMark(this.written(control)).toLowerCase()]);
    const others = this.#namesOf(control)
      .filter((one) => one !== main)
      .map((one) => one.linkedWords(this.#links));
    return [...others, this.#nearby.headings.get(control)?.words ?? '']
      .map(withoutMark)
      .filter((words) => words !== '')
      .filter((words) => !said.has(words.toLowerCase()) && said.add(words.toLowerCase()));
  }

  /** The label as written, with its asterisk; empty if there is none. */
  written(control: Control): string {
    const { attributes } = control.element;
    const title = attributes.has('pattern') ? '' : attributes.get('title')?.trim();
    return (
      this.#labelling(control)?.words() ||
      attributes.get('aria-label')?.trim() ||
      this.#nearby.labels.get(control)?.words ||
      title ||
      (hasWords(control.name) ? '' : (attributes.get('placeholder')?.trim() ?? ''))
    );
  }

  /** As `written`, with its links. */
  linked(control: Control): string {
    const label = this.#labelling(control)?.linkedWords(this.#links);
    if (label) return label;
    const nearby = this.#nearby.labels.get(control);
    return nearby && nearby.words === this.written(control) ? nearby.linked : this.written(control);
  }

  /** The addresses of the links in its label. */
  hrefs(control: Control): readonly string[] {
    const label = this.#labelling(control);
    return label ? hrefsIn(label) : (this.#nearby.labels.get(control)?.hrefs ?? []);
  }

  /** Texts in the form that are about no control. */
  rest(): readonly string[] {
    const said = new Set(
      this.#controls.flatMap((control) => [
        control.element.attributes.get('aria-label')?.trim().toLowerCase(),
        withoutMark(this.written(control)).toLowerCase(),
      ]),
    );
    return this.#nearby.rest.filter((words) => !said.has(withoutMark(words).toLowerCase()));
  }

  /** All that the page says about a control, where it stands alone with its words. */
  about(control: Control): string {
    const { element } = control;
    const own = [...ancestry(element, this.#form)].filter((one) => this.#controlsIn(one) === 1);
    const said = ['placeholder', 'title'].map((name) => element.attributes.get(name) ?? '');
    return [this.written(control), this.help(control), ...said, own.at(-1)?.words() ?? ''].join('\n');
  }

  #controlsIn(around: PageElement): number {
    return this.#controls.filter(({ kind, element }) => kind !== 'hidden' && isWithin(element, around))
      .length;
  }

  /** The text that names all choices of a group: the legend of a fieldset that holds nothing else, or what stands above. */
  ofGroup(group: readonly Control[]): string {
    const [first] = group;
    if (!first) return '';
    for (const around of ancestry(first.element, this.#form)) {
      if (around === first.element) continue;
      const inside = this.#controls.filter(
        ({ element, kind }) => kind !== 'hidden' && kind !== 'submit' && isWithin(element, around),
      );
      if (inside.some((control) => !group.includes(control))) break;
      if (inside.length < group.length) continue;
      const { attributes } = around;
      const found =
        this.#named(attributes.get('aria-labelledby')) ||
        attributes.get('aria-label')?.trim() ||
        this.#page.elements
          .find(({ tag, parent }) => tag === 'legend' && parent && isWithin(parent, around))
          ?.linkedWords(this.#links);
      if (found) return found;
    }
    return this.#nearby.headings.get(first)?.linked ?? '';
  }

  /** The elements that describe the control, by its own attribute, or the small print beside it. */
  helps({ element }: Control): readonly PageElement[] {
    const described = this.#elements(element.attributes.get('aria-describedby')).filter(
      (one) => !isError(one),
    );
    if (described.length > 0) return described;
    for (const place of ancestry(element, this.#form)) {
      if (place === element) continue;
      if (this.#controlsIn(place) !== 1) return [];
      const found = this.#page.elements.filter((one) => isHelp(one) && isWithin(one, place));
      if (found.length > 0) return found.filter((one) => !found.some((other) => other === one.parent));
    }
    return [];
  }

  /** A help text, with the labels below a field that has another one. */
  help(control: Control): string {
    const isBox = control.kind === 'checkbox' || control.kind === 'radio';
    return [
      ...(isBox ? [] : this.others(control)),
      ...this.helps(control).map((element) => element.linkedWords(this.#links)),
    ]
      .filter(Boolean)
      .join(' ');
  }

  #named(ids: string | undefined): string {
    return wordsOf(this.#elements(ids));
  }

  #elements(ids = ''): readonly PageElement[] {
    return (ids.match(/\S+/g) ?? []).flatMap((id) => this.#page.ids.get(id) ?? []);
  }
}

const wordsOf = (elements: readonly PageElement[]) =>
  elements
    .map((element) => element.words())
    .filter(Boolean)
    .join(' ');

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
  const label = withoutMark(written) || (hasWords(name) ? readable(name) : labelFromName(name));
  return label === labelFromName(name) ? undefined : label;
}
