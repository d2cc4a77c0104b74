import { captchaSelector } from '../captcha.ts';
import { type Control, controlsOf, valuesOf } from '../controls.ts';

const controls = 'input,select,textarea';

/** Never kept: files, what the page says, secrets, and what browsers are not to keep either. */
const unkept = `[type=file],[type=hidden],[type=password],[autocomplete=off i],[autocomplete=off i] *,:is(${captchaSelector}) *`;

/** `lost`: the first step in which something was filled in that is not kept. */
export interface Kept {
  readonly typed: readonly (readonly [field: string, values: readonly string[]])[];
  readonly lost?: string | undefined;
}

/** Keeps what is typed into the steps, in this tab (`sessionStorage`) and until the form is sent, and fills it in again. */
export function keepTyped(form: HTMLFormElement, facts: HTMLFormElement, name: string): Kept | undefined {
  const place = `form-relay ${location.pathname} ${name}`;
  const forgotten = JSON.parse(facts.dataset.forget ?? '[]') as readonly string[];
  // Only fields that the relay knows: steps contain neither its token nor its decoy.
  const names = new Set(
    [...facts.querySelectorAll<Control>('[data-step] [name]')]
      .filter((control) => !control.matches(unkept) && !forgotten.includes(control.name))
      .map((control) => control.name),
  );
  const kept = (field: string) => controlsOf(form, field).filter((control) => !control.matches(unkept));
  const isLost = (control: Control) =>
    control.type !== 'hidden' &&
    !control.disabled &&
    (control.matches(unkept) || !names.has(control.name)) &&
    valuesOf(control).some(Boolean);
  const save = () => {
    const typed = [...names].map((field) => [field, kept(field).flatMap(valuesOf)] as const);
    const steps = [...form.querySelectorAll<HTMLElement>('[data-step]')];
    const step = steps.find((one) => [...one.querySelectorAll<Control>(controls)].some(isLost));
    const content: Kept = { typed, lost: step?.dataset.step };
    withStorage((storage) => storage.setItem(place, JSON.stringify(content)));
  };
  const forget = () => withStorage((storage) => storage.removeItem(place));
  const before = withStorage((storage) => JSON.parse(storage.getItem(place) as string) as Kept | null);
  for (const [field, values] of before?.typed ?? []) {
    if (names.has(field)) fillIn(kept(field), values);
  }
  if (before) save();
  for (const type of ['input', 'change']) form.addEventListener(type, save);
  form.addEventListener('reset', forget);
  form.addEventListener('form-relay:sent', forget);
  return before ?? undefined;
}

function fillIn(controls: readonly Control[], values: readonly string[]): void {
  const left = [...values];
  for (const control of controls) {
    const before = String(valuesOf(control));
    if ('selectedOptions' in control) {
      for (const option of control.options) option.selected = values.includes(option.value);
    } else if (/^(radio|checkbox)$/.test(control.type)) {
      (control as HTMLInputElement).checked = values.includes(control.value);
    } else control.value = left.shift() || control.dataset.rest || '';
    // Other fields may depend on it.
    if (String(valuesOf(control)) !== before) control.dispatchEvent(new Event('change', { bubbles: true }));
  }
}

/** Some browsers and frames have none, or no room in it. */
function withStorage<T>(use: (storage: Storage) => T): T | undefined {
  try {
    return use(sessionStorage);
  } catch {
    return undefined;
  }
}
