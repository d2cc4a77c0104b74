/**
 * The owner's text with links: `[words](https://…)` and nothing else. A backslash escapes the bracket. Visitors'
 * text is never parsed.
 */
import { attributes, type Html, html } from './html.ts';

/**
 * Links lead to the web, a mail address, a phone number, or a path of the same site; a leading `//` or `/\` would lead
 * to another site, and `https://` alone nowhere. Without parentheses and spaces, the end of the address is certain.
 */
const link =
  /\\?\[([^[\]]+)\]\(((?:https?:\/\/(?=[^\s()<>"'\\/?#:@[\]])|mailto:|tel:|\/(?![/\\]))[^\s()<>"'\\]*)\)/gi;

const isEscaped = (found: string): boolean => found.startsWith('\\');

/** Renders the text as markup. */
export function withLinks(text: string): Html {
  if (!text.includes('](')) return html`${text}`;
  const parts: (string | Html)[] = [];
  let end = 0;
  for (const { index, 0: all, 1: words, 2: href = '' } of text.matchAll(link)) {
    const shown = isEscaped(all)
      ? all.slice(1)
      : html`<a${attributes({ href, dir: directionOf(href) })}>${words}</a>`;
    parts.push(text.slice(end, index), shown);
    end = index + all.length;
  }
  return html`${parts}${text.slice(end)}`;
}

/** In right-to-left text, browsers would reorder the groups of a phone number: 234 1 43+. */
const directionOf = (href: string): 'auto' | undefined => (/^tel:/i.test(href) ? 'auto' : undefined);

export const withoutLinks = (text: string): string =>
  text.includes('](')
    ? text.replaceAll(link, (all, words: string) => (isEscaped(all) ? all.slice(1) : words))
    : text;

export const linkWordsAlone = (text: string): string => text.replaceAll(link, '$1');

export const hasLinks = (text: string): boolean =>
  text.includes('](') && [...text.matchAll(link)].some(([all]) => !isEscaped(all));
