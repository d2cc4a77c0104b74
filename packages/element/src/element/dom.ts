/** As in lib.dom.d.ts, once TypeScript has it. */
interface Policy {
  createHTML(text: string): string;
}
let policy: Policy | undefined;

/** The relay's own markup. Some pages take markup only from policies that have a name (Trusted Types). */
export function setMarkup(element: Element, text: string): void {
  try {
    // biome-ignore lint/suspicious/noExplicitAny: not every browser has it.
    policy ??= (window as any).trustedTypes.createPolicy('form-relay', { createHTML: (own: string) => own });
  } catch {
    // Nothing asks for a policy here, or the page does not allow this one.
  }
  element.innerHTML = policy ? policy.createHTML(text) : text;
}

export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  className: string,
  ...content: readonly (string | Node)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...content);
  return element;
}

/** The site's own rules must not show what does not apply. Only what is set here is taken back. */
export function show(element: HTMLElement, isShown: boolean): void {
  const style = member(element, 'style');
  if (!isShown) style.setProperty('display', 'none', 'important');
  else if (style.getPropertyPriority('display')) style.removeProperty('display');
}

/** The relay's own class, and the site's (`classes` in the config). */
export const withOwn = (name: string, added = '') => `${name} ${added}`.trim();

/** A field may have the name of what every form has, and hides it then: `style`, `elements`. */
export const member = <K extends 'style' | 'elements'>(form: HTMLElement, name: K): HTMLFormElement[K] =>
  Reflect.get(HTMLFormElement.prototype, name, form);

/** Changes the ids of what describes an element. */
export function describe(element: Element, change: (ids: readonly string[]) => readonly string[]): void {
  const known = element.getAttribute('aria-describedby')?.split(/\s+/) ?? [];
  const next = change(known).join(' ');
  if (next) element.setAttribute('aria-describedby', next);
  else element.removeAttribute('aria-describedby');
}
