/** The owner's texts to visitors that contain `{{ … }}`, which inserts what the visitor sent. */

import { hasLinks } from '@form-relay/base/html';
import type {
  Diagnostics,
  Field,
  FormConfig,
  Locale,
  Schema,
  Submission,
  Template,
  Values,
} from '@form-relay/core/index';
import { templateContext } from '@form-relay/core/outputs/delivery';
import { restoreSubmission } from '@form-relay/core/pipeline/context';
import { validate } from '@form-relay/core/pipeline/validate';
import { localized } from '@form-relay/schema/scalars';
import { checked } from '@form-relay/schema/schema';
import { nearest } from '@form-relay/schema/suggestion';
import { template } from '@form-relay/schema/templates';

export type AnsweringText = Template | ReadonlyMap<string, Template>;

const linkWithTemplate = /\[[^[\]]*\{\{[^[\]]*\]\(|\]\([^()\s]*\{\{/;

export const answeringText = (): Schema<AnsweringText> =>
  localized(
    checked(template(), (read, at) => {
      if ([...read.envNames].length > 0)
        return at.error(
          'visitors see this text, so environment variables, which may be secret, are not allowed; write the text out',
        );
      at.report.texts?.forVisitors.push({ path: at.path, text: read.source });
      return linkWithTemplate.test(read.source)
        ? at.error('templates are not allowed inside links; write the template beside the link')
        : read;
    }),
  );

/** Checks that the templates use declared fields, unless the form accepts undeclared ones. */
export function checkFields(
  words: AnsweringText,
  { fields, provided }: Pick<FormConfig, 'fields' | 'provided'>,
  at: Diagnostics,
): void {
  if (provided.get('accept_undeclared')) return;
  for (const { fieldNames } of words instanceof Map ? words.values() : [words])
    for (const name of fieldNames) checkName(name, fields, at);
}

export function checkName(name: string, fields: readonly Field[], at: Diagnostics): void {
  const names = fields.map((field) => field.name);
  const about = { code: 'field_undeclared', suggestion: nearest(name, names), word: name };
  if (!names.includes(name)) at.error(`"${name}" is not a declared field`, about);
}

/**
 * The accepted values. For a dropped submission, the values that would have been accepted, because bots get
 * the same response as people.
 */
export function answeredValues(submission: Submission): Values {
  const { form, settings, requestId, receivedAt, values, sent, sentFiles } = submission;
  if (values.size > 0) return values;
  const accepted = restoreSubmission(form, { requestId, receivedAt, values }, settings);
  Object.assign(accepted, { sent, sentFiles });
  validate(accepted, form);
  return accepted.values;
}

/** Renders the text in the language of the response. Only links in the owner's text become links, whatever visitors write. */
export function renderText(words: AnsweringText, submission: Submission, locale: Locale): string {
  const { form, formId, receivedAt, services, page } = submission;
  const seen = { page, fields: form.fields, locale };
  const own = locale.text<Template>(words);
  if (typeof own.content === 'string') return own.content;
  const text = own.render(templateContext(formId, answeredValues(submission), receivedAt, services, seen));
  return text.replaceAll(/\[[^[\]]+\]\([^\s()]*\)/g, (found) =>
    own.source.includes(found) || !hasLinks(found) ? found : `\\${found}`,
  );
}
