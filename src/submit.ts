import { captcha } from './checks/captcha.ts';
import type { CheckContext, CheckResult } from './checks/check.ts';
import { honeypot } from './checks/honeypot.ts';
import { minFill } from './checks/min_fill.ts';
import { validation } from './checks/validation.ts';
import type { Submission, Values } from './form.ts';
import { maxBodyBytes, type RelayRequest } from './http.ts';
import type { Outcome } from './outcome.ts';
import { fanOut } from './outputs/fan_out.ts';
import { parseUrlencoded } from './urlencoded.ts';

/** The body's values, or why it has none (SPEC: POST /api/v1/submit/{form}, 400). */
export function readBody({ headers, body }: RelayRequest): Values | Outcome {
  const mediaType = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (mediaType !== 'application/x-www-form-urlencoded') {
    return badRequest('the Content-Type must be application/x-www-form-urlencoded');
  }
  if (body.byteLength > maxBodyBytes) return badRequest('the body is over 64 KB');
  const isEncoded = (headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity';
  if (isEncoded) return badRequest('the body must not be compressed');
  return parseUrlencoded(body) ?? badRequest('the body is not valid application/x-www-form-urlencoded');
}

const badRequest = (message: string): Outcome => ({ kind: 'bad_request', message });

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
