/** Templates in places where a visitor must have no hand. */
import type { Schema } from '@form-relay/core/index';
import { ownTemplate, schemaLike } from '@form-relay/core/kit';
import type { Template, TemplateContext } from '@form-relay/core/schema/template';
import { failed } from './failures.ts';

/** @param problem Told where submitted values stand in it. */
const filledTemplate = (problem: string): Schema<Template> =>
  schemaLike(ownTemplate(''), (value, at) => {
    const read = ownTemplate(problem)(value, at);
    return read?.content === '' ? at.error('found empty text; expected some') : read;
  });

/** A secret, which stands in the environment alone. `variable`: as which name, for example. */
export const secretTemplate = (variable: string): Schema<Template> =>
  schemaLike(ownTemplate(''), (value, at) => {
    const read = ownTemplate('nothing that visitors write may stand in a secret; use {{ env "NAME" }}')(
      value,
      at,
    );
    if (!read) return undefined;
    return read.envNames.size > 0 && [...read.defaults].every((text) => text === '')
      ? read
      : at.error(`a secret stands in the environment alone; write '{{ env "${variable}" }}' here`);
  });

/** The room in a service. */
export const roomTemplate = (): Schema<Template> =>
  filledTemplate('a visitor must not choose who gets it; write it here, or use {{ env "NAME" }}');

/** Text for an authorization server, which says who the relay is there. */
export const credentialTemplate = (): Schema<Template> =>
  filledTemplate('nothing that visitors write may stand here; use {{ env "NAME" }}');

/** The value of a key that must not be empty. Throws a `ClientError` if it is. */
export function filled(key: string, template: Template, context: TemplateContext): string {
  const rendered = template.render(context).trim();
  if (rendered === '') throw failed('rendered_empty', { key });
  return rendered;
}
