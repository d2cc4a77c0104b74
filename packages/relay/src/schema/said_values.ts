/** Values in the words of findings. */

/** Stands for text that may be a secret. */
export const secret = Symbol('secret');

export function shown(found: unknown): string {
  if (found === secret) return 'text';
  if (found === null || found === undefined) return 'nothing';
  if (typeof found === 'string')
    return found === '' ? 'empty text' : `"${found.length > 40 ? `${found.slice(0, 40)}…` : found}"`;
  return Array.isArray(found) ? 'a list' : 'a map';
}

export const meant = (near: string | undefined) => (near === undefined ? '' : ` (did you mean ${near}?)`);

/** Hundreds of names would hide the text after them. */
export const firstOf = (names: readonly string[]) =>
  names.length <= 12 ? names.join(', ') : `${names.slice(0, 10).join(', ')} and ${names.length - 10} more`;

export const oneOf = (options: readonly string[]) =>
  options.length < 2 ? options.join() : `${options.slice(0, -1).join(', ')} or ${options.at(-1)}`;

/** As people write it: `25s`, `2160h`. */
export function inUnits(ms: number): string {
  if (ms < 1_000) return `${ms}ms`;
  return ms < 3_600_000 ? `${ms / 1_000}s` : `${ms / 3_600_000}h`;
}
