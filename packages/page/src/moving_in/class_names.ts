import { type Classes, classKeys } from '@form-relay/relay/features';
import * as v from 'valibot';
import type { Control } from '../check/form_controls.ts';
import { ancestry, type PageElement } from '../check/markup.ts';
import { isHiding } from './decoy.ts';
import type { Labels } from './labels.ts';

type Part = keyof Classes;

/** The class names that most parts of one kind share in the page, so that a rendered form looks as its own did. */
export function classesOf(
  form: PageElement,
  own: readonly PageElement[],
  controls: readonly Control[],
  labels: Labels,
): Classes | undefined {
  // The relay's own markup has its class names anyway.
  if (namesOn(form).split(' ').includes('form-relay')) return undefined;
  const parts = new Map<Part, string[]>();
  const add = (part: Part, element: PageElement | undefined) => {
    if (!element) return;
    const others = parts.get(part);
    if (others) others.push(namesOn(element));
    else parts.set(part, [namesOn(element)]);
  };
  add('form', form);
  add('button', sendButton(own));
  for (const control of controls) {
    const { kind, element } = control;
    const label = labels.labelling(control);
    const isInside = label !== undefined && [...ancestry(element)].includes(label);
    if (unstyled.has(kind)) continue;
    if (kind === 'checkbox' || kind === 'radio') {
      add('check_input', element);
      add('check', isInside ? label : aroundBoth(element, label));
    } else {
      add(kind === 'select' ? 'select' : 'input', element);
      if (!isInside) add('label', label);
      add('field', isInside ? outside(label) : aroundBoth(element, label));
      for (const help of labels.helps(control)) add('help', help);
    }
  }
  const shared = (Object.keys(classKeys) as Part[]).flatMap((part) => {
    const most = mostOf(parts.get(part) ?? []);
    return most !== '' && v.safeParse(classKeys[part], most).success ? [[part, most] as const] : [];
  });
  return shared.length === 0 ? undefined : Object.fromEntries(shared);
}

const unstyled = new Set(['hidden', 'submit', 'file', 'custom']);

const namesOn = ({ attributes }: PageElement) =>
  (attributes.get('class') ?? '')
    .split(/\s+/)
    .filter((name) => /\p{L}/u.test(name) && !isHiding(name))
    .join(' ');

/** An element's parent, unless that is the form. */
const outside = ({ parent }: PageElement) => (parent?.tag === 'form' ? undefined : parent);

/** The element that holds a control and its label. */
const aroundBoth = (element: PageElement, label: PageElement | undefined): PageElement | undefined =>
  label?.parent === element.parent ? outside(element) : undefined;

/** The button that sends the form. */
export const sendButton = (own: readonly PageElement[]) =>
  own.find(({ tag, attributes }) => {
    const type = attributes.get('type')?.toLowerCase() ?? '';
    return tag === 'button' ? !/^(button|reset)$/.test(type) : tag === 'input' && type === 'submit';
  });

/** The text that more than half of them are; empty when there is none. */
const mostOf = (all: readonly string[]): string =>
  all.find((text) => all.filter((other) => other === text).length * 2 > all.length) ?? '';
