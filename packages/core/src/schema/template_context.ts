import { type Values, withoutEmpty } from '../base/values.ts';
import type { Field } from '../fields/field.ts';
import type { Locale } from '../messages/message.ts';
import type { Services } from '../services.ts';
import type { TemplateContext } from './template.ts';

/** The part of a submission that templates can read (SPEC: Templating). */
export const templateContext = (
  formId: string,
  fields: Values,
  receivedAt: number,
  { env }: Pick<Services, 'env'>,
  more?: Seen,
): TemplateContext => new SubmissionContext(formId, fields, receivedAt, env, more);

/** What else is known: a form whose options have labels, in a language, and the page where it was filled in. */
interface Seen extends Pick<TemplateContext, 'page' | 'labels'> {
  readonly fields?: readonly Pick<Field, 'name' | 'shape' | 'options' | 'words'>[];
  readonly locale?: Locale;
}

/** A class, because a getter in an object literal would give every object its own shape, at 5 µs each. */
class SubmissionContext implements TemplateContext {
  readonly fields: Values;
  readonly formId: string;
  readonly env: TemplateContext['env'];
  readonly page: TemplateContext['page'];
  readonly #receivedAt: number;
  readonly #seen: Seen | undefined;

  constructor(
    formId: string,
    fields: Values,
    receivedAt: number,
    env: TemplateContext['env'],
    seen: Seen | undefined,
  ) {
    this.fields = fields;
    this.formId = formId;
    this.env = env;
    this.#receivedAt = receivedAt;
    this.#seen = seen;
    this.page = seen?.page;
  }

  labels(name: string): string {
    const values = withoutEmpty(this.fields.get(name) ?? []);
    const { fields, locale } = this.#seen ?? {};
    const field = fields?.find((one) => one.name === name);
    if (!field || !locale || !(field.shape || field.options))
      return this.#seen?.labels?.(name) ?? values.join(', ');
    return field.words(values, locale).join(field.shape ? '\n' : ', ');
  }

  /** RFC 3339 in UTC, without fractions of a second. */
  get submittedAt(): string {
    return `${new Date(this.#receivedAt).toISOString().slice(0, 19)}Z`;
  }
}
