import { PluginMistake } from '@form-relay/base/client_error';
import type { Diagnostics } from '@form-relay/schema/diagnostics';

/** Returns the result of `work`. If it throws or rejects, reports a mistake of the config at this place and returns `undefined`. */
export function orMistake<T>(what: string, at: Diagnostics, work: () => T): T | undefined {
  const fail = (thrown: unknown) => {
    const error = causeOf(thrown);
    // An unreadable value is missing, so the exception most likely follows from another mistake.
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

/** The error that a member threw, without the member's name. */
const causeOf = (error: unknown) => (error instanceof PluginMistake && error.cause) || error;

/** The message of an error, and where a plug-in threw it. */
export function reasonOf(thrown: unknown): string {
  const error = causeOf(thrown);
  if (!(error instanceof Error)) return `a value was thrown: ${String(error)}`;
  if (error instanceof PluginMistake) return error.message;
  const place = placeIn(error);
  return `${error.message.split('\n', 1)[0]}${place ? ` (${place})` : ''}`;
}

/** The first frame of the plug-in's own. A mistake of syntax has none. */
export const placeIn = ({ stack = '' }: Error): string | undefined =>
  /\n +at (?!.*(?:node:|node_modules))(?:.*\()?(?:file:\/\/)?[^\n]*\/([^/\n]+?:\d+:\d+)\)?(?=\n|$)/.exec(
    stack,
  )?.[1];
