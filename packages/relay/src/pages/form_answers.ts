/** Answers with markup, a token or a puzzle in them, and problems. */
import { linkField } from '../api_urls.ts';
import type { Html } from '../base/html.ts';
import type { RelayResponse } from '../base/http.ts';
import type { FieldError, Refusal } from '../base/outcome.ts';
import { firstValue } from '../base/values.ts';
import { parseQuery } from '../bodies/urlencoded.ts';
import type { AnswerContext, Form } from '../form.ts';
import { type Message, say as sayInEnglish } from '../messages/message.ts';
import { withLinks } from '../schema/linked_text.ts';
import { shownAgain } from './form_shown_again.ts';
import { belowNote, isAskedInside, shownFirst } from './form_shown_first.ts';
import { renderForm } from './form_view.ts';
import { errorFragment, fragmentAnswer } from './fragment_answer.ts';
import { closedFragment, confirmationFragment } from './fragments.ts';
import { asksForScript, audienceOf, wantsPage } from './negotiation.ts';
import { closedPage, firstFormPage, formPage, messagePage } from './page_answer.ts';
import { jsonAnswer, problemAnswer } from './problem_answer.ts';

export { confirmationPage } from './page_answer.ts';

/** The form itself, or the whole page around it (SPEC: GET /api/v1/form/{form}). */
export function formAnswer(form: Form, context: AnswerContext): RelayResponse {
  const query = parseQuery(context.request.query) ?? new Map();
  const isPage = wantsPage(context.request, form, query);
  // A visitor who filled it in until it closed keeps what was typed.
  const isInside = isAskedInside(form, context.request);
  const filling = isInside ? undefined : form.answers.filling?.(form, firstValue(query, linkField), context);
  const closed = isInside ? undefined : (context.instead ?? filling?.refusal);
  if (closed)
    return isPage ? closedPage(form, closed, context) : fragmentAnswer(200, closedFragment(form, closed));
  const medium = isPage ? 'plain' : asksForScript(context.request) ? 'script' : 'fragment';
  const view = shownFirst(form, query, medium, context, filling);
  const noted = belowNote(form, medium, filling);
  if (!isPage) return fragmentAnswer(200, renderForm(noted, view));
  const answer = firstFormPage(noted, view, context);
  return filling && query.has(linkField) ? withoutTrace(answer) : answer;
}

/** Other sites learn nothing of the link, and caches keep nothing of what it filled in. */
const withoutTrace = (answer: RelayResponse): RelayResponse => ({
  ...answer,
  headers: { ...answer.headers, 'cache-control': 'no-store', 'referrer-policy': 'strict-origin' },
});

export const confirmationAnswer = (form: Form, receipt: string | undefined): RelayResponse =>
  fragmentAnswer(200, confirmationFragment(form, receipt));

/** An error to show. */
interface Failure {
  readonly message: Refusal;
  /** The same in words for a page. */
  readonly onPage: Message;
  readonly errors: readonly FieldError[] | undefined;
  /** The owner's own words about it. */
  readonly owners: string | undefined;
}

export function failureAnswer(status: number, failure: Failure, asked: AnswerContext): RelayResponse {
  const { request, form, sentLists } = asked;
  const { message, errors, owners } = failure;
  const context = message.code === 'fill_used' ? withoutLink(asked) : asked;
  const { say } = form ?? english;
  switch (audienceOf(request, form)) {
    case 'htmx':
      return failureFragment(status, failure, context);
    case 'page':
      return failurePage(status, failure, context);
    case 'problem_json':
      return problemAnswer(status, message, {
        say,
        form,
        errors,
        lists: sentLists,
        renewal: form?.answers.renewal?.problem(context),
        failureMessage: owners,
      });
    case 'json':
      return jsonAnswer(status, { error: say(message), ...form?.answers.renewal?.json(context) });
  }
}

/** The form comes back without the link that was used, so that it can be sent. */
const withoutLink = (context: AnswerContext): AnswerContext => ({
  ...context,
  sent: context.sent && new Map([...context.sent].filter(([name]) => name !== linkField)),
});

function failureFragment(
  status: number,
  { message, errors, owners }: Failure,
  context: AnswerContext,
): RelayResponse {
  const { form, request } = context;
  const { say } = form ?? english;
  if (!form || !(errors || bringsForm(message)))
    return errorFragment(status, [say(message), ...asMarkup(owners)], form, request);
  const messages = errors ? [] : [say(message)];
  const view = shownAgain(form, context, { errors: errors ?? [], messages, medium: 'fragment' });
  return fragmentAnswer(status, renderForm(form, view));
}

const asMarkup = (owners: string | undefined): readonly Html[] =>
  owners === undefined ? [] : [withLinks(owners)];

/** Whether the form comes back with a challenge, or without its link. */
const bringsForm = ({ code }: Message) =>
  code === 'challenge_captcha' ||
  code === 'challenge_proof' ||
  code === 'challenge_used' ||
  code === 'fill_used';

/** With the form, where it was sent. */
function failurePage(
  status: number,
  { onPage, errors, owners }: Failure,
  context: AnswerContext,
): RelayResponse {
  const { form, reader, sent } = context;
  const { say } = form ?? reader ?? english;
  const words = [say(onPage), ...asMarkup(owners)];
  if (!form || !sent) return messagePage(status, form, words, context);
  const messages = errors ? [] : words;
  const view = shownAgain(form, context, { errors: errors ?? [], messages, medium: 'plain' });
  return formPage(status, form, view, context);
}

/** The voice of answers about no form. */
const english = { say: sayInEnglish };
