import type { SubmitError } from './client.ts';
import {
  type Control,
  controlsOf,
  describe,
  frameOf,
  make,
  putAboveButton,
  setMarkup,
  withOwn,
} from './controls.ts';
import { reveal } from './steps.ts';

/** The errors of a field, and a function to remove them. */
interface Shown {
  readonly item: Element | undefined;
  remove(): void;
}

const shown = new WeakMap<HTMLFormElement, Map<string, Shown>>();

/** The element for messages about the whole form: above the button, where visitors look. */
export function statusOf(form: HTMLFormElement): HTMLElement {
  const known = form.querySelector<HTMLElement>('.form-status');
  if (known) return known;
  const status = make('div', 'form-status');
  status.setAttribute('role', 'alert');
  putAboveButton(form, status);
  return status;
}

/** Shows a status message. Without a text, clears it. */
export function say(form: HTMLFormElement, text = ''): void {
  statusOf(form).textContent = text;
}

/**
 * Shows an error about the whole submission. Moves the focus there, so that visitors notice it. `markup`: the
 * owner's text, rendered by the relay.
 */
export function sayError(form: HTMLFormElement, message = '', owners = '', markup = ''): void {
  const list = make('ul', 'form-errors', make('li', '', message));
  if (owners) list.append(make('li', '', owners));
  if (markup) setMarkup(list.lastChild as Element, markup);
  showInStatus(form, list);
}

function showInStatus(form: HTMLFormElement, ...content: readonly Node[]): void {
  const status = statusOf(form);
  status.replaceChildren(...content);
  status.tabIndex = -1;
  status.focus();
}

/** Shows the errors at their fields, and above the button if there are several. Moves the focus to the first. */
export function showErrors(form: HTMLFormElement, errors: readonly SubmitError[], texts: DOMStringMap): void {
  // A form is not sent before its texts have loaded.
  const { fieldError, summaryTitle } = texts as DOMStringMap & Record<'fieldError' | 'summaryTitle', string>;
  const all = new Map<string, Shown>();
  shown.set(form, all);
  const items: Element[] = [];
  let first: Control | undefined;
  for (const { field, message, label, summary } of errors) {
    const controls = controlsOf(form, field).filter(
      ({ type, dataset }) => type !== 'hidden' && !dataset.beside,
    );
    // The first option may be full, and so disabled.
    const control = controls.find(({ disabled }) => !disabled) ?? controls[0];
    const named = (name: string) =>
      summary ||
      fieldError
        .replace('{field}', () => name.replace(/[\s*.:?。：？]+$/, ''))
        .replace('{error}', () => message);
    let item: Element;
    if (control) {
      const link = make(
        'a',
        '',
        named((!/form-relay/.test(form.className) && labelOf(controls)) || label || field),
      );
      link.href = `#${control.id}`;
      // A client-side router may handle the link itself.
      link.onclick = (event) => {
        event.preventDefault();
        reveal(form, control);
        control.focus();
      };
      item = make('li', '', link);
      all.set(field, { item, remove: showError(form, controls, message, texts) });
      first ??= control;
    } else item = make('li', '', named(label || field));
    items.push(item);
  }
  if (first) reveal(form, first);
  if (errors.length < 2 && first) first.focus();
  else {
    const level = form.querySelector('h2') ? 'h3' : 'h2';
    const title = errors.length > 1 ? [make(level, 'form-summary', summaryTitle)] : [];
    showInStatus(form, ...title, make('ul', 'form-errors', ...items));
  }
}

let ids = 0;

function showError(
  form: HTMLFormElement,
  controls: readonly Control[],
  message: string,
  { errorClass }: DOMStringMap,
): () => void {
  const error = make('p', withOwn('field-error', errorClass), message);
  error.id = `form-relay-error-${++ids}`;
  place(error, form, controls);
  const group = controls[0]?.closest('[role=radiogroup]');
  const marked = group ? [...controls, group] : controls;
  for (const element of marked) {
    // Radio buttons have no such state; it belongs to their group.
    if ((element as Control).type !== 'radio') element.setAttribute('aria-invalid', 'true');
    describe(element, (known) => [...known, error.id]);
  }
  return () => {
    error.remove();
    for (const element of marked) {
      element.removeAttribute('aria-invalid');
      describe(element, (known) => known.filter((id) => id !== error.id));
    }
  };
}

/**
 * In the relay's own markup, below label and help, where the relay puts errors. Elsewhere, after everything
 * that belongs to the field.
 */
function place(error: Element, form: HTMLFormElement, controls: readonly Control[]): void {
  const frame = frameOf(form, controls);
  const above = [...frame.children].filter((child) => child.matches('legend,.field-help,label:not(.choice)'));
  if (frame.matches('.field') && above[0]) above.pop()?.after(error);
  // The label of a box or radio button comes after it.
  else if (/^(radio|checkbox)$/.test((frame as Control).type)) frame.before(error);
  // These elements cannot contain a paragraph.
  else if (frame.matches('label,p,span,input,select,textarea')) frame.after(error);
  else frame.append(error);
}

/** The text of the page's own label, which may differ from the config's. */
function labelOf(controls: readonly Control[]): string | undefined {
  const [control] = controls;
  const label =
    controls.length > 1 ? control?.closest('fieldset')?.querySelector('legend') : control?.labels?.[0];
  const parts = [...(label?.childNodes ?? [])].filter((part) => !part.contains(control as Node));
  return parts
    .map(({ textContent }) => textContent)
    .join('')
    .trim();
}

/** Removes the error of one field. */
export function clearError(form: HTMLFormElement, name: string): void {
  const all = shown.get(form);
  const one = all?.get(name);
  if (!one) return;
  one.remove();
  one.item?.remove();
  all?.delete(name);
  if (!form.querySelector('.form-status li')) say(form);
}

export function clearErrors(form: HTMLFormElement): void {
  for (const { remove } of shown.get(form)?.values() ?? []) remove();
  shown.delete(form);
  say(form);
}
