/** The owner's words with templates and links. Rendered values are never read for links. */
import type { Schema } from '@form-relay/core/index';
import { parseTemplate, schema, text } from '@form-relay/core/kit';
import type { Diagnostics } from '@form-relay/core/schema/diagnostics';
import type { Template, TemplateContext } from '@form-relay/core/schema/template';

export interface Link {
  readonly words: string;
  readonly href: string;
}

export type Run = string | Link;

/** Read once, when the config loads. */
export type LinkedTemplate = readonly (Template | Link)[];

/** `[words](https://…)` is a link, and so is an address alone; `\\[words](https://…)` is text. In the rest, `{{ … }}` is rendered. */
export const linkedTemplate = (): Schema<LinkedTemplate> =>
  schema(
    () => ({ title: 'template', type: 'string' }),
    (value, at) => {
      const words = text()(value, at);
      if (words === undefined) return undefined;
      if (words.trim() === '') return at.error('found empty text; expected some');
      return parseLinkedTemplate(words, at);
    },
  );

/** `[words](address)`, with a template in either. */
const linkWithTemplate =
  /\[(?:[^[\]\n]*\{\{[^[\]\n]*\]\((?:https?:|mailto:|tel:|\/)|[^[\]\n]+\]\((?:(?:https?:|mailto:|tel:|\/)[^()\s]*)?\{\{)[^)\n]*\)?/gi;

/** An action of a template without mistakes: braces in its quotes and comments end nothing. */
const action = /\{\{(?:\/\*.*?\*\/|"(?:\\.|[^"\\])*"|`[^`]*`|.)*?\}\}/gs;

function parseLinkedTemplate(source: string, at: Diagnostics): LinkedTemplate | undefined {
  // Mistakes are told with their places in the whole.
  const whole = parseTemplate(source);
  if (!whole.ok) {
    for (const { message, within, word, suggestion } of whole.error)
      at.error(message, { within, word, suggestion });
    return undefined;
  }
  at.report.texts?.templates.push({ path: at.path, template: whole.value });
  const actions = [...source.matchAll(action)];
  const isInAction = (at: number) =>
    actions.some(({ index, 0: { length } }) => at > index && at < index + length);
  const links = linksIn(source).filter(({ at }) => !isInAction(at));
  let isWrong = false;
  const wrong = (offset: number, length: number, message: string) => {
    isWrong = true;
    at.error(message, { within: { of: source, offset, length } });
  };
  for (const { at: offset, length, href } of links)
    if (href.startsWith('/'))
      wrong(
        offset,
        length,
        `a mail stands on no site: write the whole address, such as https://example.com${href}`,
      );
  for (const {
    index,
    0: { length },
  } of source.matchAll(linkWithTemplate))
    if (!isInAction(index))
      wrong(
        index,
        length,
        'a link is yours alone, with no template in it: what visitors write could lead anywhere; write the template before or after it',
      );
  if (isWrong) return undefined;
  const found: (Template | Link)[] = [];
  let end = 0;
  const addText = (until: number) => {
    const part = parseTemplate(source.slice(end, until));
    if (part.ok && until > end) found.push(part.value);
  };
  const escapes = escapesIn(source).flatMap((at) =>
    isInAction(at) ? [] : [{ at, length: 1, link: undefined }],
  );
  const cuts = [
    ...links.map(({ at, length, words, href }) => ({ at, length, link: { words, href } })),
    ...escapes,
  ];
  for (const { at, length, link } of cuts.toSorted((a, b) => a.at - b.at)) {
    addText(at);
    if (link) found.push(link);
    end = at + length;
  }
  addText(source.length);
  return found;
}

/**
 * Links lead to the web, a mail address, a phone number, or a path of the same site; a leading `//` or `/\` would lead
 * to another site, and `https://` alone nowhere. Without parentheses and spaces, the end of the address is certain.
 */
const link =
  /\\?\[([^[\]]+)\]\(((?:https?:\/\/(?=[^\s()<>"'\\/?#:@[\]])|mailto:|tel:|\/(?![/\\]))[^\s()<>"'\\]*)\)/gi;

const isEscaped = (found: string): boolean => found.startsWith('\\');

/** A bare address in a text, without trailing punctuation; not if a template continues it. */
const address = /\bhttps?:\/\/(?![^\s()<>"'\\{}[\]]*\{)[^\s()<>"'\\{}[\]]*[^\s()<>"'\\{}[\].,;:!?]/gi;

/** The places of escaping backslashes. */
const escapesIn = (text: string): readonly number[] =>
  [...text.matchAll(link)].flatMap(({ index, 0: all }) => (isEscaped(all) ? [index] : []));

/** All links with their places, including bare addresses. */
function linksIn(text: string): readonly {
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

export const renderRuns = (linked: LinkedTemplate, context: TemplateContext): readonly Run[] =>
  linked.map((part) => ('href' in part ? part : part.render(context)));

/** Links show their address after their words. */
export const plainRuns = (runs: readonly Run[]): string =>
  runs.map((run) => (typeof run === 'string' ? run : linkText(run))).join('');

const linkText = ({ words, href }: Link) => {
  const address = href.replace(/^(mailto|tel):/i, '');
  return words === address || words === href ? words : `${words} (${address})`;
};
