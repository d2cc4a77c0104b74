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
