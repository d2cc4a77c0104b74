/** Templates that visitors must not influence. */
import type { Schema, Template, TemplateContext } from '@form-relay/core/index';
import { checked } from '@form-relay/schema/schema';
import { filledText, ownTemplate, template } from '@form-relay/schema/templates';
import { failed } from './failures.ts';

/** Non-empty text from the owner and the environment only: a login, a room. */
export const filledOwnTemplate = (): Schema<Template> =>
  checked(
    filledText(ownTemplate('submitted values are not allowed here; use {{ env "NAME" }}')),
    (read, at) =>
      read.content === '' ? at.error('found empty text; expected at least one character') : read,
  );

/** Renders a key that must not be empty. Throws a `ClientError` if it is. */
export function filled(key: string, template: Template, context: TemplateContext): string {
  const rendered = template.render(context).trim();
  if (rendered === '') throw failed('rendered_empty', { key });
  return rendered;
}

export type Run = string | { readonly href: string };

export const linkedTemplate = () =>
  checked(filledText(template()), (read, at) => {
    if (read.source.trim() === '') return at.error('found empty text; expected at least one character');
    if (/\]\((https?:|mailto:|tel:|\/)/i.test(read.source))
      at.error(
        'plain-text mails cannot have link texts; write only the address, which mail programs turn into a link',
      );
    return read;
  });

/** Excludes trailing punctuation. */
const address = /(\bhttps?:\/\/[^\s()<>"'`\\{}[\]]*[^\s()<>"'`\\{}[\].,;:!?])/i;

export function renderRuns(template: Template, context: TemplateContext): readonly Run[] {
  const own = template.source.split(address);
  return template
    .render(context)
    .split(address)
    .map((text, at) => (at % 2 === 1 && own.includes(text) ? { href: text } : text));
}

/** The owner's own text, with each URL turned into a link. */
export const linkedRuns = (text: string): readonly Run[] =>
  text.split(address).map((part, at) => (at % 2 === 1 ? { href: part } : part));

export const plainRuns = (runs: readonly Run[]): string =>
  runs.map((run) => (typeof run === 'string' ? run : run.href)).join('');
