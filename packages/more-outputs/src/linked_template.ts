/** The owner's words with templates and links. Rendered values are never read for links. */
import { randomUUID } from 'node:crypto';
import { parseTemplate, schema, template, text } from '@form-relay/core/kit';
import type { Template, TemplateContext } from '@form-relay/core/schema/template';

export interface Link {
  readonly words: string;
  readonly href: string;
}

export type Run = string | Link;

/** Read once, when the config loads. */
export interface LinkedTemplate {
  /** With `mark` in the place of each link. */
  readonly template: Template;
  readonly links: readonly Link[];
}

let made: string | undefined;

/** Visitors cannot guess it, so no value holds it. Made late: Cloudflare allows no randomness while modules load. */
const mark = (): string => (made ??= `\ue000${randomUUID()}\ue000`);

/** `[words](https://…)` is a link, and so is an address alone; `\\[words](https://…)` is text. In the rest, `{{ … }}` is rendered. */
export const linkedTemplate = () =>
  schema<LinkedTemplate>(
    () => ({ title: 'template', type: 'string' }),
    (value, at) => {
      const source = text()(value, at);
      if (source === undefined) return undefined;
      if (source.trim() === '') return at.error('found empty text; expected some');
      // Mistakes are told with their places in the whole.
      if (!template()(source, at)) return undefined;
      const links: Link[] = [];
      let isWrong = false;
      const linked = (words: string, href: string): string => {
        links.push({ words, href });
        return mark();
      };
      const marked = source.replaceAll(part, (all, templated, escaped, words, href, alone, offset) => {
        const wrong = templated ? withTemplate : href?.startsWith('/') ? onNoSite + href : undefined;
        if (wrong !== undefined) {
          isWrong = true;
          at.error(wrong, { within: { of: source, offset, length: all.length } });
        }
        // An address is a link in brackets, too.
        if (escaped) return all.slice(1).replaceAll(addresses, (url: string) => linked(url, url));
        const address = href ?? alone;
        return address === undefined ? all : linked(words ?? address, address);
      });
      const read = parseTemplate(marked);
      return isWrong || !read.ok ? undefined : { template: read.value, links };
    },
  );

const withTemplate =
  'a link is yours alone, with no template in it: what visitors write could lead anywhere; write the template before or after it';
const onNoSite = 'a mail stands on no site: write the whole address, such as https://example.com';

/** An action of a template without mistakes: braces in its quotes and comments end nothing. */
const action = /\{\{(?:\/\*.*?\*\/|"(?:\\.|[^"\\])*"|`[^`]*`|.)*?\}\}/s;

/** `[words](address)`, with a template in either. */
const linkWithTemplate =
  /(\[(?:[^[\]\n]*\{\{[^[\]\n]*\]\((?:https?:|mailto:|tel:|\/)|[^[\]\n]+\]\((?:(?:https?:|mailto:|tel:|\/)[^()\s]*)?\{\{)[^)\n]*\)?)/;

/** As in texts of forms (core/html/html.ts). */
const link =
  /(\\?)\[([^[\]]+)\]\(((?:https?:\/\/(?=[^\s()<>"'\\/?#:@[\]])|mailto:|tel:|\/(?![/\\]))[^\s()<>"'\\]*)\)/;

/** A bare address in a text, without trailing punctuation; not if a template continues it. */
const address = /\b(https?:\/\/(?![^\s()<>"'\\{}[\]]*\{)[^\s()<>"'\\{}[\]]*[^\s()<>"'\\{}[\].,;:!?])/;

const addresses = new RegExp(address, 'gi');

const part = new RegExp(
  [action, linkWithTemplate, link, address].map(({ source }) => source).join('|'),
  'gis',
);

export function renderRuns({ template, links }: LinkedTemplate, context: TemplateContext): readonly Run[] {
  const [first = '', ...texts] = template.render(context).split(mark());
  return [first, ...texts.flatMap((text, index) => [links[index] as Link, text])];
}

/** Links show their address after their words. */
export const plainRuns = (runs: readonly Run[]): string =>
  runs.map((run) => (typeof run === 'string' ? run : linkText(run))).join('');

const linkText = ({ words, href }: Link) => {
  const address = href.replace(/^(mailto|tel):/i, '');
  return words === address || words === href ? words : `${words} (${address})`;
};
