/** The data of a submission that templates can read (SPEC: Templating). */
import { type Values, withoutEmpty } from '@form-relay/base/values';
import type { Page, TemplateContext } from '@form-relay/schema/template';
import type { Field } from '../fields/field.ts';
import type { Locale } from '../messages/message.ts';
import type { Services } from '../services.ts';

export const templateContext = (
  formId: string,
  fields: Values,
  receivedAt: number,
  { env }: Pick<Services, 'env'>,
  seen: Seen = {},
): TemplateContext => new SubmissionTemplateContext(formId, fields, receivedAt, env, seen);

/** Further data: a form whose options have labels, in a language, and the page where it was filled in. */
interface Seen extends Pick<TemplateContext, 'page' | 'labels'> {
  readonly fields?: readonly Pick<Field, 'name' | 'shape' | 'layout' | 'offered' | 'words'>[];
  readonly locale?: Locale;
}

/** A class, because a getter in an object literal would give every object its own shape, at 5 µs each. */
class SubmissionTemplateContext implements TemplateContext {
  readonly fields: Values;
  readonly formId: string;
  readonly env: TemplateContext['env'];
  readonly #receivedAt: number;
  readonly #seen: Seen;

  constructor(formId: string, fields: Values, receivedAt: number, env: TemplateContext['env'], seen: Seen) {
    this.fields = fields;
    this.formId = formId;
    this.env = env;
    this.#receivedAt = receivedAt;
    this.#seen = seen;
  }

  get page(): Page | undefined {
    return this.#seen.page;
  }

  labels(name: string): string {
    const values = withoutEmpty(this.fields.get(name) ?? []);
    const { fields, locale } = this.#seen;
    const field = fields?.find((one) => one.name === name);
    // A box has no labels but its own.
    const isChoice = field?.offered && field.layout !== 'box';
    if (!field || !locale || !(field.shape || isChoice))
      return this.#seen.labels?.(name) ?? values.join(', ');
    return field.words(values, locale).join(field.shape ? '\n' : ', ');
  }

  /** RFC 3339 in UTC, without fractions of a second. */
  get submittedAt(): string {
    return `${new Date(this.#receivedAt).toISOString().slice(0, 19)}Z`;
  }
}

/** @param ownOrigins ALLOWED_ORIGINS; `*` names none. */
export const pageAt = (url: URL, title: string, ownOrigins: '*' | ReadonlySet<string>): Page =>
  new ReportedPage(url, title, ownOrigins !== '*' && ownOrigins.has(url.origin));

/** Parses the query on demand: few forms read it. */
class ReportedPage implements Page {
  readonly url: string;
  readonly isOnOwnSite: boolean;
  readonly title: string;
  readonly #address: URL;
  #query: Values | undefined;

  constructor(address: URL, title: string, isOnOwnSite: boolean) {
    this.#address = address;
    this.url = address.href;
    this.isOnOwnSite = isOnOwnSite;
    this.title = title;
  }

  get query(): Values {
    this.#query ??= queryOf(this.#address);
    return this.#query;
  }
}

function queryOf({ searchParams }: URL): Values {
  const query = new Map<string, readonly string[]>();
  for (const [name, value] of searchParams) query.set(name, [...(query.get(name) ?? []), plainText(value)]);
  return query;
}

/** A text without controls and bidirectional marks. */
export const plainText = (text: string): string =>
  text.replaceAll(/[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, '');
