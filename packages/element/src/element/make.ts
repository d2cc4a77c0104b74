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

/** The relay's own class, and the site's (`classes` in the config). */
export const withOwn = (name: string, added = '') => `${name} ${added}`.trim();
