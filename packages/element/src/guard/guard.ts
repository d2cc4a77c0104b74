/**
 * `/api/v1/guard.js`: what a form does that may ask for a proof of work. It is loaded by
 * such forms alone: by packages/element/src/element, or by the form itself (inline/parts_in_form.ts).
 */
import type { Guard } from './guarded_form.ts';
import { holdBack } from './hold_back.ts';
import { createPuzzle } from './puzzle.ts';
import { sendGuarded } from './send_guarded.ts';

const attached = new WeakMap<HTMLFormElement, typeof fetch>();

/**
 * Makes the form ready, once. `facts`: the form as the relay renders it, which knows puzzle and words. `send`: what a
 * script sends it with, for which it gives another. Default: the browser sends it, or htmx.
 */
export function attach(form: HTMLFormElement, facts = form, send?: typeof fetch): typeof fetch {
  const known = attached.get(form);
  if (known) return known;
  const { href } = new URL(form.getAttribute('action') as string, document.baseURI);
  const carrier = () => carrierIn(form) ?? carrierIn(facts);
  const puzzle = createPuzzle(carrier, href.replace('/submit/', '/challenge/'));
  const guard: Guard = { form, facts, puzzle };
  const guarded = send ? sendGuarded(guard, send) : fetch;
  attached.set(form, guarded);
  if (!send) holdBack(guard);
  // A form that nobody fills in costs its readers nothing.
  for (const type of ['focusin', 'pointerdown', 'input']) form.addEventListener(type, () => puzzle.solve());
  if (Element.prototype.matches.call(form, ':focus-within')) void puzzle.solve();
  // An error before this line leaves the question for people to answer.
  form.dataset.guarded = 'true';
  return guarded;
}

const carrierIn = (form: HTMLFormElement) => form.querySelector<HTMLElement>('[data-challenge]');
