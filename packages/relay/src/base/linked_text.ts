/**
 * The owner's words with links in them: `[words](https://…)` and nothing else (D66). A backslash before the bracket makes it
 * text, and is left out. Visitors' words are never read so.
 */
import { attributes, type Html, html } from './html.ts';

/**
 * To the web, to a mail address, to a telephone, or to a path of the same site. `//` and `/\` at the beginning would lead to another one.
 * Without parentheses and spaces in the address, nothing is left to guess about where it ends.
 */
const link = /\\?\[([^[\]]+)\]\(((?:https?:\/\/|mailto:|tel:|\/(?![/\\]))[^\s()<>"'\\]*)\)/gi;

const isEscaped = (found: string): boolean => found.startsWith('\\');

/** The text as markup. */
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

/** In a text from right to left, browsers would write the groups of a telephone number in the wrong order: 234 1 43+. */
const directionOf = (href: string): 'auto' | undefined => (/^tel:/i.test(href) ? 'auto' : undefined);

/** The text where no link can be: in a message, an attribute, JSON. */
export const withoutLinks = (text: string): string =>
  text.includes('](')
    ? text.replaceAll(link, (all, words: string) => (isEscaped(all) ? all.slice(1) : words))
    : text;

/** The text without anything that the relay reads as a link or as brackets. */
export const linkWordsAlone = (text: string): string => text.replaceAll(link, '$1');

export const hasLinks = (text: string): boolean =>
  text.includes('](') && [...text.matchAll(link)].some(([all]) => !isEscaped(all));

/** Written out in a text, up to where a sentence would go on after it; not where a template goes on with it. */
const address = /\bhttps?:\/\/(?![^\s()<>"'\\{}[\]]*\{)[^\s()<>"'\\{}[\]]*[^\s()<>"'\\{}[\].,;:!?]/gi;

/** The places of backslashes that make brackets text. */
export const escapesIn = (text: string): readonly number[] =>
  [...text.matchAll(link)].flatMap(({ index, 0: all }) => (isEscaped(all) ? [index] : []));

/** Every link, with its place: also addresses that stand alone. */
export function linksIn(text: string): readonly {
  readonly at: number;
  readonly length: number;
  readonly words: string;
  readonly href: string;
}[] {
  const links = [...text.matchAll(link)].flatMap(({ index: at, 0: all, 1: words = '', 2: href = '' }) =>
    isEscaped(all) ? [] : [{ at, length: all.length, words, href }],
  );
  const isTaken = (at: number) => links.some((one) => at >= one.at && at < one.at + one.length);
  const alone = [...text.matchAll(address)]
    .filter(({ index }) => !isTaken(index))
    .map(({ index: at, 0: href }) => ({ at, length: href.length, words: href, href }));
  return [...links, ...alone].sort((a, b) => a.at - b.at);
}
