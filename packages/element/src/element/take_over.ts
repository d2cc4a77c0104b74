import { clearError, clearErrors } from './errors.ts';
import { send } from './send.ts';
import { type TakenForm, takeForm } from './taken_form.ts';

/** As in lib.dom.d.ts, once TypeScript has it. */
interface AgentSubmit extends SubmitEvent {
  readonly agentInvoked?: boolean;
  respondWith(result: Promise<unknown>): void;
}

const taken = new WeakMap<HTMLFormElement, TakenForm>();
const heard = new WeakSet<Node>();

/** Sends this form from now on. Leaves forms to htmx that htmx sends. */
export function takeOver(form: HTMLFormElement): void {
  if (taken.has(form)) return;
  const one = takeForm(form);
  if (!one) return;
  taken.set(form, one);
  listen(form.getRootNode());
  // Keeps scripts that load pages in place of the browser away from the form. Astro heeds the attribute, whatever its
  // value.
  for (const name of ['hx-boost', 'data-turbo', 'data-astro-reload']) form.setAttribute(name, 'false');
}

/** All forms that are in the page now. */
export function takeOverAll(): void {
  const forms = 'form[data-form-relay],form.form-relay:not([hx-post],[data-hx-post])';
  for (const form of document.querySelectorAll<HTMLFormElement>(forms)) takeOver(form);
}

function listen(root: Node): void {
  if (heard.has(root)) return;
  heard.add(root);
  const on = (type: string, then: (one: TakenForm, event: Event) => void) =>
    root.addEventListener(type, (event) => {
      const { target } = event;
      // A form may have a control that is called "form".
      const form = target instanceof HTMLFormElement ? target : (target as HTMLInputElement).form;
      const one = form && taken.get(form);
      if (one) then(one, event);
    });
  on('submit', (one, event) => {
    const { submitter, agentInvoked } = event as AgentSubmit;
    if (event.defaultPrevented || submitter?.hasAttribute('formaction')) return;
    event.preventDefault();
    const sending = send(one, submitter);
    // The agent reads what became of it (WebMCP).
    if (agentInvoked) (event as AgentSubmit).respondWith(sending);
  });
  for (const type of ['input', 'change']) {
    on(type, (one, { target }) => {
      clearError(one.form, (target as HTMLInputElement).name);
      one.update();
    });
  }
  on('focusin', (one) => one.refresh());
  on('reset', (one) => {
    clearErrors(one.form);
    // Before it, nothing is reset yet.
    setTimeout(() => {
      one.update();
      one.steps?.restart();
    });
  });
  // After back and forward: what browsers filled in again, and a page as it was left, which may be long ago.
  addEventListener('pageshow', ({ persisted }) => {
    for (const form of (root as ParentNode).querySelectorAll('form')) {
      const one = taken.get(form);
      one?.update();
      if (!persisted) continue;
      one?.endBusy?.();
      one?.refresh(true);
    }
  });
}
