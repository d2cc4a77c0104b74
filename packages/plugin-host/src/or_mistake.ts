import { PluginMistake } from '@form-relay/base/client_error';
import type { Diagnostics } from '@form-relay/schema/diagnostics';

/** Returns the result of `work`. If it throws or rejects, reports a config mistake at this place and returns `undefined`. */
export function orMistake<T>(what: string, at: Diagnostics, work: () => T): T | undefined {
  const fail = (thrown: unknown) => {
    const error = causeOf(thrown);
    // An unreadable value is `undefined` here, so the exception is most likely due to a mistake reported before.
    if (at.mistakes.length > 0 && !(error instanceof PluginMistake)) return undefined;
    return at.error(`${what} failed: ${reasonOf(error)}`);
  };
  try {
    const made = work();
    return made instanceof Promise ? (made.catch(fail) as T) : made;
  } catch (error) {
    return fail(error);
  }
}

/** The original error, without the wrapper that names the member. */
const causeOf = (error: unknown) => (error instanceof PluginMistake && error.cause) || error;

/** The message of an error, and where in the plug-in it was thrown. */
export function reasonOf(thrown: unknown): string {
  const error = causeOf(thrown);
  if (!(error instanceof Error)) return `a value was thrown that is not an Error: ${String(error)}`;
  if (error instanceof PluginMistake) return error.message;
  const place = placeIn(error);
  return `${error.message.split('\n', 1)[0]}${place ? ` (${place})` : ''}`;
}

/** The first stack frame in the plug-in's own code. A syntax error has none. */
export const placeIn = ({ stack = '' }: Error): string | undefined =>
  /\n +at (?!.*(?:node:|node_modules))(?:.*\()?(?:file:\/\/)?[^\n]*\/([^/\n]+?:\d+:\d+)\)?(?=\n|$)/.exec(
    stack,
  )?.[1];
