import type { Steps } from '../steps.ts';
import type { Kept } from './typed.ts';

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
export function follow(form: HTMLFormElement, steps: Steps, name: string, kept: Kept | undefined): void {
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
