import { noFiles } from '../base/files.ts';

import type { Outcome } from '../base/outcome.ts';
import type { AnswerTo, Form, Held } from '../form.ts';
import { deliver, deliverReserved } from './deliver.ts';
import type { Exchange } from './exchange.ts';
import { listen, submissionBudgetMs } from './post_submission.ts';
import { followDelivery } from './submit.ts';

/** Delivers a submission that was held, as if it had come just now. */
export async function deliverHeld(
  exchange: Exchange,
  form: Form,
  held: Held,
  answerTo: AnswerTo,
): Promise<Outcome> {
  const { request, effects, transports, observers, trace } = exchange;
  const startedAt = effects.now();
  const { requestId, receivedAt, values, page } = held;
  const tell = listen(observers, { requestId, formId: form.id, asked: form.id, receivedAt, trace });
  tell({ kind: 'received', values, files: noFiles, page });
  tell({ kind: 'confirmed', requestId: exchange.requestId });
  const { timeLeftMs = Infinity, senderAddress } = request;
  const deadline = startedAt + Math.min(submissionBudgetMs, timeLeftMs - 1_000);
  const submission = { ...held, files: noFiles, deadline, senderAddress, endsOnPage: true };
  const keep = form.stages.owed?.(form, tell, exchange);
  const context = { form, effects, transports, tell, trace, keep };
  const { reserve } = form.stages;
  const outcome = reserve
    ? await deliverReserved(reserve, submission, context, exchange)
    : await deliver(submission, context);
  if (outcome.kind === 'delivered') await followDelivery(form, submission, outcome, tell, exchange);
  tell({ kind: 'answered', outcome, answer: await answerTo(outcome), ms: effects.now() - startedAt });
  return outcome;
}
