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
