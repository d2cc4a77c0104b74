import type { Effects } from '../effects.ts';
import type { Form, Submission } from '../form.ts';
import type { Scope } from './render.ts';

/** What templates may read of a submission (SPEC: Templating). */
export function scopeOf(form: Form, submission: Submission, { env }: Effects): Scope {
  return {
    fields: submission.values,
    formId: form.id,
    // RFC 3339 in UTC, without fractions of a second.
    submittedAt: `${new Date(submission.receivedAt).toISOString().slice(0, 19)}Z`,
    env,
  };
}
