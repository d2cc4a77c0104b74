/** Shows pages in the frame, and works with the form in them: reads what was typed, and fills it in. */
/** The live form. The frame never moves: a browser loads its page again when the frame moves in the document. */
export const frame = document.createElement('iframe');
frame.id = 'frame';
frame.title = 'The form, live';

const formPage = (): Document | null => frame.contentDocument;

const relayForm = () => formPage()?.querySelector<HTMLFormElement>('form.form-relay');

/**
 * The values typed or chosen, now or before, urlencoded. If the relay gave the form back, all values count: it has made
 * them the initial ones. An unticked box is sent as empty; left out, it would be shown as it was at first. `given`: the
 * query with which the form was loaded.
 */
export function typed(given: string): string {
  const values = new URLSearchParams();
  const form = relayForm();
  if (!form) return '';
  const isGivenBack = form.querySelector('[aria-invalid], .form-errors') !== null;
  const before = new URLSearchParams(given);
  // No page can put back a file that somebody chose.
  const controls = controlsOf(form).filter(({ type }) => type !== 'file');
  const names = controls.filter((one) => isGivenBack || isTouched(one) || before.has(one.name));
  for (const name of new Set(names.map((one) => one.name))) {
    const sent = controls.filter((one) => one.name === name).flatMap(valuesOf);
    for (const value of sent.length > 0 ? sent : ['']) values.append(name, value);
  }
  return String(values);
}

/** Resolves when the page has its form, or what stands in its place, which its script brings a little later. */
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

const named = (name: string) => {
  const form = relayForm();
  return form ? controlsOf(form).filter((one) => one.name === name) : [];
};

/** Fills in at once what no address can. */
export function give(name: string, values: readonly string[]): void {
  giveValues(
    named(name).filter(({ dataset }) => !dataset.beside),
    values,
  );
}

let growing: ResizeObserver | undefined;
/** Looks after a page that has come. */
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

/** Shows another page, in place of the one before: Back leads to the form before. Tells when it is there. */
export const open = (address: string): Promise<void> =>
  new Promise((resolve) => {
    frame.addEventListener('load', () => resolve(), { once: true });
    frame.contentWindow?.location.replace(address);
  });

frame.addEventListener('load', attend);
if (formPage()?.readyState === 'complete') attend();

/** The controls of the form that is shown, and what is in them. */
export type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;
/** Controls that people can fill in: neither hidden ones nor the decoy. */
export const controlsOf = (form: HTMLFormElement): Control[] =>
  ([...form.elements] as Control[]).filter(
    (control) =>
      control.name && !['hidden', 'submit', 'fieldset'].includes(control.type) && !control.closest('[inert]'),
  );
export const isBox = (control: Control): control is HTMLInputElement =>
  control.type === 'checkbox' || control.type === 'radio';
export const valuesOf = (control: Control): string[] => {
  if (isBox(control)) return control.checked ? [control.value] : [];
  if ('selectedOptions' in control) return [...control.selectedOptions].map(({ value }) => value);
  return [control.value];
};
export const isTouched = (control: Control) => {
  if (isBox(control)) return control.checked !== control.defaultChecked;
  if ('selectedOptions' in control) {
    const initial = [...control.options].filter((one) => one.defaultSelected);
    // Browsers choose the first option of a list without an initial value.
    const shown = initial.length > 0 || control.multiple ? initial : [...control.options].slice(0, 1);
    return shown.map(({ value }) => value).join('\n') !== valuesOf(control).join('\n');
  }
  return control.value !== control.defaultValue;
};

/** A sample of a file, as text (sample_files.ts). */
const sample = /^data:([\w/.+-]+);name=([\w.]+);base64,(.*)$/;
export const isSampleFile = (value: string) => sample.test(value);
/** Puts a field's values into its controls, and ticks boxes. */
export const giveValues = (controls: readonly Control[], values: readonly string[]) => {
  for (const [place, control] of controls.entries()) {
    if (isBox(control)) control.checked = values.includes(control.value);
    else giveValue(control, values[place] ?? '');
    tell(control, 'input', 'change');
  }
};
export const tell = (control: Control, ...events: readonly string[]) => {
  for (const event of events) control.dispatchEvent(new Event(event, { bubbles: true }));
};
/** The control may be one for files. */
const giveValue = (control: Control, value: string) => {
  if (control.type !== 'file') {
    control.value = value;
    return;
  }
  const [, type, name = '', content = ''] = sample.exec(value) ?? [];
  // Classes of the control's own page, which may be in a frame.
  const page = control.ownerDocument.defaultView as Window & typeof globalThis;
  const files = new page.DataTransfer();
  const bytes = Uint8Array.from(atob(content), (one) => one.charCodeAt(0));
  files.items.add(new page.File([bytes], name, { type }));
  (control as HTMLInputElement).files = files.files;
};
