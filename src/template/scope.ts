import type { Effects } from '../effects.ts';
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
] as const;

/** What templates may read of a submission (SPEC: Templating). */
export const scopeOf = (
  formId: string,
  submission: Pick<Submission, 'values' | 'receivedAt'>,
  { env }: Pick<Effects, 'env'>,
): Scope => new SubmissionScope(formId, submission, env);

/** A class, since a getter in an object literal would give every object a shape of its own, at 5 µs each. */
class SubmissionScope implements Scope {
  readonly fields: Values;
  readonly formId: string;
  readonly env: Scope['env'];
  readonly #receivedAt: number;

  constructor(
    formId: string,
    { values, receivedAt }: Pick<Submission, 'values' | 'receivedAt'>,
    env: Scope['env'],
  ) {
    this.fields = values;
    this.formId = formId;
    this.env = env;
    this.#receivedAt = receivedAt;
  }

  /** RFC 3339 in UTC, without fractions of a second. */
  get submittedAt(): string {
    return `${new Date(this.#receivedAt).toISOString().slice(0, 19)}Z`;
  }
}
