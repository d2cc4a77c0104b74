import type { Effects } from '../effects.ts';
import type { Form, Submission } from '../form.ts';
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
export function scopeOf(form: Form, submission: Submission, { env }: Effects): Scope {
  return {
    fields: submission.values,
    formId: form.id,
    // RFC 3339 in UTC, without fractions of a second.
    get submittedAt() {
      return `${new Date(submission.receivedAt).toISOString().slice(0, 19)}Z`;
    },
    env,
  };
}
