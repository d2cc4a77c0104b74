import { type Control, controlsOf, valuesOf } from '../controls.ts';
import { addEntries, fillIn, isInEntry, type Typed, typedIn, unkept, withStorage } from '../kept.ts';
import { member } from '../member.ts';

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
  const isKept = (field: string) =>
    names.has(field) || (!forgotten.includes(field) && isInEntry(facts, field));
  const kept = (field: string) => controlsOf(form, field).filter((control) => !control.matches(unkept));
  const isLost = (control: Control) =>
    control.type !== 'hidden' &&
    !control.disabled &&
    (control.matches(unkept) || !isKept(control.name)) &&
    valuesOf(control).some(Boolean);
  const save = () => {
    const there = ([...member(form, 'elements')] as Control[]).map(({ name }) => name);
    const typed = [...new Set([...names, ...there])]
      .filter(isKept)
      .map((field) => [field, typedIn(kept(field))] as const);
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
  if (before) addEntries(form, before.typed);
  for (const [field, values] of before?.typed ?? []) {
    if (isKept(field)) fillIn(kept(field), values);
  }
  if (before) save();
  for (const type of ['input', 'change']) form.addEventListener(type, save);
  form.addEventListener('reset', forget);
  form.addEventListener('form-relay:sent', forget);
  return before ?? undefined;
}
