/** Holds submissions for outputs with `approve`, until they are approved, changed or withdrawn. */
import { ClientError } from '@form-relay/base/client_error';
import type { Middleware, Outcome } from '@form-relay/core/index';
import { delivered, noTokenSecret, undelivered } from '@form-relay/core/submission';
import { changeOf, withdrawalOf } from '@form-relay/more-outputs/archive_layout';
import type { HeldSubmissions, SharedState } from '@form-relay/stores/store';
import { noPublicUrl } from '@form-relay/visitor-mails/double_opt_in';
import { approvalId, approveOf, entryOf, holdKey, readApproval, stateKey } from './approval.ts';

/** The `approve` of outputs that must not get a submission yet. */
export const waitsFor = Symbol('approvals');

/** Holds a submission for outputs with `approve`, delivers it to the others, and mails the approvers. */
export const holding =
  (held: HeldSubmissions, state: SharedState): Middleware =>
  (next) =>
  async (submission) => {
    const { form, services, settings } = submission;
    const waiting = form.outputs.flatMap(({ accepts, type }, output) => {
      const approve = approveOf(form, output);
      return approve && (!accepts || accepts(submission))
        ? { approve, output, type, place: output, submission }
        : [];
    });
    const isChange = submission.values.has(changeOf);
    if (waiting.length === 0 && !isChange) return next(submission);
    if (settings.formTokenSecret === '') return noTokenSecret;
    if (settings.publicUrl === undefined) return noPublicUrl;
    const key = stateKey(approvalId(submission));
    try {
      // If a link in a mail is opened twice, approvers are asked only once.
      const isKnown = await state.read(submission, key);
      for (const { approve, output, ...one } of isKnown ? [] : waiting) {
        const why = `the submission waits for approval by ${approve.by.join(', ')}`;
        const until = services.now() + approve.expires;
        await held.hold(submission, { key: holdKey(one), until, why, outputs: [output] });
        submission.trace?.note(why);
      }
      await state.change(submission, key, (entry) => entry ?? entryOf(readApproval(entry, services.now())));
    } catch (error) {
      return uncertain(error);
    }
    submission.setState(waitsFor, new Set(waiting.map(({ approve }) => approve)));
    const hasOthers = form.outputs.some(({ accepts }) => !accepts || accepts(submission));
    const outcome = hasOthers ? await next(submission) : delivered;
    if (outcome.message) {
      // The visitor will send the form again.
      for (const one of waiting) await held.drop(holdKey(one)).catch(() => {});
      await state.change(submission, key, () => undefined).catch(() => {});
      return outcome;
    }
    try {
      if (isChange) await (await import('./asking.ts')).supersede(submission);
    } catch (error) {
      // If the visitor sends the form again, it is not held twice.
      return uncertain(error);
    }
    for (const { output, type } of waiting)
      submission.deliveries[output] = { output, type, outcome: 'held', tries: 0, ms: 0 };
    if (!services.isDryRun)
      await submission.defer(async () => (await import('./asking.ts')).tend(form, waiting, submission));
    return outcome;
  };

/** Keeps a withdrawal from outputs that never got the submission, and prevents its waiting deliveries from being approved. */
export const withdrawing: Middleware = (next) => async (submission) => {
  const { form, values } = submission;
  if (!values.has(withdrawalOf) || !form.provided.get('approvals')) return next(submission);
  try {
    submission.setState(waitsFor, await (await import('./asking.ts')).withdrawWaiting(submission));
  } catch (error) {
    return uncertain(error);
  }
  return form.outputs.some(({ accepts }) => !accepts || accepts(submission)) ? next(submission) : delivered;
};

function uncertain(error: unknown): Outcome {
  if (!(error instanceof ClientError)) throw error;
  return { ...undelivered, why: error.message };
}
