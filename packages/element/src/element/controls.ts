import { member } from './dom.ts';
export type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** All controls of a name; with a dot after it, of all names that begin so. */
export const controlsOf = (form: HTMLFormElement, name: string): readonly Control[] =>
  ([...member(form, 'elements')] as Control[]).filter(
    ({ name: own }) => own === name || (/\.$/.test(name) && own?.startsWith(name)),
  );

/** The button that sends the form. */
export const buttonOf = (form: HTMLFormElement): HTMLElement | null =>
  form.querySelector('button:not([type=button],[type=reset]),input[type=submit],input[type=image]');

export function putAboveButton(form: HTMLFormElement, element: Element): void {
  const button = buttonOf(form);
  if (button) button.before(element);
  else form.append(element);
}

/** The values that a control would send, even if it is disabled. */
export const valuesOf = (control: Control): readonly string[] => {
  // The country of a telephone number is no answer by itself.
  if (control.dataset.beside) return [];
  if ('selectedOptions' in control) return [...control.selectedOptions].map(({ value }) => value);
  return /^(radio|checkbox)$/.test(control.type) && !(control as HTMLInputElement).checked
    ? []
    : // A slider at its start gives no answer.
      [control.value === control.dataset.rest ? '' : control.value];
};

/** Elements around fields that belong to no single field. */
const around = '[data-step],.field-group';

/** The largest element that holds these controls and no other: with their label, help and error. */
export function frameOf(form: HTMLFormElement, controls: readonly Control[]): Element {
  let frame: Element = controls[0] as Control;
  for (
    let next = frame.parentElement;
    next && next !== form && !next.contains(form);
    next = next.parentElement
  ) {
    if (frame.matches('.field') || next.matches(around)) break;
    const all = [
      ...next.querySelectorAll(
        'input:not([role=combobox]),select,textarea,button:not(.file-remove,.field-button)',
      ),
    ];
    if (!all.every((one) => controls.includes(one as Control))) break;
    frame = next;
  }
  return frame;
}

/** Enters values as if they were typed, so that other fields follow. */
export function fillIn(controls: readonly Control[], values: readonly string[]): void {
  const left = [...values];
  for (const control of controls) {
    const before = String(valuesOf(control));
    if ('selectedOptions' in control) {
      for (const option of control.options) option.selected = values.includes(option.value);
      if (control.dataset.beside) left.shift();
    } else if (/^(radio|checkbox)$/.test(control.type)) {
      (control as HTMLInputElement).checked = values.includes(control.value);
    } else control.value = left.shift() || control.dataset.rest || '';
    // Other fields may depend on it.
    if (String(valuesOf(control)) !== before) control.dispatchEvent(new Event('change', { bubbles: true }));
  }
}

/** Has the entries added that values are for, of fields that repeat (packages/element/src/repeat hears it). */
export function addEntries(
  form: HTMLFormElement,
  typed: readonly (readonly [string, readonly string[]])[],
): void {
  const detail = typed.filter(([, values]) => values.some(Boolean)).map(([name]) => name);
  form.dispatchEvent(new CustomEvent('form-relay:entries', { detail }));
}
