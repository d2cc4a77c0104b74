import { PluginMistake } from '@form-relay/base/client_error';
import type { Outcome } from '@form-relay/core/submission';
import { isMap } from '@form-relay/schema/kinds';

/** Throws if an outcome has what cannot be answered. */
export function soundOutcome(outcome: Outcome | undefined, what: string): Outcome {
  const { kind, status = 0, message, errors, headers = {}, json, answer } = outcome ?? {};
  const isCode = (one: unknown) => isMap(one) && typeof one.code === 'string';
  const isSound =
    typeof kind === 'string' &&
    Number.isInteger(status) &&
    status >= 200 &&
    status < 600 &&
    (message === undefined || isCode(message)) &&
    (errors === undefined || (Array.isArray(errors) && errors.every(isCode))) &&
    areHeaders(headers) &&
    (answer === undefined || (isMap(answer) && areHeaders(answer.headers) && isBody(answer.body)));
  if (!isSound) throw new PluginMistake(`${what} returned no outcome, or one that cannot be answered`);
  // It throws at what refers to itself.
  if (json !== undefined) JSON.stringify(json);
  return outcome as Outcome;
}

const areHeaders = (headers: unknown) =>
  isMap(headers) &&
  Object.entries(headers).every(
    ([name, value]) => /^[\w-]+$/.test(name) && typeof value === 'string' && /^[\t\x20-\x7e]*$/.test(value),
  );
const isBody = (body: unknown) => typeof body === 'string' || body instanceof Uint8Array;
