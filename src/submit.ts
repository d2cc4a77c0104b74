import { captcha } from './checks/captcha.ts';
import type { CheckContext, CheckResult } from './checks/check.ts';
import { honeypot } from './checks/honeypot.ts';
import { minFill } from './checks/min_fill.ts';
import { validation } from './checks/validation.ts';
import type { Submission } from './form.ts';
import type { Outcome } from './outcome.ts';
import { fanOut } from './outputs/fan_out.ts';

/** In the order of SPEC: What the service does. Each passes a new submission on, or ends it. */
const checks: readonly ((
  submission: Submission,
  context: CheckContext,
) => CheckResult | Promise<CheckResult>)[] = [honeypot, minFill, captcha, validation];

/** The street that every submission goes down. */
export async function submit(submission: Submission, context: CheckContext): Promise<Outcome> {
  let passed = submission;
  for (const check of checks) {
    const result = check(passed, context);
    const settled = result instanceof Promise ? await result : result;
    if ('end' in settled) return settled.end;
    passed = settled.pass;
  }
  const isDelivered = await fanOut(passed, context);
  return { kind: isDelivered ? 'delivered' : 'undelivered' };
}
