/** Calls back with each element of a form that a script handles, now and when more are added. */
export function eachField(form: HTMLFormElement, selector: string, callback: (field: HTMLElement) => void) {
  const known = new WeakSet<Element>();
  const look = () => {
    for (const field of form.querySelectorAll<HTMLElement>(selector)) {
      if (known.has(field)) continue;
      known.add(field);
      callback(field);
    }
  };
  new MutationObserver(look).observe(form, { childList: true, subtree: true });
  look();
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

/** A button that does not send the form, with the site's classes for such buttons. */
export function makeButton({ dataset }: HTMLElement, own: string): HTMLButtonElement {
  const button = make('button', `field-button ${own} ${dataset.buttonClass ?? ''}`.trim());
  button.type = 'button';
  return button;
}

/** A line that screen readers read when it changes. */
export function makeStatus(className: string): HTMLElement {
  const status = make('p', className);
  status.setAttribute('role', 'status');
  return status;
}

const added = new WeakMap<Node, Set<string>>();

/** Adds CSS rules to the page or shadow tree of a form. No Content-Security-Policy blocks them. */
export function addStyle(form: HTMLFormElement, rules: string): void {
  const root = form.getRootNode() as Document | ShadowRoot;
  const known = added.get(root) ?? new Set();
  added.set(root, known);
  if (known.has(rules) || !('adoptedStyleSheets' in root)) return;
  known.add(rules);
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(rules);
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
}
