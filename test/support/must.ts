import type { Result } from '../../src/result.ts';

/** A result's value; throws the error when there is none. */
export function must<T>(result: Result<T, unknown>): T {
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
}
