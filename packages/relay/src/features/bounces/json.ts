/** Reads JSON that a provider sent: anything may be missing, or of another type. */
import { isMap } from '../../schema/kinds.ts';

type Json = Readonly<Record<string, unknown>>;

export const mapOf = (found: unknown): Json => (isMap(found) ? found : {});
export const listOf = (found: unknown): readonly unknown[] => (Array.isArray(found) ? found : []);
export const textOf = (found: unknown): string =>
  typeof found === 'string' ? found : typeof found === 'number' ? String(found) : '';

/** `undefined` if it is no JSON. */
export function parseJson(body: Buffer | string): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

/**
 * A time, in milliseconds since the epoch: text as of ISO 8601, or seconds. One to come counts as now: it would outlive the others
 * on the list of addresses, and an address that is unblocked.
 */
export function timeOf(found: unknown, now: number): number {
  const at = typeof found === 'string' && /\D/.test(found) ? Date.parse(found) : Number(found) * 1_000;
  return Number.isFinite(at) && at > 0 ? Math.min(at, now) : now;
}
