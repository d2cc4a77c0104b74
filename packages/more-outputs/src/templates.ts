/** Templates in places where a visitor must have no hand. */
import type { Schema, Template, TemplateContext } from '@form-relay/core/index';
import { checked } from '@form-relay/schema/schema';
import { filledText, ownTemplate } from '@form-relay/schema/templates';
import { failed } from './failures.ts';

/** Text for an authorization server, which says who the relay is there. */
export const credentialTemplate = (): Schema<Template> =>
  checked(
    filledText(ownTemplate('nothing that visitors write may stand here; use {{ env "NAME" }}')),
    (read, at) => (read.content === '' ? at.error('found empty text; expected some') : read),
  );

/** The value of a key that must not be empty. Throws a `ClientError` if it is. */
export function filled(key: string, template: Template, context: TemplateContext): string {
  const rendered = template.render(context).trim();
  if (rendered === '') throw failed('rendered_empty', { key });
  return rendered;
}
