import { parseJson } from '@form-relay/base/json';
import type { HttpAnswer } from '@form-relay/core/services';

/** A provider's answer. */
export interface Verdict {
  readonly success?: unknown;
  readonly score?: unknown;
  /** The first few values that look like codes, because they are logged. */
  readonly codes: readonly string[];
}

export const refusesSecret = (codes: readonly string[]): boolean =>
  codes.some((code) => /secret|sitekey|keys/.test(code));

export function readVerdict({ body, isCut }: HttpAnswer): Verdict | undefined {
  const read = isCut ? undefined : parseJson(body);
  if (typeof read !== 'object' || read === null) return undefined;
  const { success, score, 'error-codes': codes } = read as Readonly<Record<string, unknown>>;
  const known = Array.isArray(codes)
    ? codes.filter((code) => typeof code === 'string' && /^[a-z-]{1,60}$/.test(code))
    : [];
  return { success, score, codes: known.slice(0, 5) };
}
