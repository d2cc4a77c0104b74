import type { Form } from '@form-relay/core/form';
import type { Place } from '@form-relay/schema/diagnostics';
import { groupBy, htmxAttribute, nearest, type Page, type PageElement } from './markup.ts';

/** Something that does not fit. An error loses submissions or parts of them; a warning may. */
export interface PageFinding {
  readonly severity: 'error' | 'warning';
  readonly place: Place;
  /** Names what does not fit, whatever the words. */
  readonly code: string;
  /** The finding, its consequence, and the correction. */
  readonly message: string;
}

export const error = (place: Place, code: string, message: string): PageFinding => ({
  severity: 'error',
  place,
  code,
  message,
});

export const warning = (place: Place, code: string, message: string): PageFinding => ({
  ...error(place, code, message),
  severity: 'warning',
});

/** The form of the config, and the facts known about the page. */
export interface Subject {
  readonly config: Form;
  /** The names of all forms of the config. */
  readonly formIds: readonly string[];
  readonly page: Page;
  /** The relay's address; `undefined` if any is right. */
  readonly baseUrl: URL | undefined;
  /** The page's character encoding, by its name in the Encoding Standard. */
  readonly encoding: string;
}

/** A form of the page that is sent to this form of the config. */
export interface PageForm extends Subject {
  readonly form: PageElement;
  readonly controls: readonly Control[];
  /** The controls that browsers send, by name. */
  readonly sent: ReadonlyMap<string, readonly Control[]>;
  /** The names that htmx adds. */
  readonly added: readonly string[];
  /** htmx or the relay's own script sends it. The browser itself does so only where no script runs. */
  readonly isSentByScript: boolean;
}

/** Compares one thing. */
export type PageCheck = (form: PageForm) => readonly PageFinding[];

/** For messages. Others wrote it, so it may be long. */
export const quote = (text: string) => `"${text.length > 60 ? `${text.slice(0, 60)}…` : text}"`;

export const quoteAll = (texts: readonly string[]) =>
  texts.slice(0, 8).map(quote).join(', ') + (texts.length > 8 ? ` and ${texts.length - 8} more` : '');

/** A control of a form, as far as it can be sent. */
export interface Control {
  readonly element: PageElement;
  /** Empty when it has none, so that it is never sent. */
  readonly name: string;
  /** An input's type, or `select`, `textarea`, `custom` (an element of the page's own) or `submit` (any button). */
  readonly kind: string;
  /** All that it can send, where visitors choose and do not type. */
  readonly choices: readonly Choice[] | undefined;
}

export interface Choice {
  readonly value: string;
  readonly element: PageElement;
  /** Whether it is chosen before the visitor does anything. */
  readonly isChosen: boolean;
}

/** Input types that send nothing that visitors or pages put into them. */
const mute = new Set(['button', 'reset', 'image']);

/** Every other one: browsers take a type that they do not know for text. */
const inputTypes =
  'hidden text search tel url email password date month week time datetime-local number range color checkbox radio file submit';

/** The controls among what belongs to a form. */
export function controlsOf(own: readonly PageElement[]): readonly Control[] {
  const options = groupBy(
    own.filter(({ tag }) => tag === 'option'),
    nearest(({ tag }) => tag === 'select'),
  );
  return own.flatMap((element): readonly Control[] => {
    const kind = kindOf(element);
    if (kind === undefined) return [];
    const name = element.attributes.get('name') ?? '';
    return [{ element, name, kind, choices: choicesOf(element, kind, options.get(element) ?? []) }];
  });
}

function kindOf({ tag, attributes }: PageElement): string | undefined {
  const type = attributes.get('type')?.toLowerCase() ?? '';
  switch (tag) {
    case 'input':
      if (mute.has(type)) return undefined;
      return inputTypes.split(' ').includes(type) ? type : 'text';
    case 'button':
      return mute.has(type) ? undefined : 'submit';
    case 'select':
    case 'textarea':
      return tag;
    default:
      return /-(?!.*button$)/.test(tag) && attributes.has('name') ? 'custom' : undefined;
  }
}

function choicesOf(
  element: PageElement,
  kind: string,
  options: readonly PageElement[],
): readonly Choice[] | undefined {
  const { attributes } = element;
  switch (kind) {
    case 'select':
      return options
        .filter(({ isDisabled }) => !isDisabled)
        .map((option) => ({
          element: option,
          value: optionValue(option),
          isChosen: option.attributes.has('selected'),
        }));
    case 'checkbox':
    case 'radio':
      return [{ element, value: attributes.get('value') ?? 'on', isChosen: attributes.has('checked') }];
    case 'submit':
      return [{ element, value: attributes.get('value') ?? '', isChosen: false }];
    default:
      return undefined;
  }
}

/** HTML: an option without a value sends its text, with its white space collapsed. */
const optionValue = ({ attributes, text }: PageElement) =>
  attributes.get('value') ?? text.replaceAll(/[\t\n\f\r ]+/g, ' ').trim();

/** The control's value before the visitor does anything; empty if there is none, or if it is unknown. */
export function initialValue({ element, kind, choices }: Control): string {
  if (kind === 'textarea') return element.text;
  if (!choices) return element.attributes.get('value') ?? '';
  const chosen = choices.find(({ isChosen }) => isChosen);
  // A drop-down list chooses its first option unless it has a selected one.
  const isFolded =
    kind === 'select' && !element.attributes.has('multiple') && !element.attributes.has('size');
  return (chosen ?? (isFolded ? choices[0] : undefined))?.value ?? '';
}

/** A required list without anything to choose: browsers never send its form, which is what it is for. */
export const isUnsatisfiable = ({ element, kind, choices = [] }: Control) =>
  kind === 'select' &&
  !element.isDisabled &&
  element.attributes.has('required') &&
  choices.every(({ value }) => value === '');

/** Whether browsers send it. */
export const isSent = ({ name, element }: Control) => name !== '' && !element.isDisabled;

/** Buttons that send the form. */
export const isSubmitButton = ({ tag, attributes }: PageElement) => {
  const type = attributes.get('type')?.toLowerCase() ?? '';
  return tag === 'button' ? !mute.has(type) : tag === 'input' && (type === 'submit' || type === 'image');
};

/** The names that htmx adds: `hx-vals` of the form. */
export function addedNames(form: PageElement): readonly string[] {
  try {
    const values: unknown = JSON.parse(htmxAttribute(form, 'hx-vals') ?? '{}');
    return Object.keys(values ?? {});
  } catch {
    return [];
  }
}
