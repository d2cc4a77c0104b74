import { sendAtOnceCode } from '../../built/inline.ts';
import type { RelayResponse } from '../base/http.ts';
import type { Soon } from '../base/soon.ts';
import type { Form } from '../form.ts';
import type { AnswerContext } from './answer_context.ts';
import { addressBase } from './base_url.ts';
import { confirmForm, confirmFormAgain } from './confirm_view.ts';
import { page } from './page_answer.ts';
import { failure } from './respond.ts';

/** What a link in a mail shows first. */
export function confirmPage(form: Form, sealed: string, context: AnswerContext): RelayResponse {
  const content = confirmForm(form, baseOf(context), sealed);
  return withoutTrace(page(200, form, 'form', content, context, sendAtOnceCode));
}

/** The same where it could not be delivered: its button sends it once more, and nothing else does. */
export function confirmAgainPage(form: Form, sealed: string, context: AnswerContext): RelayResponse {
  const content = confirmFormAgain(form, baseOf(context), sealed);
  return withoutTrace(page(500, form, 'error', content, context));
}

/** A link that is none of this form's, or too old. */
export const linkRefused = (isExpired: boolean, context: AnswerContext): Soon<RelayResponse> =>
  isExpired
    ? failure(410, { code: 'opt_in_expired' }, context)
    : failure(400, { code: 'opt_in_unknown' }, context);

const baseOf = ({ request, settings }: AnswerContext) => addressBase(request, settings.publicUrl, 'plain');

/** Wherever the visitor goes from there, nobody learns of the link. */
const withoutTrace = (answer: RelayResponse): RelayResponse => ({
  ...answer,
  headers: { ...answer.headers, 'referrer-policy': 'no-referrer' },
});
