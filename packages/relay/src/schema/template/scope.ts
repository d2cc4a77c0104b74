import type { Effects } from '../../base/effects.ts';
import type { PageContext } from '../../base/page_context.ts';
import type { Submission } from '../../base/submission.ts';
import { inLabels, type Values } from '../../base/values.ts';
import type { Scope } from './render.ts';

/** The references of templates, for docs/reference.md. */
export const references = [
  {
    name: '.fields.<name>',
    summary: 'What was submitted for the field; several values joined with `,`; empty when nothing was.',
  },
  {
    name: '.labels.<name>',
    summary:
      'The same in the words that visitors read: the labels of options instead of their values; several joined with `, `.',
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

/**
 * The part of a submission that templates can read (SPEC: Templating).
 *
 * @param fields The form's fields, in the reader's language.
 */
export const scopeOf = (
  formId: string,
  submission: Seen,
  { env }: Pick<Effects, 'env'>,
  fields: readonly Labelled[] = [],
): Scope => new SubmissionScope(formId, submission, env, fields);

interface Labelled {
  readonly name: string;
  readonly options?: readonly { readonly value: string; readonly label: string }[] | undefined;
  readonly inJson?: string;
  readonly inWords?: ((stored: string) => string) | undefined;
}

type Seen = Pick<Submission, 'values' | 'receivedAt'> & Partial<Pick<Submission, 'page'>>;

/** A class, because a getter in an object literal would give every object its own shape, at 5 µs each. */
class SubmissionScope implements Scope {
  readonly fields: Values;
  readonly formId: string;
  readonly env: Scope['env'];
  readonly page: PageContext | undefined;
  readonly #receivedAt: number;
  readonly #labelled: readonly Labelled[];

  constructor(
    formId: string,
    { values, receivedAt, page }: Seen,
    env: Scope['env'],
    labelled: readonly Labelled[],
  ) {
    this.#labelled = labelled;
    this.fields = values;
    this.formId = formId;
    this.env = env;
    this.page = page;
    this.#receivedAt = receivedAt;
  }

  labels(field: string): string {
    const known = this.#labelled.find(({ name }) => name === field);
    const values = this.fields.get(field) ?? [];
    const read = known?.inJson === 'structure' && known.inWords;
    if (read) return values.map((value) => read(value)).join('\n');
    return inLabels(values, known?.options).join(', ');
  }

  /** RFC 3339 in UTC, without fractions of a second. */
  get submittedAt(): string {
    return `${new Date(this.#receivedAt).toISOString().slice(0, 19)}Z`;
  }
}
