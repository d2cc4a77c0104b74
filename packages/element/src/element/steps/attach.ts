/**
 * `/api/v1/steps.js`: what a form in steps does beyond showing one at a time. The browser's history leads from step to step,
 * and a reload keeps the step and what was typed. Only forms in steps load it (load_parts.ts).
 */
import type { Steps } from '../steps.ts';
import { follow } from './moves.ts';
import { keepTyped } from './typed.ts';

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
