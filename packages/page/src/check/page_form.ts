import type { Form } from '@form-relay/core/form';
import type { Place } from '@form-relay/schema/diagnostics';
import { groupBy, htmxAttribute, nearest, type Page, type PageElement } from './markup.ts';

/** A mismatch between page and config. An error loses submissions or parts of them; a warning may. */
export interface PageFinding {
  readonly severity: 'error' | 'warning';
  readonly place: Place;
  /** Identifies the mismatch, independent of the message. */
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
  /** The relay's URL; `undefined` if any is acceptable. */
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
  /** Sent by htmx or the relay's own script. The browser sends it only if no script runs. */
  readonly isSentByScript: boolean;
}

/** Compares one aspect of page and config. */
export type PageCheck = (form: PageForm) => readonly PageFinding[];

/** Quotes text for messages. Other people wrote it, so it may be long. */
export const quote = (text: string) => `"${text.length > 60 ? `${text.slice(0, 60)}…` : text}"`;

export const quoteAll = (texts: readonly string[]) =>
  texts.slice(0, 8).map(quote).join(', ') + (texts.length > 8 ? ` and ${texts.length - 8} more` : '');

/** A control of a form that may be sent. */
export interface Control {
  readonly element: PageElement;
  /** Empty if the control has no name, so that it is never sent. */
  readonly name: string;
  /** The type of an input, or `select`, `textarea`, `custom` (a custom element) or `submit` (any button). */
  readonly kind: string;
  /** All values that it can send, if visitors choose instead of typing. */
  readonly choices: readonly Choice[] | undefined;
}

export interface Choice {
  readonly value: string;
  readonly element: PageElement;
  /** Whether it is chosen initially. */
  readonly isChosen: boolean;
}

/** Input types that never send a value. */
const mute = new Set(['button', 'reset', 'image']);

/** All other types. Browsers treat an unknown type as text. */
const inputTypes =
  'hidden text search tel url email password date month week time datetime-local number range color checkbox radio file submit';

/** The controls among the elements of a form. */
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

/** HTML: an option without a value sends its text, with collapsed white space. */
const optionValue = ({ attributes, text }: PageElement) =>
  attributes.get('value') ?? text.replaceAll(/[\t\n\f\r ]+/g, ' ').trim();

/** The control's initial value; empty if there is none, or if it is unknown. */
export function initialValue({ element, kind, choices }: Control): string {
  if (kind === 'textarea') return element.text;
  if (!choices) return element.attributes.get('value') ?? '';
  const chosen = choices.find(({ isChosen }) => isChosen);
  // A drop-down list selects its first option, unless another is selected.
  const isFolded =
    kind === 'select' && !element.attributes.has('multiple') && !element.attributes.has('size');
  return (chosen ?? (isFolded ? choices[0] : undefined))?.value ?? '';
}

/** A required list without options: browsers never send its form, which is the point of a decoy. */
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
