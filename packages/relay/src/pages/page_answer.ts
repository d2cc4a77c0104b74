import { type Html, type HtmlValue, html } from '../base/html.ts';
import type { RelayResponse } from '../base/http.ts';
import type { Refusal } from '../base/outcome.ts';
import type { AnswerContext, Form, FormView, PageKind } from '../form.ts';
import { renderForm } from './form_view.ts';
import { fragmentAnswer } from './fragment_answer.ts';
import { closedFragment, confirmationFragment, errorList } from './fragments.ts';
import { renderPage } from './page_view.ts';

/** A complete page with the form, for browsers that came without htmx. */
export const formPage = (status: number, form: Form, view: FormView, context: AnswerContext): RelayResponse =>
  // The page's heading is the form's title.
  page(status, form, status < 400 ? 'form' : 'error', renderForm(form, view, false), context);

/**
 * The page on which a form is filled in. Going back to it brings it as it was, with the token that is as old as what was
 * typed: with a new one, a visitor who sends at once would be taken for a bot.
 */
export function firstFormPage(form: Form, view: FormView, context: AnswerContext): RelayResponse {
  const answer = formPage(200, form, view, context);
  return { ...answer, headers: { ...answer.headers, 'cache-control': 'private, no-cache' } };
}

/** The page of a form that cannot be sent now. */
export const closedPage = (form: Form, why: Refusal, context: AnswerContext): RelayResponse =>
  page(200, form, 'form', closedFragment(form, why, false), context);

export const messagePage = (
  status: number,
  form: Form | undefined,
  messages: readonly HtmlValue[],
  context: AnswerContext,
): RelayResponse =>
  page(status, form, 'error', html`<div class="form-relay">\n${errorList(messages)}</div>\n`, context);

export const confirmationPage = (form: Form, context: AnswerContext): RelayResponse =>
  page(200, form, 'sent', confirmationFragment(form, context.receipt), context);

/** `script`: the one that stands in `content`, where there is one. */
export function page(
  status: number,
  form: Form | undefined,
  kind: PageKind,
  content: Html,
  { settings, reader, challenge }: AnswerContext,
  script?: Html,
): RelayResponse {
  const { markup, policy } = renderPage({
    form,
    kind,
    content,
    framedBy: settings.allowedOrigins,
    reader,
    challenge,
    script,
  });
  const answer = fragmentAnswer(status, markup);
  return { ...answer, headers: { ...answer.headers, 'content-security-policy': policy } };
}
