import { absolute, addressOf, withQuery, withQueryOf } from './address.ts';
import { make } from './dom.ts';
import { load, sleep } from './load.ts';
import { takeOver, takeOverAll } from './take_over.ts';

// On a server, where a bundle may be loaded too, there are no elements.
const Base = globalThis.HTMLElement ?? (Object as unknown as typeof HTMLElement);

/** The form stands in `<relay-form src="…/api/v1/form/contact">` once it has come, in the page's style. Until then: a link. */
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
        // A link that fills in the form leads to this page, maybe with one for another form.
        const fill = location.search.match(/\b(?:fill|_resume)=[\w-]+/g)?.join('&');
        const form = await load<HTMLFormElement>(withQuery(address, fill ?? ''), '.form-relay');
        // Until the page is parsed, the rest of this element could still arrive, after the form.
        while (document.readyState === 'loading') await sleep(10);
        if (this.requestedSrc !== src) return;
        // This address works. The relay's idea of its own address may not work, behind a proxy that changes names. But
        // it knows the language.
        const send = addressOf(absolute(address))?.('submit');
        this.replaceChildren(form);
        // While it is not open, words stand in its place.
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

/** Defines the element, and takes over the forms of the page. A page may load it more than once. */
export function start(): void {
  if (customElements.get('relay-form')) return;
  customElements.define('relay-form', RelayForm);
  const begin = () => {
    takeOverAll();
    new MutationObserver(takeOverAll).observe(document, { childList: true, subtree: true });
  };
  // A form that is still being read lacks its fields.
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', begin);
  else begin();
}
