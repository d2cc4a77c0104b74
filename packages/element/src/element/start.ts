import { RelayForm } from './relay_form.ts';
import { takeOverAll } from './take_over.ts';

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
