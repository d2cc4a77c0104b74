/**
 * `/api/v1/files.js`: what a form does whose visitors choose files, beyond what browsers do. It is loaded by forms with
 * a file field alone: by packages/element/src/element, or by the form itself in a page with htmx (inline/parts_in_form.ts).
 */
import { carryOver } from './carry_over.ts';
import { type Chosen, chosenIn } from './chosen.ts';
import { withHtmx } from './htmx.ts';
import { followed, sendFollowed } from './progress.ts';

const attached = new WeakMap<HTMLFormElement, typeof fetch>();

/**
 * Makes the form ready, and has what sends it as `fetch` does, and shows how much was sent. `facts`: the form as the relay
 * renders it, which knows words and limits. Default: it is this one.
 */
export function attach(form: HTMLFormElement, facts: HTMLFormElement = form): typeof fetch {
  const known = attached.get(form);
  if (known) return known;
  const all = new Map<HTMLInputElement, Chosen>();
  const update = () => {
    let bytes = 0;
    for (const chosen of all.values()) bytes += chosen.bytes();
    const isTooMuch = bytes > Number(facts.dataset.filesLimit);
    for (const chosen of all.values()) chosen.update(isTooMuch ? facts.dataset.filesTooLarge : '');
  };
  const setUp = () => {
    for (const input of all.keys()) if (!form.contains(input)) all.delete(input);
    for (const input of form.querySelectorAll<HTMLInputElement>('input[type=file]')) {
      if (!all.has(input)) all.set(input, chosenIn(input, facts));
    }
    update();
  };
  setUp();
  // Fields come and go.
  new MutationObserver((changes) => {
    if (changes.some(({ addedNodes, removedNodes }) => [...addedNodes, ...removedNodes].some(isWithInput)))
      setUp();
  }).observe(form, { childList: true, subtree: true });
  form.addEventListener('change', update);
  // Before it, nothing is reset yet.
  form.addEventListener('reset', () => setTimeout(update));
  // A file that misses its place must not take the place of the page.
  for (const type of ['dragover', 'drop']) {
    form.addEventListener(type, (event) => {
      const { target } = event;
      if (!(target instanceof HTMLInputElement)) event.preventDefault();
    });
  }
  const follow = (xhr: XMLHttpRequest) => followed(xhr, form, facts);
  const send = sendFollowed(follow);
  attached.set(form, send);
  withHtmx(form, send, follow);
  carryOver(form, attach);
  return send;
}

const isWithInput = (node: Node) =>
  node instanceof Element && (node.matches('input[type=file]') || node.querySelector('input[type=file]'));
