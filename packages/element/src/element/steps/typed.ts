import { type Control, controlsOf, valuesOf } from '../controls.ts';
import { fillIn, type Typed, unkept, withStorage } from '../kept.ts';

const controls = 'input,select,textarea';

/** `lost`: the first step in which something was filled in that is not kept. */
export interface Kept {
  readonly typed: Typed;
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
    withStorage('sessionStorage', (storage) => storage.setItem(place, JSON.stringify(content)));
  };
  const forget = () => withStorage('sessionStorage', (storage) => storage.removeItem(place));
  const before = withStorage(
    'sessionStorage',
    (storage) => JSON.parse(storage.getItem(place) as string) as Kept | null,
  );
  for (const [field, values] of before?.typed ?? []) {
    if (names.has(field)) fillIn(kept(field), values);
  }
  if (before) save();
  for (const type of ['input', 'change']) form.addEventListener(type, save);
  form.addEventListener('reset', forget);
  form.addEventListener('form-relay:sent', forget);
  return before ?? undefined;
}
