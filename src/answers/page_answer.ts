import type { Form } from '../form.ts';
import type { RelayResponse } from '../http.ts';
import type { FormView } from '../views/form_view.ts';
import { renderPage } from '../views/page_view.ts';
import { fragmentAnswer } from './fragment_answer.ts';

/** A complete page with the form, for browsers that came without htmx. */
export function pageAnswer(status: number, form: Form, view: FormView): RelayResponse {
  const { markup, policy } = renderPage(form, view, status >= 400);
  const answer = fragmentAnswer(status, markup);
  return { ...answer, headers: { ...answer.headers, 'content-security-policy': policy } };
}
