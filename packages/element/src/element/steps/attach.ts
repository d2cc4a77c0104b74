import { captchaSelector } from '../captcha.ts';
import { addEntries, type Control, controlsOf, fillIn, member, valuesOf } from '../controls.ts';
import type { Steps } from '../steps.ts';

/** `/api/v1/steps.js`: the history leads from step to step, and a reload keeps the step and what was typed. */

const attached = new WeakSet<HTMLFormElement>();

/** `facts`: the form as the relay renders it, which knows what is not to be kept. Gives back what sends the form. */
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

/** The same after a reload: a page may hold several forms, and a form more than once. */
function nameOf(form: HTMLFormElement): string {
  const actionOf = (one: Element) => one.getAttribute('action') ?? '';
  const action = actionOf(form);
  const same = [...document.querySelectorAll('form')].filter((one) => actionOf(one) === action);
  return `${action} ${same.indexOf(form)}`;
}

/** From one step to another: of which form, and to which step. */
type Move = readonly [form: string, step: string];

interface Followed {
  readonly form: HTMLFormElement;
  readonly steps: Steps;
  /** The step that the form begins with. */
  readonly first: string;
}

const followed = new Map<string, Followed>();

/** An entry of the history holds all moves that led to it. Entries without this are the page's own. */
const key = 'formRelay';
const movesIn = (state: unknown) => (state as Record<string, readonly Move[]> | null)?.[key];

let moves = movesIn(globalThis.history?.state) ?? [];

const stepAfter = (name: string, { first }: Followed, all: readonly Move[]): string =>
  all.filter(([form]) => form === name).pop()?.[1] ?? first;

/** `kept`: what was typed is there again, so that the step may be, too. */
function follow(form: HTMLFormElement, steps: Steps, name: string, kept: Kept | undefined): void {
  const one = { form, steps, first: firstStepOf(form) };
  followed.set(name, one);
  if (kept) {
    const step = stepAfter(name, one, moves);
    steps.show(step, false);
    // Visitors must see that something is gone before they send the form.
    if (kept.lost && +kept.lost < +step) {
      steps.show(kept.lost, false);
      move(name, one, kept.lost);
    }
  }
  steps.moved = (step) => move(name, one, step);
  form.addEventListener('form-relay:sent', (event) => {
    // After all who listen: the page may keep the form, or go elsewhere.
    queueMicrotask(() => {
      const { defaultPrevented, detail } = event as CustomEvent<{ redirect?: string }>;
      const isOurs = moves.every(([other]) => other === name);
      // Back then leaves the page, and does not lead through steps that are over.
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
    // The entry from which it goes on may be the page's own, and somebody may come back to it.
    history.replaceState({ ...history.state, [key]: moves }, '');
    const next = [...moves, [name, step] as const];
    // Routers know the page by their part of the state. htmx would take its part for another page, and load that.
    history.pushState({ ...history.state, htmx: undefined, [key]: next }, '');
    moves = next;
  } catch {
    // Some frames have no history, and some browsers forbid many entries at once.
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

/** Never kept: results, files, what the page says, secrets, and what browsers are not to keep either. */
const unkept = `output,[type=file],[type=hidden],[type=password],[autocomplete=off i]:not([data-beside]),[autocomplete=off i] *,:is(${captchaSelector}) *`;

type Typed = readonly (readonly [field: string, values: readonly string[]])[];

/** The values typed into controls of a name; with a telephone number, its country. */
const typedIn = (controls: readonly Control[]): readonly string[] =>
  controls.flatMap((control) => (control.dataset.beside ? control.value : valuesOf(control)));

/** Whether it is in an entry of a field that repeats, of which there may be more than stand in the form. */
const isInEntry = (form: HTMLFormElement, name: string): boolean =>
  [...form.querySelectorAll<HTMLElement>('.repeat-items')].some(({ dataset }) =>
    name.startsWith(`${dataset.name}.`),
  );

/** Some browsers and frames have none, or no room in it. */
function withStorage<T>(use: (storage: Storage) => T): T | undefined {
  try {
    return use(sessionStorage);
  } catch {
    return undefined;
  }
}

/** `lost`: the first step in which something was filled in that is not kept. */
interface Kept {
  readonly typed: Typed;
  readonly lost?: string | undefined;
}

/** Keeps what is typed into the steps, in this tab (`sessionStorage`) and until the form is sent, and fills it in again. */
function keepTyped(form: HTMLFormElement, facts: HTMLFormElement, name: string): Kept | undefined {
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
