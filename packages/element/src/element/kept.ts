import { captchaSelector } from './captcha.ts';
import { type Control, valuesOf } from './controls.ts';

/** Never kept: results, files, what the page says, secrets, and what browsers are not to keep either. */
export const unkept = `output,[type=file],[type=hidden],[type=password],[autocomplete=off i]:not([data-beside]),[autocomplete=off i] *,:is(${captchaSelector}) *`;

export type Typed = readonly (readonly [field: string, values: readonly string[]])[];

/** What was typed into controls of a name: of a telephone number, also its country. */
export const typedIn = (controls: readonly Control[]): readonly string[] =>
  controls.flatMap((control) => (control.dataset.beside ? control.value : valuesOf(control)));

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

/** Whether it is in an entry of a field that repeats, of which there may be more than stand in the form. */
export const isInEntry = (form: HTMLFormElement, name: string): boolean =>
  [...form.querySelectorAll<HTMLElement>('.repeat-items')].some(({ dataset }) =>
    name.startsWith(`${dataset.name}.`),
  );

/** Has the entries added that this was typed into (packages/element/src/repeat hears it). */
export function addEntries(form: HTMLFormElement, typed: Typed): void {
  const detail = typed.filter(([, values]) => values.some(Boolean)).map(([name]) => name);
  form.dispatchEvent(new CustomEvent('form-relay:entries', { detail }));
}

/** Some browsers and frames have none, or no room in it. */
export function withStorage<T>(
  name: 'sessionStorage' | 'localStorage',
  use: (storage: Storage) => T,
): T | undefined {
  try {
    return use(globalThis[name]);
  } catch {
    return undefined;
  }
}
