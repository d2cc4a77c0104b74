import type { Effects } from '../effects.ts';
import type { PageContext } from '../page_context.ts';
import type { Submission } from '../submission.ts';
import type { Values } from '../values.ts';
import type { Scope } from './render.ts';

/** What a template can refer to, as docs/reference.md shows it. */
export const references = [
  {
    name: '.fields.<name>',
    summary: 'What was submitted for the field; several values joined with `,`; empty when nothing was.',
  },
  { name: '.form.id', summary: "The form's name." },
  { name: '.submitted_at', summary: 'When the relay received it: UTC, such as `2030-12-31T23:59:59Z`.' },
  {
    name: '.page.url',
    summary:
      'The address of the page on which it was filled in, in a form with `page: true`; empty when unknown. As the visitor’s browser says, which is no proof.',
  },
  { name: '.page.title', summary: 'The title of that page, in a form with `page: true`.' },
  {
    name: '.page.query.<name>',
    summary:
      'A value of that address, such as `.page.query.utm_source`; several joined with `,`. In a form with `page: true`.',
  },
] as const;

/** What templates may read of a submission (SPEC: Templating). */
export const scopeOf = (formId: string, submission: Seen, { env }: Pick<Effects, 'env'>): Scope =>
  new SubmissionScope(formId, submission, env);

type Seen = Pick<Submission, 'values' | 'receivedAt'> & Partial<Pick<Submission, 'page'>>;

/** A class, since a getter in an object literal would give every object a shape of its own, at 5 µs each. */
class SubmissionScope implements Scope {
  readonly fields: Values;
  readonly formId: string;
  readonly env: Scope['env'];
  readonly page: PageContext | undefined;
  readonly #receivedAt: number;

  constructor(formId: string, { values, receivedAt, page }: Seen, env: Scope['env']) {
    this.fields = values;
    this.formId = formId;
    this.env = env;
    this.page = page;
    this.#receivedAt = receivedAt;
  }

  /** RFC 3339 in UTC, without fractions of a second. */
  get submittedAt(): string {
    return `${new Date(this.#receivedAt).toISOString().slice(0, 19)}Z`;
  }
}
