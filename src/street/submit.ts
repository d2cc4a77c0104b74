import { checks } from '../checks/index.ts';
import { validate } from '../checks/validation.ts';
import type { Outcome } from '../outcome.ts';
import type { Submission } from '../submission.ts';
import { deliver, type StreetContext } from './deliver.ts';

/** The street that every submission goes down. */
export async function submit(submission: Submission, context: StreetContext): Promise<Outcome> {
  const { form, tell } = context;
  for (const check of checks) {
    if (!check.isOn(form)) continue;
    const examining = check.examine(submission, context);
    const { evidence, ending } = examining instanceof Promise ? await examining : examining;
    tell({ kind: 'checked', passed: ending === undefined, evidence });
    if (ending) return ending;
  }
  const validating = validate(submission, context);
  const { evidence, ending, values } = validating instanceof Promise ? await validating : validating;
  tell({ kind: 'checked', passed: ending === undefined, evidence });
  if (ending) return ending;
  // Nothing holds on to what was sent under other names while outputs take their time.
  return deliver({ ...submission, values }, context);
}
