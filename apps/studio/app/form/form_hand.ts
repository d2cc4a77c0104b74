/** Loads pages into the frame, and reads and fills in the form in them. */
/** The live form. The element never moves in the document, because browsers would reload it. */
export const frame = document.createElement('iframe');
frame.id = 'frame';
frame.title = 'The form, live';

const formPage = (): Document | null => frame.contentDocument;

const relayForm = () => formPage()?.querySelector<HTMLFormElement>('form.form-relay');

/**
 * Values that were typed or chosen, including earlier ones, urlencoded. If the relay returned the form with
 * errors, all values count, because it has made them initial values. An unticked box is sent as an empty
 * value; otherwise it would return to its initial state. `given`: the query with which the form was loaded.
 */
export function typed(given: string): string {
  const values = new URLSearchParams();
  const form = relayForm();
  if (!form) return '';
  const isGivenBack = form.querySelector('[aria-invalid], .form-errors') !== null;
  const before = new URLSearchParams(given);
  // A page cannot restore a file that the visitor chose.
  const controls = controlsOf(form).filter(({ type }) => type !== 'file');
  const names = controls.filter((one) => isGivenBack || isTouched(one) || before.has(one.name));
  for (const name of new Set(names.map((one) => one.name))) {
    const sent = controls.filter((one) => one.name === name).flatMap(valuesOf);
    for (const value of sent.length > 0 ? sent : ['']) values.append(name, value);
  }
  return String(values);
}

/** Resolves when the page's script has inserted the form, or the note that replaces it. */
export const shown = (): Promise<void> =>
  new Promise((resolve) => {
    const page = formPage();
    const look = () => {
      if (!relayForm() && !page?.querySelector('.form-closed')) return;
      waiting.disconnect();
      resolve();
    };
    const waiting = new MutationObserver(look);
    if (page) waiting.observe(page, { childList: true, subtree: true });
    look();
  });

/** Fills in what a URL cannot: ticks boxes, and sets the values of other controls. */
export function give(name: string, values: readonly string[]): void {
  const form = relayForm();
  const named = form ? controlsOf(form).filter((one) => one.name === name && !one.dataset.beside) : [];
  for (const [place, control] of named.entries()) {
    if (isBox(control)) control.checked = values.includes(control.value);
    else giveValue(control, values[place] ?? '');
    for (const event of ['input', 'change']) control.dispatchEvent(new Event(event, { bubbles: true }));
  }
}

let growing: ResizeObserver | undefined;
/** Prepares a page that has loaded. */
function attend(): void {
  const page = formPage();
  const root = page?.documentElement;
  growing?.disconnect();
  if (!page || !root) return;
  growing = new ResizeObserver(() => {
    frame.style.height = `${Math.max(root.offsetHeight, 160)}px`;
  });
  growing.observe(root);
}

/** Loads another page without a history entry, so that Back leads to the previous form. */
export const open = (address: string): Promise<void> =>
  new Promise((resolve) => {
    frame.addEventListener('load', () => resolve(), { once: true });
    frame.contentWindow?.location.replace(address);
  });

frame.addEventListener('load', attend);
if (formPage()?.readyState === 'complete') attend();

/** The controls of the current form, and their values. */
type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;
/** Controls that visitors can fill in, without hidden ones and the honeypot. */
const controlsOf = (form: HTMLFormElement): Control[] =>
  ([...form.elements] as Control[]).filter(
    (control) =>
      control.name && !['hidden', 'submit', 'fieldset'].includes(control.type) && !control.closest('[inert]'),
  );
const isBox = (control: Control): control is HTMLInputElement =>
  control.type === 'checkbox' || control.type === 'radio';
const valuesOf = (control: Control): string[] => {
  if (isBox(control)) return control.checked ? [control.value] : [];
  if ('selectedOptions' in control) return [...control.selectedOptions].map(({ value }) => value);
  return [control.value];
};
const isTouched = (control: Control) => {
  if (isBox(control)) return control.checked !== control.defaultChecked;
  if ('selectedOptions' in control) {
    const initial = [...control.options].filter((one) => one.defaultSelected);
    // In a list without an initial value, browsers select the first option.
    const shown = initial.length > 0 || control.multiple ? initial : [...control.options].slice(0, 1);
    return shown.map(({ value }) => value).join('\n') !== valuesOf(control).join('\n');
  }
  return control.value !== control.defaultValue;
};

/** A sample file, encoded as text (sample_files.ts). */
const sample = /^data:([\w/.+-]+);name=([\w.]+);base64,(.*)$/;
export const isSampleFile = (value: string) => sample.test(value);
/** Sets a control's value; also works for file inputs. */
const giveValue = (control: Control, value: string) => {
  if (control.type !== 'file') {
    control.value = value;
    return;
  }
  const [, type, name = '', content = ''] = sample.exec(value) ?? [];
  // Constructors must come from the control's own page, which may be in a frame.
  const page = control.ownerDocument.defaultView as Window & typeof globalThis;
  const files = new page.DataTransfer();
  const bytes = Uint8Array.from(atob(content), (one) => one.charCodeAt(0));
  files.items.add(new page.File([bytes], name, { type }));
  (control as HTMLInputElement).files = files.files;
};
