import type { Field } from './field.ts';

/** The values that a field would store for a value in JSON. `true` ticks a box. */
export function fromJson({ offered }: Pick<Field, 'offered'>, value: unknown): readonly string[] {
  if (value === true) return [offered?.[0] ?? 'true'];
  const all: readonly unknown[] = Array.isArray(value) ? value : [value];
  return all.filter((one) => typeof one === 'string' || typeof one === 'number').map(String);
}

/** Reads a stored structure; `undefined` if the text is none, as it was stored under another config. */
export function structureIn(stored: string): object | undefined {
  try {
    const value: unknown = JSON.parse(stored);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
