import { chain, type MaybePromise } from '@form-relay/base/maybe_promise';
import { hopsHeader, hopsIn, mostHops } from '@form-relay/base/trace_context';
import type { Form } from '../form.ts';
import { SubmissionContext } from '../pipeline/context.ts';
import { explained, type Outcome, refused } from '../submission.ts';
import { respond } from './answers.ts';
import type { App } from './app.ts';
import { answerContext, tracingOf } from './finish.ts';
import type { RelayResponse } from './request.ts';
import type { RequestContext } from './resolve.ts';

export const noConfig: Outcome = {
  kind: 'no_config',
  status: 500,
  message: { code: 'no_config' },
  level: 'error',
};
const unknownForm = refused(404, 'unknown_form');
const unnamed = refused(400, 'form_name_missing');
/** A circle of relays is a mistake in a config. */
const looped: Outcome = { ...refused(400, 'looped'), level: 'error' };

export const formNamed = ({ config }: App, { formId = '' }: RequestContext): MaybePromise<Form | Outcome> =>
  chain(config.get(), (loaded) => (loaded ? (loaded.forms.get(formId) ?? unknownForm) : noConfig));

/** Runs the pipeline of the form that a request submits to, and tells observers how it ended. */
export function submit(app: App, context: RequestContext): MaybePromise<RelayResponse> {
  if (context.formId === '') return end(app, context, unnamed);
  return chain(formNamed(app, context), (form) => {
    if ('kind' in form) return end(app, context, form);
    const { request, requestId } = context;
    if (hopsIn(request.headers[hopsHeader]) >= mostHops) return end(app, context, looped, form);
    const submission = new SubmissionContext(form, requestId, request, app, context.span);
    context.submission = submission;
    return chain(form.handler(submission), (outcome) =>
      end(app, context, outcome, form, submission.receivedAt),
    );
  });
}

function end(
  app: App,
  context: RequestContext,
  outcome: Outcome,
  form?: Form,
  startedAt = app.services.now(),
): MaybePromise<RelayResponse> {
  return chain(respond(outcome, answerContext(app, context, form)), (answer) => {
    const { requestId, submission } = context;
    app.observe({
      requestId,
      tracing: tracingOf(app, context),
      formId: form?.id,
      outcome: explained(outcome, app.registry().english),
      answer,
      ms: app.services.now() - startedAt,
      submission,
    });
    submission?.conclude();
    return answer;
  });
}
