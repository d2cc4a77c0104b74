/** Checks the answers of hooks and routes of plug-ins: an error says what cannot be sent, and who answered so. */
import { PluginMistake } from '@form-relay/base/client_error';
import type { RelayResponse } from '@form-relay/core/http/request';
import type { Outcome } from '@form-relay/core/submission';
import { isMap } from '@form-relay/schema/kinds';

/** Throws if an outcome has what cannot be answered. @param what Such as `the feature "quota"`. */
export function soundOutcome(outcome: Outcome | undefined, what: string): Outcome {
  const refuse = (why: string) => {
    throw new PluginMistake(`${what} returned ${why}`);
  };
  if (!isMap(outcome) || typeof outcome.kind !== 'string')
    return refuse('no outcome; end with kit.refused(…), or with what next(submission) returns');
  const { status, message, errors, headers = {}, json, answer } = outcome;
  const problem = answerProblem({ status, headers, body: '' }) ?? (answer && answerProblem(answer));
  if (problem) refuse(`an outcome with ${problem}`);
  if (message !== undefined && !isCode(message)) refuse('an outcome whose `message` has no code');
  if (errors !== undefined && !(Array.isArray(errors) && errors.every(isCode)))
    refuse('an outcome whose `errors` are no list of messages');
  // Throws at circular references.
  if (json !== undefined) JSON.stringify(json);
  return outcome;
}

/** Throws if it cannot be sent. @param what Such as `answer of the route "quota"`. */
export function soundAnswer(answer: RelayResponse, what: string): RelayResponse {
  const problem = answerProblem(answer);
  if (problem) throw new PluginMistake(`${what} returned ${problem}`);
  return answer;
}

const isCode = (one: unknown) => isMap(one) && typeof one.code === 'string';

function answerProblem(answer: unknown): string | undefined {
  if (!isMap(answer)) return 'no answer; expected { status, headers, body }';
  const { status, headers, body } = answer;
  if (!Number.isInteger(status) || Number(status) < 200 || Number(status) >= 600)
    return 'a `status` that is not from 200 to 599';
  if (!isMap(headers)) return '`headers` that are no object';
  const wrong = Object.entries(headers).find(
    ([name, value]) => !/^[\w-]+$/.test(name) || typeof value !== 'string' || !/^[\t\x20-\x7e]*$/.test(value),
  );
  if (wrong) return `a header ${JSON.stringify(wrong[0])} that cannot be sent; names and values are ASCII`;
  return typeof body === 'string' || body instanceof Uint8Array ? undefined : 'a `body` that is no text';
}
