import { captcha } from '../checks/captcha.ts';
import type { Check, CheckContext } from '../checks/check.ts';
import { honeypot } from '../checks/honeypot.ts';
import { minFill } from '../checks/min_fill.ts';
import { validate } from '../checks/validation.ts';
import type { Outcome } from '../outcome.ts';
import type { Submission } from '../submission.ts';
import { fanOut } from './deliver.ts';

/** In the order of SPEC: What the service does. */
const checks: readonly Check[] = [honeypot, minFill, captcha];

const endingOf = (isDelivered: boolean): Outcome => ({ kind: isDelivered ? 'delivered' : 'undelivered' });

/** The street that every submission goes down. */
export async function submit(submission: Submission, context: CheckContext): Promise<Outcome> {
  for (const check of checks) {
    const result = check(submission, context);
    const ending = result instanceof Promise ? await result : result;
    if (ending) return ending;
  }
  const values = validate(submission, context);
  if ('kind' in values) return values;
  // Nothing holds on to what was sent under other names while outputs take their time.
  return fanOut({ ...submission, values }, context).then(endingOf);
}
