import type { Diagnostics } from '@form-relay/schema/diagnostics';

/** What `work` makes; `undefined` after it threw or rejected, which is a mistake of the config at this place. */
export function told<T>(what: string, at: Diagnostics, work: () => T): T | undefined {
  const fail = (error: unknown) =>
    at.error(`${what} failed: ${error instanceof Error ? error.message : 'it threw no error'}`);
  try {
    const made = work();
    return made instanceof Promise ? (made.catch(fail) as T) : made;
  } catch (error) {
    return fail(error);
  }
}
