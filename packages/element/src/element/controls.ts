/** To be replaced by the type of lib.dom.d.ts, once TypeScript has it. */
interface Policy {
  createHTML(text: string): string;
}
let policy: Policy | undefined;

/** Sets the relay's own markup. Some pages accept markup only through named policies (Trusted Types). */
export function setMarkup(element: Element, text: string): void {
  try {
    // biome-ignore lint/suspicious/noExplicitAny: not every browser has it.
    policy ??= (window as any).trustedTypes.createPolicy('form-relay', { createHTML: (own: string) => own });
  } catch {
    // Trusted Types are not supported, or the page does not allow this policy.
  }
  element.innerHTML = policy ? policy.createHTML(text) : text;
}

export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  className: string,
  ...content: readonly (string | Node)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...content);
  return element;
}

/** Overrides the site's CSS, which must not show hidden elements. Undoes only what was set here. */
export function show(element: HTMLElement, isShown: boolean): void {
  const style = member(element, 'style');
  if (!isShown) style.setProperty('display', 'none', 'important');
  else if (style.getPropertyPriority('display')) style.removeProperty('display');
}

/** The relay's own class and the site's (`classes` in the config). */
export const withOwn = (name: string, added = '') => `${name} ${added}`.trim();

/** A field may be called `style` or `elements`, which hides the form's own property. */
export const member = <K extends 'style' | 'elements'>(form: HTMLElement, name: K): HTMLFormElement[K] =>
  Reflect.get(HTMLFormElement.prototype, name, form);

/** Changes the ids in an element's `aria-describedby`. */
export function describe(element: Element, change: (ids: readonly string[]) => readonly string[]): void {
  const known = element.getAttribute('aria-describedby')?.split(/\s+/) ?? [];
  const next = change(known).join(' ');
  if (next) element.setAttribute('aria-describedby', next);
  else element.removeAttribute('aria-describedby');
}

export type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** All controls with a name. If the name ends with a dot, all controls whose names start with it. */
export const controlsOf = (form: HTMLFormElement, name: string): readonly Control[] =>
  ([...member(form, 'elements')] as Control[]).filter(
    ({ name: own }) => own === name || (/\.$/.test(name) && own?.startsWith(name)),
  );

/** The submit button. */
export const buttonOf = (form: HTMLFormElement): HTMLElement | null =>
  form.querySelector('button:not([type=button],[type=reset]),input[type=submit],input[type=image]');

export function putAboveButton(form: HTMLFormElement, element: Element): void {
  const button = buttonOf(form);
  if (button) button.before(element);
  else form.append(element);
}

/** The values that a control would send, even if it is disabled. */
export const valuesOf = (control: Control): readonly string[] => {
  // The country of a telephone number is not an answer by itself.
  if (control.dataset.beside) return [];
  if ('selectedOptions' in control) return [...control.selectedOptions].map(({ value }) => value);
  return /^(radio|checkbox)$/.test(control.type) && !(control as HTMLInputElement).checked
    ? []
    : // A slider in its start position is not an answer.
      [control.value === control.dataset.rest ? '' : control.value];
};

/** Elements that contain several fields. */
const around = '[data-step],.field-group';

/** The largest element that contains only these controls, with their label, help and error. */
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

/** Enters values as if they were typed, so that dependent fields are updated. */
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
    // Other fields may depend on this one.
    if (String(valuesOf(control)) !== before) control.dispatchEvent(new Event('change', { bubbles: true }));
  }
}

/** Adds the entries that values are for, in repeated fields (packages/element/src/repeat handles the event). */
export function addEntries(
  form: HTMLFormElement,
  typed: readonly (readonly [string, readonly string[]])[],
): void {
  const detail = typed.filter(([, values]) => values.some(Boolean)).map(([name]) => name);
  form.dispatchEvent(new CustomEvent('form-relay:entries', { detail }));
}
