/** Markup that is safe to send. Only the functions in this file create it, and all of them escape. */
export class Html {
  readonly #markup: string;

  /** @internal */ private constructor(markup: string) {
    this.#markup = markup;
  }

  toString(): string {
    return this.#markup;
  }

  /** @internal Escapes text, keeps markup, joins lists; `undefined` and the like become empty. */
  static of(value: HtmlValue): string {
    if (value instanceof Html) return value.#markup;
    if (typeof value === 'string') return escapeText(value);
    if (typeof value === 'number') return String(value);
    if (Array.isArray(value)) return value.map(Html.of).join('');
    return '';
  }

  /** A template tag: literal parts are markup; values are escaped unless they are `Html`. */
  static tag(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
    let markup = strings[0] ?? '';
    for (let index = 0; index < values.length; index++) {
      markup += Html.of(values[index]) + strings[index + 1];
    }
    return new Html(markup);
  }

  /** @internal Attributes, each with a leading space; `true` gives a bare one, `false` and `undefined` none. Names are never input. */
  static attributes(
    attributes: Readonly<Record<string, string | number | boolean | undefined>> | false,
  ): Html {
    let markup = '';
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === undefined || value === false) continue;
      markup += value === true ? ` ${name}` : ` ${name}="${escapeText(String(value))}"`;
    }
    return new Html(markup);
  }

  /**
   * @internal Escapes braces for template languages and frameworks, which interpret `{{`, `{%` and even `{`.
   * The markup must not hold a script or style, in which browsers would not decode the entities.
   */
  static withoutBraces(markup: Html): Html {
    return new Html(markup.#markup.replaceAll('{', '&#123;').replaceAll('}', '&#125;'));
  }

  /** @internal Puts each `data-` attribute of the first tag on its own line, to make the markup readable. */
  static dataOnLines(markup: Html): Html {
    return new Html(markup.#markup.replace(/^<[^>]*/, (tag) => tag.replaceAll(/ (?=data-[\w-]+=")/g, '\n ')));
  }
}

export type HtmlValue = Html | string | number | undefined | false | readonly HtmlValue[];

export const { tag: html, attributes, withoutBraces, dataOnLines } = Html;

/** A script that runs as soon as the browser reads it. */
export const inlineScript = (code: Html): Html => html`<script>${code}</script>`;

const replacements: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
};

function escapeText(text: string): string {
  return /[&<>"']/.test(text) ? text.replace(/[&<>"']/g, (character) => replacements[character] ?? '') : text;
}

/**
 * A link in the owner's text: `[words](https://…)`; a backslash escapes the bracket. Links lead to the web, a
 * mail address, a phone number or a path of the same site; `//` and `/\` would lead to another. An address
 * without parentheses and spaces has an unambiguous end.
 */
const link =
  /\\?\[([^[\]]+)\]\(((?:https?:\/\/(?=[^\s()<>"'\\/?#:@[\]])|mailto:|tel:|\/(?![/\\]))[^\s()<>"'\\]*)\)/gi;

const isEscaped = (found: string): boolean => found.startsWith('\\');

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

/** Browsers would reorder the groups of a phone number in right-to-left text: 234 1 43+. */
const directionOf = (href: string): 'auto' | undefined => (/^tel:/i.test(href) ? 'auto' : undefined);

export const withoutLinks = (text: string): string =>
  text.includes('](')
    ? text.replaceAll(link, (all, words: string) => (isEscaped(all) ? all.slice(1) : words))
    : text;

export const linkWordsOnly = (text: string): string => text.replaceAll(link, '$1');

export const hasLinks = (text: string): boolean =>
  text.includes('](') && [...text.matchAll(link)].some(([all]) => !isEscaped(all));
