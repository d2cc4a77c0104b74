import { captchaSelector } from '../captcha.ts';
import { addEntries, type Control, controlsOf, fillIn, member, valuesOf } from '../controls.ts';
import type { Steps } from '../steps.ts';

/** `/api/v1/steps.js`: adds steps to the browser history, and keeps the step and the typed values across a reload. */

const attached = new WeakSet<HTMLFormElement>();

/** `facts`: the form as the relay renders it, which says what must not be stored. Returns the function that sends the form. */
export function attach(
  form: HTMLFormElement,
  facts: HTMLFormElement,
  send: typeof fetch,
  steps?: Steps,
): typeof fetch {
  if (!steps || attached.has(form)) return send;
  attached.add(form);
  const name = nameOf(form);
  follow(form, steps, name, keepTyped(form, facts, name));
  return send;
}

/** A name that stays the same after a reload. A page may contain several forms, and one form more than once. */
function nameOf(form: HTMLFormElement): string {
  const actionOf = (one: Element) => one.getAttribute('action') ?? '';
  const action = actionOf(form);
  const same = [...document.querySelectorAll('form')].filter((one) => actionOf(one) === action);
  return `${action} ${same.indexOf(form)}`;
}

/** A move: the form, and the step that it leads to. */
type Move = readonly [form: string, step: string];

interface Followed {
  readonly form: HTMLFormElement;
  readonly steps: Steps;
  /** The form's first step. */
  readonly first: string;
}

const followed = new Map<string, Followed>();

/** A history entry lists all moves that led to it. Entries without this key belong to the page. */
const key = 'formRelay';
const movesIn = (state: unknown) => (state as Record<string, readonly Move[]> | null)?.[key];

let moves = movesIn(globalThis.history?.state) ?? [];

const stepAfter = (name: string, { first }: Followed, all: readonly Move[]): string =>
  all.filter(([form]) => form === name).pop()?.[1] ?? first;

/** `kept`: the browser restored what was typed, so restore the step, too. */
function follow(form: HTMLFormElement, steps: Steps, name: string, kept: Kept | undefined): void {
  const one = { form, steps, first: firstStepOf(form) };
  followed.set(name, one);
  if (kept) {
    const step = stepAfter(name, one, moves);
    steps.show(step, false);
    // Visitors must see that something was lost before they send the form.
    if (kept.lost && +kept.lost < +step) {
      steps.show(kept.lost, false);
      move(name, one, kept.lost);
    }
  }
  steps.moved = (step) => move(name, one, step);
  form.addEventListener('form-relay:sent', (event) => {
    // Runs after all other listeners: the page may keep the form, or navigate.
    queueMicrotask(() => {
      const { defaultPrevented, detail } = event as CustomEvent<{ redirect?: string }>;
      const isOurs = moves.every(([other]) => other === name);
      // After that, Back leaves the page instead of returning to finished steps.
      if (!defaultPrevented && !detail.redirect && isOurs) go(0);
    });
  });
}

const firstStepOf = (form: HTMLFormElement) =>
  form.querySelector<HTMLElement>('[data-step]')?.dataset.step as string;

function move(name: string, one: Followed, step: string): void {
  for (let count = moves.length - 1; moves[count]?.[0] === name; count--) {
    // Going back to a step goes back in the history.
    if (stepAfter(name, one, moves.slice(0, count)) === step && go(count)) return;
  }
  try {
    // The current entry may be the page's own, and the visitor may return to it.
    history.replaceState({ ...history.state, [key]: moves }, '');
    const next = [...moves, [name, step] as const];
    // Routers identify the page by their part of the state. htmx would take its part for another page, and load that.
    history.pushState({ ...history.state, htmx: undefined, [key]: next }, '');
    moves = next;
  } catch {
    // Some frames have no history, and some browsers limit how often entries are added.
  }
}

/** Goes to the history entry with this many moves, if it is known to exist. */
function go(count: number): boolean {
  const isKnown = movesIn(history.state)?.length === moves.length;
  if (isKnown && count < moves.length) history.go(count - moves.length);
  return isKnown;
}

globalThis.addEventListener?.('popstate', ({ state }) => {
  const known = movesIn(state);
  if (!known) return;
  moves = known;
  for (const [name, one] of followed) {
    if (one.form.isConnected) one.steps.show(stepAfter(name, one, moves));
  }
});

const controls = 'input,select,textarea';

/** Controls that are never stored: results, files, hidden values, secrets, and those that browsers must not store either. */
const unkept = `output,[type=file],[type=hidden],[type=password],[autocomplete=off i]:not([data-beside]),[autocomplete=off i] *,:is(${captchaSelector}) *`;

type Typed = readonly (readonly [field: string, values: readonly string[]])[];

/** The values typed into controls with a name, including the country of a telephone number. */
const typedIn = (controls: readonly Control[]): readonly string[] =>
  controls.flatMap((control) => (control.dataset.beside ? control.value : valuesOf(control)));

/** Whether the control is in an entry of a repeated field, which may have more entries than the form shows. */
const isInEntry = (form: HTMLFormElement, name: string): boolean =>
  [...form.querySelectorAll<HTMLElement>('.repeat-items')].some(({ dataset }) =>
    name.startsWith(`${dataset.name}.`),
  );

/** Storage may be missing in some browsers and frames, or full. */
function withStorage<T>(use: (storage: Storage) => T): T | undefined {
  try {
    return use(sessionStorage);
  } catch {
    return undefined;
  }
}

/** `lost`: the first step with values that could not be stored. */
interface Kept {
  readonly typed: Typed;
  readonly lost?: string | undefined;
}

/** Stores what is typed into the steps, for this tab (`sessionStorage`) and until the form is sent, and fills it in again. */
function keepTyped(form: HTMLFormElement, facts: HTMLFormElement, name: string): Kept | undefined {
  const place = `form-relay ${location.pathname} ${name}`;
  const forgotten = JSON.parse(facts.dataset.forget ?? '[]') as readonly string[];
  // Only the relay's fields: steps contain neither its token nor its decoy.
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
    withStorage((storage) => storage.setItem(place, JSON.stringify(content)));
  };
  const forget = () => withStorage((storage) => storage.removeItem(place));
  const before = withStorage((storage) => JSON.parse(storage.getItem(place) as string) as Kept | null);
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
