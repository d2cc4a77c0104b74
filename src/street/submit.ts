import { checks } from '../checks/index.ts';
import { type Files, noFiles } from '../files.ts';
import type { Outcome } from '../outcome.ts';
import type { Submission } from '../submission.ts';
import type { Values } from '../values.ts';
import { deliver, type StreetContext } from './deliver.ts';

/** The street that every submission goes down. */
export async function submit(submission: Submission, context: StreetContext): Promise<Outcome> {
  const { form, tell } = context;
  let values: Values = new Map();
  let files: Files = noFiles;
  for (const check of checks) {
    if (!check.isOn(form)) continue;
    const examining = check.examine(submission, context, files);
    // Waiting where there is nothing to wait for takes 2 % of a submission, all checks together.
    const { evidence, ending, accepted } = examining instanceof Promise ? await examining : examining;
    tell({ kind: 'checked', passed: ending === undefined, evidence });
    if (ending) return ending;
    if (accepted) ({ values, files } = accepted);
  }
  // Nothing holds on to what was sent under other names while outputs take their time.
  const checked = { ...submission, values, files };
  if (context.hold) return context.hold(checked);
  if (!context.onDelivered) return deliver(checked, context);
  const outcome = await deliver(checked, context);
  if (outcome.kind === 'delivered') await context.onDelivered(checked, outcome);
  return outcome;
}
