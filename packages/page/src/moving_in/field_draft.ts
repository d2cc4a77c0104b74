import type { Control } from '../check/form_controls.ts';
import { quote } from '../check/page_finding.ts';
import { type Labels, labelFor } from './labels.ts';
import { type Remark, toDo } from './remark.ts';
import type { Keys } from './yaml_text.ts';

/** The keys of a field, before the config was asked whether it takes them. */
export interface Draft {
  readonly keys: Keys;
  readonly remarks?: readonly Remark[];
}

export const isRequired = ({ element: { attributes } }: Control): true | undefined =>
  attributes.has('required') || attributes.get('aria-required') === 'true' || undefined;

/** The keys that all visible fields have. */
export function shown(name: string, control: Control, labels: Labels) {
  return {
    label: labelFor(name, labels.linked(control)),
    required: isRequired(control),
    help: labels.help(control) || undefined,
  };
}

export function textual(control: Control) {
  const { attributes } = control.element;
  const autocomplete = attributes.get('autocomplete')?.trim();
  return {
    placeholder: attributes.get('placeholder')?.trim() || undefined,
    autocomplete: autocomplete && autocomplete !== 'on' ? autocomplete : undefined,
  };
}

/** The label has an asterisk, and the browser demands nothing. */
export function starred(name: string, control: Control, labels: Labels): readonly Remark[] {
  if (isRequired(control) || control.element.isDisabled || !/\*/.test(labels.written(control))) return [];
  return [
    toDo(
      `the label of ${quote(name)} has an asterisk, and the page does not demand it: say required: true if you do`,
    ),
  ];
}

export const attributeOf = (control: Control, attribute: string) =>
  control.element.attributes.get(attribute)?.trim() || undefined;

export const withoutDefault = (value: string | undefined, fallback: string) =>
  value === fallback ? undefined : value;
