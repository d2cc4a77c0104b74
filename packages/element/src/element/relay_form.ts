import { absolute, addressOf, load, sleep, withQuery, withQueryOf } from './address.ts';
import { make } from './controls.ts';
import { clearError, clearErrors } from './errors.ts';
import { send } from './send.ts';
import { type TakenForm, takeForm } from './taken_form.ts';

// On a server, where a bundle may also be loaded, there are no elements.
const Base = globalThis.HTMLElement ?? (Object as unknown as typeof HTMLElement);

/**
 * `<relay-form src="…/api/v1/form/contact">` is filled with the form once it has loaded, in the page's style.
 * Until then, it contains a link.
 */
export class RelayForm extends Base {
  static get observedAttributes(): readonly string[] {
    return ['src'];
  }

  declare requestedSrc: string | undefined;

  connectedCallback(): void {
    void this.ask();
  }

  attributeChangedCallback(): void {
    if (this.isConnected) void this.ask();
  }

  async ask(): Promise<void> {
    const src = this.getAttribute('src');
    if (!src || src === this.requestedSrc) return;
    this.requestedSrc = src;
    const second = this.getAttribute('fallback') || src;
    let address = src;
    for (let ms = 2000; this.requestedSrc === src; ms *= 2) {
      try {
        // A link that fills in the form leads to this page, possibly with parameters for other forms.
        const fill = location.search.match(/\b(?:fill|_resume)=[\w-]+/g)?.join('&');
        const form = await load<HTMLFormElement>(withQuery(address, fill ?? ''), '.form-relay');
        // While the page is parsed, the rest of this element could still be added after the form.
        while (document.readyState === 'loading') await sleep(10);
        if (this.requestedSrc !== src) return;
        // This address works, but the relay's own may not, behind a proxy that changes names. The relay's query has the language.
        const send = addressOf(absolute(address))?.('submit');
        this.replaceChildren(form);
        // A closed form is replaced by a text.
        if (form.elements) {
          if (send) form.setAttribute('action', withQueryOf(form, send));
          if (second !== src) form.dataset.parts = [form.dataset.parts, 'fallback'].join(' ').trim();
          takeOver(form);
        }
        return;
      } catch {
        address = address === src ? second : src;
        if (address !== src) continue;
        this.sayLost(src);
      }
      await sleep(ms);
      if (!this.isConnected) this.requestedSrc = undefined;
    }
  }

  sayLost(src: string): void {
    if (this.querySelector('.form-status')) return;
    const status = make('p', 'form-status', this.dataset.notLoaded || english.not_loaded);
    status.setAttribute('role', 'alert');
    this.prepend(status);
    if (this.querySelector('a')) return;
    const link = make('a', '', english.open_form);
    link.href = withQuery(src, 'as=page');
    this.append(link);
  }
}

/** Defines the element, and takes over the forms of the page. A page may run this more than once. */
export function start(): void {
  if (customElements.get('relay-form')) return;
  customElements.define('relay-form', RelayForm);
  const begin = () => {
    takeOverAll();
    new MutationObserver(takeOverAll).observe(document, { childList: true, subtree: true });
  };
  // A form that is still being parsed lacks some fields.
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', begin);
  else begin();
}

/** To be replaced by the type of lib.dom.d.ts, once TypeScript has it. */
interface AgentSubmit extends SubmitEvent {
  readonly agentInvoked?: boolean;
  respondWith(result: Promise<unknown>): void;
}

const taken = new WeakMap<HTMLFormElement, TakenForm>();
const heard = new WeakSet<Node>();

/** Takes over sending this form. Leaves forms with htmx attributes to htmx. */
function takeOver(form: HTMLFormElement): void {
  if (taken.has(form)) return;
  const one = takeForm(form);
  if (!one) return;
  taken.set(form, one);
  listen(form.getRootNode());
  // Keeps client-side routers away from the form. Astro checks only for the attribute, not for its value.
  for (const name of ['hx-boost', 'data-turbo', 'data-astro-reload']) form.setAttribute(name, 'false');
}

/** Takes over all forms that are on the page now. */
function takeOverAll(): void {
  const forms = 'form[data-form-relay],form.form-relay:not([hx-post],[data-hx-post])';
  for (const form of document.querySelectorAll<HTMLFormElement>(forms)) takeOver(form);
}

function listen(root: Node): void {
  if (heard.has(root)) return;
  heard.add(root);
  const on = (type: string, then: (one: TakenForm, event: Event) => void) =>
    root.addEventListener(type, (event) => {
      const { target } = event;
      // A form may have a control called "form".
      const form = target instanceof HTMLFormElement ? target : (target as HTMLInputElement).form;
      const one = form && taken.get(form);
      if (one) then(one, event);
    });
  on('submit', (one, event) => {
    const { submitter, agentInvoked } = event as AgentSubmit;
    if (event.defaultPrevented || submitter?.hasAttribute('formaction')) return;
    event.preventDefault();
    const sending = send(one, submitter);
    // The agent gets the result (WebMCP).
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
    // The event fires before the fields are reset.
    setTimeout(() => {
      one.update();
      one.steps?.restart();
    });
  });
  // After back and forward, browsers restore values, or the whole page as it was left, possibly long ago.
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
