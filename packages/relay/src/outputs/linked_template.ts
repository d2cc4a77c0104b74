/** The owner's words with templates and links. Rendered values are never read for links. */

import * as v from 'valibot';
import { err, ok, type Result } from '../base/result.ts';
import type { Schema } from '../schema/any_schema.ts';
import { type Finding, finding } from '../schema/finding.ts';
import { read, wrong } from '../schema/issue.ts';
import { text } from '../schema/kinds.ts';
import { escapesIn, linksIn } from '../schema/linked_text.ts';
import { parseTemplate } from '../schema/template/parse.ts';
import type { Scope, Template } from '../schema/template/render.ts';

export interface Link {
  readonly words: string;
  readonly href: string;
}

export type Run = string | Link;

/** Read once, when the config loads. */
export type LinkedTemplate = readonly (Template | Link)[];

/** `[words](https://…)` is a link, and so is an address alone; `\[words](https://…)` is text. In the rest, `{{ … }}` is rendered. */
export const linkedTemplate = (): Schema<LinkedTemplate> =>
  v.pipe(
    text(),
    v.check((words) => words.trim() !== '', wrong('text_empty')),
    read(parseLinkedTemplate),
    v.metadata({ jsonSchema: { title: 'template', type: 'string' } }),
  );

/** `[words](address)`, with a template in either. */
const linkWithTemplate =
  /\[(?:[^[\]\n]*\{\{[^[\]\n]*\]\((?:https?:|mailto:|tel:|\/)|[^[\]\n]+\]\((?:(?:https?:|mailto:|tel:|\/)[^()\s]*)?\{\{)[^)\n]*\)?/gi;

/** An action of a template without mistakes: braces in its quotes and comments end nothing. */
const action = /\{\{(?:\/\*.*?\*\/|"(?:\\.|[^"\\])*"|`[^`]*`|.)*?\}\}/gs;

function parseLinkedTemplate(source: string): Result<LinkedTemplate, readonly Finding[]> {
  // Mistakes are told with their places in the whole.
  const whole = parseTemplate(source);
  if (!whole.ok) return whole;
  const actions = [...source.matchAll(action)];
  const isInAction = (at: number) =>
    actions.some(({ index, 0: { length } }) => at > index && at < index + length);
  const links = linksIn(source).filter(({ at }) => !isInAction(at));
  const toNowhere = links
    .filter(({ href }) => href.startsWith('/'))
    .map(({ at: offset, length, href }) => ({
      ...finding('mail_link_without_site', [], { href }),
      within: { of: source, offset, length },
    }));
  const withTemplate = [...source.matchAll(linkWithTemplate)]
    .filter(({ index }) => !isInAction(index))
    .map(({ index: offset, 0: { length } }) => ({
      ...finding('mail_link_with_template', []),
      within: { of: source, offset, length },
    }));
  const mistakes = [...toNowhere, ...withTemplate];
  if (mistakes.length > 0) return err(mistakes);
  const found: (Template | Link)[] = [];
  let end = 0;
  const addText = (until: number) => {
    const part = parseTemplate(source.slice(end, until));
    if (part.ok && until > end) found.push(part.value);
    return part;
  };
  const escapes = escapesIn(source).flatMap((at) =>
    isInAction(at) ? [] : [{ at, length: 1, link: undefined }],
  );
  const cuts = [
    ...links.map(({ at, length, words, href }) => ({ at, length, link: { words, href } })),
    ...escapes,
  ];
  for (const { at, length, link } of cuts.toSorted((a, b) => a.at - b.at)) {
    const part = addText(at);
    if (!part.ok) return err(part.error);
    if (link) found.push(link);
    end = at + length;
  }
  const rest = addText(source.length);
  return rest.ok ? ok(found) : err(rest.error);
}

export const renderRuns = (linked: LinkedTemplate, scope: Scope): readonly Run[] =>
  linked.map((part) => ('href' in part ? part : part.render(scope)));

/** Links show their address after their words. */
export const plainRuns = (runs: readonly Run[]): string =>
  runs.map((run) => (typeof run === 'string' ? run : linkText(run))).join('');

const linkText = ({ words, href }: Link) => {
  const address = href.replace(/^(mailto|tel):/i, '');
  return words === address || words === href ? words : `${words} (${address})`;
};
